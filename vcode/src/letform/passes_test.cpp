#include <chrono>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "builder.h"
#include "facts.h"
#include "vcode/printer.h"

namespace vcode::letform::testing {
namespace {

/// As text, if nothing is wrong with it.
std::string text(const Program& program) {
  const std::string complaint = verify(program);
  return complaint.empty() ? to_text(program) : complaint;
}

/// A program with one function, simplified.
std::string simplified(const std::function<std::vector<Var>(Builder&, Var, Var)>& write) {
  Program program;
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a"), s = main.parameter(Kind::kSegdes, "s");
  main.ret(write(main, a, s));
  EXPECT_EQ(verify(program), "");
  simplify(program);
  const std::string all = text(program), head = "entry MAIN (a.0: Int, s.1: Segdes)\n";
  return all.starts_with(head) ? all.substr(head.size()) : all;
}

// --- text and verification ------------------------------------------------------------------------------------

TEST(LetForm, Text) {
  Program program;
  Builder f(program, "f");
  Var x = f.parameter(Kind::kInt, "x");
  f.ret({x});
  Builder main(program, "MAIN");
  Var a = main.constant({1, 2, 3});
  Var c = main.constant(true);
  Var q = main.op(Op::kDivide, Suffix::kInt, {a, a});
  main.at({"x.nesl", 3, 14, "g", "no"}, {a}, true);
  std::vector<Var> r = main.choose(
      c, [&] { return main.call(f, {q}); }, [&] { return std::vector{a}; });
  main.ops(Op::kWrite, Suffix::kInt, r);
  main.ret({});
  program.entry = main.number();
  EXPECT_EQ(text(program),
            "function f (x.0: Int)\n"
            "  ret x.0\n"
            "\n"
            "entry MAIN ()\n"
            "  v0: Int = CONST INT (1 2 3)\n"
            "  v1: Bool scalar = CONST BOOL T\n"
            "  v2: Int = / INT v0 v0  -- x.nesl:3:14 g \"no\"  in v0 .\n"
            "  v4: Int = IF v1\n"
            "  then\n"
            "    v3: Int = CALL f v2\n"
            "    yield v3\n"
            "  else\n"
            "    yield v0\n"
            "  v5: Int, v6: Bool = WRITE INT v4\n"
            "  ret\n");
}

/// What verify says of a program whose function has been spoiled.
std::string complaint(const std::function<void(Function&)>& spoil) {
  Program program;
  Builder f(program, "f");
  Var a = f.parameter(Kind::kInt, "a"), x = f.parameter(Kind::kFloat, "x");
  f.op(Op::kAdd, Suffix::kInt, {a, a});
  Var c = f.constant(true);
  f.choose(
      c, [&] { return std::vector{f.constant(1)}; }, [&] { return std::vector{a}; });
  f.call(f, {});
  f.ret({x});
  program.functions[0].body.bindings.back().operands = {a, x};
  program.functions[0].values.push_back({Kind::kFloat});
  program.functions[0].body.bindings.back().results = {static_cast<Var>(program.functions[0].values.size() - 1)};
  EXPECT_EQ(verify(program), "");
  spoil(program.functions[0]);
  return verify(program);
}

TEST(Verify, SaysWhatIsWrong) {
  auto binding = [](Function& f, std::size_t k) -> Binding& { return f.body.bindings[k]; };
  EXPECT_EQ(complaint([&](Function& f) { binding(f, 0).operands[1] = 1; }),
            "in function f: x.1 must be Int in + INT but is Float");
  EXPECT_EQ(complaint([&](Function& f) { binding(f, 0).operands.pop_back(); }),
            "in function f: + INT needs 2 operands, not 1");
  EXPECT_EQ(complaint([&](Function& f) { binding(f, 0).suffix = Suffix::kBool; }),
            "in function f: + BOOL does not exist");
  EXPECT_EQ(complaint([&](Function& f) { binding(f, 0).operands[0] = 3; }),
            "in function f: v3 is not visible in + INT");
  EXPECT_EQ(complaint([&](Function& f) { binding(f, 0).results[0] = 0; }),
            "in function f: a.0 is bound twice, the second time in + INT");
  EXPECT_EQ(complaint([&](Function& f) { binding(f, 1).target = 9; }), "in function f: there is no constant 9");
  EXPECT_EQ(complaint([&](Function& f) { binding(f, 2).operands[0] = 0; }),
            "in function f: a.0 must be Bool in IF but is Int");
  EXPECT_EQ(complaint([&](Function& f) { binding(f, 2).blocks[1].results[0] = 1; }),
            "in function f: x.1 must be Int in a branch of IF but is Float");
  EXPECT_EQ(complaint([&](Function& f) { binding(f, 2).blocks[1].results.clear(); }),
            "in function f: a branch of IF needs 1 results, not 0");
  EXPECT_EQ(complaint([&](Function& f) { f.body.results[0] = 7; }),
            "in function f: v7 is not visible in the results of a block");
  EXPECT_EQ(complaint([&](Function& f) { binding(f, 3).operands[0] = 1; }),
            "in function f: x.1 must be Int in CALL f but is Float");
  EXPECT_EQ(complaint([&](Function& f) { binding(f, 0).nest = {1}; }),
            "in function f: x.1 cannot be in the nest of + INT");
  EXPECT_EQ(complaint([&](Function& f) { binding(f, 0).site = 0; }), "in function f: + INT has no such site");
}

// --- facts ----------------------------------------------------------------------------------------------------

TEST(Facts, WhatCanFault) {
  std::string faulting, commuting;
  for (const OpInfo& row : all_ops())
    for (int s = 0; s < kSuffixes; ++s) {
      const auto suffix = static_cast<Suffix>(s);
      if (!row.takes(suffix) || row.op_class == OpClass::kSystem) continue;
      auto append = [&](std::string& list) { ((list += row.text) += suffix == Suffix::kFloat ? ".f" : "") += ' '; };
      if (can_fault(row.op, suffix) && suffix != Suffix::kBool) append(faulting);
      if (commutes(row.op, suffix)) append(commuting);
    }
  EXPECT_EQ(faulting,
            "/ % LSHIFT RSHIFT FLOOR CEIL TRUNC ROUND PERMUTE PERMUTE.f DPERMUTE DPERMUTE.f FPERMUTE FPERMUTE.f "
            "BPERMUTE BPERMUTE.f BFPERMUTE BFPERMUTE.f DFPERMUTE DFPERMUTE.f EXTRACT EXTRACT.f REPLACE REPLACE.f RAND "
            "MAKE_SEGDES ");
  EXPECT_EQ(commuting, "+ +.f * *.f = =.f != !=.f AND AND OR OR XOR XOR ");
}

TEST(Facts, FunctionsWithEffects) {
  Program program;
  auto function = [&](const char* name, const std::function<void(Builder&, Var)>& write) {
    Builder f(program, name);
    Var a = f.parameter(Kind::kInt);
    write(f, a);
    f.ret({});
    return f;
  };
  function("divides", [](Builder& f, Var a) { f.op(Op::kDivide, Suffix::kInt, {a, a}); });
  function("halves", [](Builder& f, Var a) { f.op(Op::kDivide, Suffix::kInt, {a, f.constant(2)}); });
  Builder writes = function("writes", [](Builder& f, Var a) { f.ops(Op::kWrite, Suffix::kInt, {a}); });
  Builder calls = function("calls", [&](Builder& f, Var a) {
    f.choose(
        f.constant(true), [&] { return f.call(writes, {a}); }, [] { return std::vector<Var>{}; });
  });
  function("calls again", [&](Builder& f, Var a) { f.call(calls, {a}); });
  function("makes",
           [](Builder& f, Var a) { f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {a})}); });
  EXPECT_EQ(functions_with_effects(program), (std::vector<bool>{true, false, true, true, true, false}));
}

// --- inlining -------------------------------------------------------------------------------------------------

TEST(Inline, SmallOnesAndThoseCalledOnce) {
  Program program;
  Builder small(program, "small");
  Var x = small.parameter(Kind::kInt, "x");
  small.ret({small.op(Op::kNot, Suffix::kInt, {x})});
  Builder once(program, "once");
  Var y = once.parameter(Kind::kInt, "y");
  for (int k = 0; k < 3; ++k) y = once.call(small, {y})[0];
  once.ret({y});
  Builder unused(program, "unused");
  unused.ret({});
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a");
  main.ret({main.call(once, {a})[0], main.call(small, {a})[0]});
  program.entry = main.number();
  inline_calls(program, 1);
  EXPECT_EQ(text(program),
            "entry MAIN (a.0: Int)\n"
            "  x.3: Int = NOT INT a.0\n"
            "  x.4: Int = NOT INT x.3\n"
            "  v5: Int = NOT INT x.4\n"
            "  v6: Int = NOT INT a.0\n"
            "  ret v5 v6\n");
}

TEST(Inline, RecursiveOnesStay) {
  Program program;
  Builder f(program, "f");
  Var x = f.parameter(Kind::kInt, "x");
  f.will_return({x});
  f.ret(f.call(f, {x}));
  Builder main(program, "MAIN");
  main.ret(main.call(f, {main.constant(1)}));
  program.entry = main.number();
  const std::string before = text(program);
  inline_calls(program, 100);
  EXPECT_EQ(text(program), before);
}

TEST(Inline, SitesBecomeThoseOfTheCall) {
  Program program;
  Builder f(program, "f");
  Var x = f.parameter(Kind::kInt, "x");
  const Site library{"", 1, 1, "lib", "own words"}, user{"u", 2, 2, "user", "own words"};
  f.op(Op::kDivide, Suffix::kInt, {x, x});
  f.at(library, {x});
  f.op(Op::kRemainder, Suffix::kNone, {x, x});
  f.at(user, {x}, true);
  f.ret({});
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a"), b = main.parameter(Kind::kInt, "b");
  main.call(f, {a});
  main.at({"m", 3, 3, "main", ""}, {b}, true);
  main.call(f, {b});
  main.at({"m", 4, 4, "main", "call's words"}, {a});
  main.ret({});
  program.entry = main.number();
  inline_calls(program, 100);
  EXPECT_EQ(text(program),
            "entry MAIN (a.0: Int, b.1: Int)\n"
            "  v2: Int = / INT a.0 a.0  -- m:3:3 main \"own words\"  in a.0 b.1 .\n"
            "  v3: Int = % a.0 a.0  -- u:2:2 user \"own words\"  in a.0 .\n"
            "  v4: Int = / INT b.1 b.1  -- m:4:4 main \"call's words\"  in b.1 a.0\n"
            "  v5: Int = % b.1 b.1  -- u:2:2 user \"own words\"  in b.1 .\n"
            "  ret\n");
}

// --- simplification -------------------------------------------------------------------------------------------

TEST(Simplify, ConstantsAreComputed) {
  EXPECT_EQ(simplified([](Builder& f, Var, Var) -> std::vector<Var> {
              Var two = f.constant(2);
              return {f.op(Op::kMultiply, Suffix::kInt, {f.op(Op::kAdd, Suffix::kInt, {two, two}), f.constant(5)})};
            }),
            "  v5: Int scalar = CONST INT 20\n  ret v5\n");
}

TEST(Simplify, NothingThatDependsOnWidthsOrLibraries) {
  for (auto [op, a, b] :
       {std::tuple{Op::kMultiply, 65536, 65536}, std::tuple{Op::kAdd, INT32_MAX, 1}, std::tuple{Op::kDivide, 1, 0}}) {
    const std::string result = simplified([&, op = op, a = a, b = b](Builder& f, Var, Var) -> std::vector<Var> {
      return {f.op(op, Suffix::kInt, {f.constant(a), f.constant(b)})};
    });
    EXPECT_NE(result.find(fmt::format("= {} INT", info(op).text)), result.npos) << result;
  }
  for (auto [op, x] : {std::tuple{Op::kSin, 1.0}, std::tuple{Op::kSqrt, 4.0}}) {
    const std::string result = simplified([&, op = op, x = x](Builder& f, Var, Var) -> std::vector<Var> {
      return {f.op(op, Suffix::kNone, {f.constant(x)})};
    });
    EXPECT_NE(result.find(info(op).text), result.npos) << result;
  }
  // The square of 0.1 is rounded to another number if FLOAT has 32 bits, that of 0.5 is exact.
  auto square = [](double x) {
    return simplified([&](Builder& f, Var, Var) -> std::vector<Var> {
      return {f.op(Op::kMultiply, Suffix::kFloat, {f.constant(x), f.constant(x)})};
    });
  };
  EXPECT_NE(square(0.1).find("* FLOAT"), std::string::npos);
  EXPECT_NE(square(0.5).find("CONST FLOAT 0.25"), std::string::npos);
}

TEST(Simplify, EqualValuesBecomeOne) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              Var b = f.op(Op::kNot, Suffix::kInt, {a});
              return {f.op(Op::kAdd, Suffix::kInt, {a, b}),
                      f.op(Op::kAdd, Suffix::kInt, {f.op(Op::kNot, Suffix::kInt, {a}), a})};
            }),
            "  v2: Int = NOT INT a.0\n  v3: Int = + INT a.0 v2\n  ret v3 v3\n");
}

TEST(Simplify, RandomNumbersAreDrawnEachTime) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              f.op(Op::kRandom, Suffix::kNone, {a});
              return {f.op(Op::kRandom, Suffix::kNone, {a})};
            }),
            "  v2: Int = RAND a.0\n  v3: Int = RAND a.0\n  ret v3\n");
}

TEST(Simplify, BranchesSeeWhatIsAroundThem) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var s) -> std::vector<Var> {
              Var b = f.op(Op::kNot, Suffix::kInt, {a});
              Var c = f.op(Op::kIntToBool, Suffix::kNone, {f.op(Op::kSumReduce, Suffix::kInt, {a, s})});
              Var r = f.choose(
                  c,
                  [&] {
                    return std::vector{f.op(Op::kXor, Suffix::kInt, {a, f.op(Op::kNot, Suffix::kInt, {a})})};
                  },
                  [&] { return std::vector{b}; })[0];
              // Not visible here.
              return {f.op(Op::kXor, Suffix::kInt, {a, b}), r};
            }),
            "  v2: Int = NOT INT a.0\n"
            "  v3: Int = +_REDUCE INT a.0 s.1\n"
            "  v4: Bool = I_TO_B v3\n"
            "  v7: Int = IF v4\n"
            "  then\n"
            "    v6: Int = XOR INT a.0 v2\n"
            "    yield v6\n"
            "  else\n"
            "    yield v2\n"
            "  v8: Int = XOR INT a.0 v2\n"
            "  ret v8 v7\n");
}

TEST(Simplify, KnownConditions) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              Var c = f.op(Op::kLess, Suffix::kInt, {f.constant(1), f.constant(2)});
              return f.choose(
                  c, [&] { return std::vector{f.op(Op::kNot, Suffix::kInt, {a})}; }, [&] { return std::vector{a}; });
            }),
            "  v5: Int = NOT INT a.0\n  ret v5\n");
}

TEST(Simplify, ResultsOfIfThatAreNotNeeded) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              Var c = f.op(Op::kIntToBool, Suffix::kNone, {a});
              Var no = f.op(Op::kNot, Suffix::kBool, {c});
              std::vector<Var> r = f.choose(
                  no,
                  [&] {
                    Var b = f.op(Op::kNot, Suffix::kInt, {a});
                    return std::vector{b, a, f.constant(1), f.op(Op::kAdd, Suffix::kInt, {a, b})};
                  },
                  [&] {
                    return std::vector{a, a, f.constant(1), a};
                  });
              return {r[1], r[2], r[3]};
            }),
            "  v2: Bool = I_TO_B a.0\n"
            "  v10: Int scalar = CONST INT 1\n"
            "  v11: Int = IF v2\n"
            "  then\n"
            "    yield a.0\n"
            "  else\n"
            "    v4: Int = NOT INT a.0\n"
            "    v6: Int = + INT a.0 v4\n"
            "    yield v6\n"
            "  ret a.0 v10 v11\n");
}

TEST(Simplify, LengthsAndDescriptors) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var s) -> std::vector<Var> {
              Var n = f.op(Op::kLength, Suffix::kInt, {a});
              Var whole = f.op(Op::kMakeSegdes, Suffix::kNone, {n});
              Var b = f.op(Op::kNot, Suffix::kInt, {a});
              Var m = f.op(Op::kLength, Suffix::kInt, {b});
              Var again = f.op(Op::kMakeSegdes, Suffix::kNone, {m});
              Var same = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLengths, Suffix::kNone, {s})});
              return {b, whole, again, same, f.op(Op::kLengths, Suffix::kNone, {whole})};
            }),
            "  v2: Int = LENGTH INT a.0\n  v3: Segdes = MAKE_SEGDES v2\n  v4: Int = NOT INT a.0\n"
            "  ret v4 v3 v3 s.1 v2\n");
}

TEST(Simplify, NeutralElements) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var s) -> std::vector<Var> {
              Var zero = f.op(Op::kDist, Suffix::kInt, {f.constant(0), s});
              Var one = f.op(Op::kDist, Suffix::kInt, {f.constant(1), s});
              Var b = f.op(Op::kAdd, Suffix::kInt, {zero, a});
              Var c = f.op(Op::kMultiply, Suffix::kInt, {b, one});
              Var d = f.op(Op::kDivide, Suffix::kInt, {c, one});
              return {f.op(Op::kShiftLeft, Suffix::kNone, {d, zero})};
            }),
            "  ret a.0\n");
  // -0.0 + 0.0 is 0.0.
  EXPECT_NE(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              return {f.op(Op::kAdd, Suffix::kFloat, {f.op(Op::kIntToFloat, Suffix::kNone, {a}), f.constant(0.0)})};
            }).find("+ FLOAT"),
            std::string::npos);
}

TEST(Simplify, DistributionComesLast) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var s) -> std::vector<Var> {
              Var x = f.op(Op::kDist, Suffix::kInt, {a, s});
              Var y = f.op(Op::kDist, Suffix::kInt, {f.op(Op::kNot, Suffix::kInt, {a}), s});
              return {f.op(Op::kLess, Suffix::kInt, {x, y})};
            }),
            "  v3: Int = NOT INT a.0\n  v6: Bool = < INT a.0 v3\n  v5: Bool = DIST BOOL v6 s.1\n  ret v5\n");
  // The division must not fail for segments without elements.
  EXPECT_NE(simplified([](Builder& f, Var a, Var s) -> std::vector<Var> {
              Var x = f.op(Op::kDist, Suffix::kInt, {a, s});
              return {f.op(Op::kDivide, Suffix::kInt, {x, x})};
            }).find("/ INT v2 v2"),
            std::string::npos);
}

TEST(Simplify, EffectsStay) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              f.op(Op::kDivide, Suffix::kInt, {a, a});
              f.op(Op::kDivide, Suffix::kInt, {a, f.constant(3)});
              f.op(Op::kSin, Suffix::kNone, {f.op(Op::kIntToFloat, Suffix::kNone, {a})});
              f.ops(Op::kWrite, Suffix::kInt, {a});
              return {};
            }),
            "  v2: Int = / INT a.0 a.0\n  v7: Int, v8: Bool = WRITE INT a.0\n  ret\n");
}

TEST(Simplify, EqualConstantsAreMerged) {
  Program program;
  Builder main(program, "MAIN");
  main.ret({main.constant(1), main.constant(1), main.constant(0.0), main.constant(-0.0)});
  simplify(program);
  EXPECT_EQ(program.constants.size(), 3u);
  EXPECT_EQ(text(program),
            "entry MAIN ()\n  v0: Int scalar = CONST INT 1\n  v2: Float scalar = CONST FLOAT 0.0\n"
            "  v3: Float scalar = CONST FLOAT -0.0\n  ret v0 v0 v2 v3\n");
}

// --- parameters -----------------------------------------------------------------------------------------------

TEST(DeadParameters, AlsoWhatIsOnlyHandedOn) {
  Program program;
  Builder f(program, "f");
  Var n = f.parameter(Kind::kInt, "n"), vain = f.parameter(Kind::kInt, "vain");
  Var c = f.op(Op::kIntToBool, Suffix::kNone, {n});
  f.will_return({n, vain});
  std::vector<Var> r = f.choose(
      c,
      [&] {
        Var m = f.op(Op::kSubtract, Suffix::kInt, {n, f.constant(1)});
        return f.call(f, {m, f.op(Op::kNot, Suffix::kInt, {vain})});
      },
      [&] {
        return std::vector{n, vain};
      });
  f.ret(r);
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a");
  main.ret({main.call(f, {a, main.constant(1)})[0]});
  program.entry = main.number();
  remove_dead_parameters(program);
  EXPECT_EQ(text(program),
            "function f (n.0: Int)\n"
            "  v2: Bool = I_TO_B n.0\n"
            "  v8: Int = IF v2\n"
            "  then\n"
            "    v3: Int scalar = CONST INT 1\n"
            "    v4: Int = - INT n.0 v3\n"
            "    v6: Int = CALL f v4\n"
            "    yield v6\n"
            "  else\n"
            "    yield n.0\n"
            "  ret v8\n"
            "\n"
            "entry MAIN (a.0: Int)\n"
            "  v2: Int = CALL f a.0\n"
            "  ret v2\n");
}

TEST(Passes, TimeIsNearlyLinear) {
  Program program;
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt), b = a;
  for (int k = 0; k < 100'000; ++k) b = main.op(k % 2 ? Op::kAdd : Op::kXor, Suffix::kInt, {a, b});
  main.ret({b});
  const auto start = std::chrono::steady_clock::now();
  simplify(program);
  remove_dead_parameters(program);
  inline_calls(program, 100);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 10);
  EXPECT_EQ(program.functions[0].body.bindings.size(), 100'000u);
}

}  // namespace
}  // namespace vcode::letform::testing

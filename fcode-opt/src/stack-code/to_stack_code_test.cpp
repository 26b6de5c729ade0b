#include <chrono>

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "fcode-opt/stack_code.h"
#include "letform_builder.h"
#include "vcode/printer.h"
#include "vcode/validator.h"

namespace vcode::letform::testing {
namespace {

/// Instructions of the functions, checked by the validator.
std::string code(const Program& program) {
  EXPECT_EQ(verify(program), "");
  vcode::Program written = to_stack_code(program);
  const std::string text = print_vcode(written);
  base::Source source("p", text);
  base::Diagnostics diagnostics;
  validate(written, {}, true, diagnostics);
  EXPECT_EQ(base::render(source, diagnostics), "") << text;
  return text;
}

/// Instructions of a function of two vectors, without FUNC and RET.
std::string body(const std::function<std::vector<Var>(Builder&, Var, Var)>& write) {
  Program program;
  Builder f(program, "f");
  Var a = f.parameter(Kind::kInt, "a"), b = f.parameter(Kind::kInt, "b");
  f.ret(write(f, a, b));
  Builder main(program, "MAIN");
  std::vector<Var> arguments{main.constant(1), main.constant(2)};
  main.ret(main.call(f, arguments));
  program.entry = main.number();
  const std::string text = code(program);
  const std::size_t from = text.find("FUNC f\n") + 7;
  return text.substr(from, text.find("RET", from) - from);
}

Var sum(Builder& f, Var a, Var b) { return f.op(Op::kAdd, Suffix::kInt, {a, b}); }
Var difference(Builder& f, Var a, Var b) { return f.op(Op::kSubtract, Suffix::kInt, {a, b}); }

TEST(StackCode, OperandsInPlaceCostNothing) {
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> { return {difference(f, a, b)}; }), "- INT\n");
}

TEST(StackCode, OnlyOperandsInWrongOrderAreMoved) {
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> { return {difference(f, b, a)}; }),
            "CPOP 1 1\n- INT\n");
  EXPECT_EQ(body([](Builder&, Var a, Var b) -> std::vector<Var> { return {b, a}; }), "CPOP 1 1\n");
  EXPECT_EQ(body([](Builder&, Var a, Var b) -> std::vector<Var> { return {a, b}; }), "");
}

TEST(StackCode, OperandsThatCommuteMayBeExchanged) {
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> { return {sum(f, b, a)}; }), "+ INT\n");
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> {
              return {a, sum(f, f.op(Op::kNot, Suffix::kInt, {a}), b)};
            }),
            "COPY 1 1\nNOT INT\n+ INT\n");
}

TEST(StackCode, ValuesWithLaterUsesAreCopied) {
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> {
              return {difference(f, b, b), a};
            }),
            "COPY 1 0\n- INT\nCPOP 1 1\n");
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> {
              return {a, b, difference(f, a, b)};
            }),
            "COPY 2 0\n- INT\n");
}

TEST(StackCode, DeadValuesAreDroppedAtOnce) {
  EXPECT_EQ(body([](Builder&, Var, Var) -> std::vector<Var> { return {}; }), "POP 2 0\n");
  EXPECT_EQ(body([](Builder& f, Var a, Var) -> std::vector<Var> { return {f.op(Op::kNot, Suffix::kInt, {a})}; }),
            "POP 1 0\nNOT INT\n");
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> {
              f.ops(Op::kWrite, Suffix::kInt, {b});
              return {a};
            }),
            "WRITE INT\nPOP 2 0\n");
}

TEST(StackCode, ValuesUsedOnceAreComputedWhereTheyAreNeeded) {
  // a and the constant are below the product although the product is computed first.
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> {
              Var product = f.op(Op::kMultiply, Suffix::kInt, {b, b});
              return {a, difference(f, f.constant(7), difference(f, a, product))};
            }),
            "CONST INT 7\nCOPY 1 2\nCPOP 1 2\nCOPY 1 0\n* INT\n- INT\n- INT\n");
}

TEST(StackCode, ShortConstantsAreRepeated) {
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> {
              Var one = f.constant(1);
              return {difference(f, a, one), difference(f, b, one)};
            }),
            "CPOP 1 1\nCONST INT 1\n- INT\nCPOP 1 1\nCONST INT 1\n- INT\n");
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> {
              Var many = f.constant({1, 2, 3, 4, 5, 6, 7, 8, 9});
              return {a, b, many, many};
            }),
            "CONST INT (1 2 3 4 5 6 7 8 9)\nCOPY 1 0\n");
}

TEST(StackCode, SchedulingExtendsNoLiveRangeOfAVector) {
  // LENGTH of b waits for its use, as b is needed later; LENGTH of a runs at once, so that a can go.
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> {
              Var na = f.op(Op::kLength, Suffix::kInt, {a}), nb = f.op(Op::kLength, Suffix::kInt, {b});
              f.ops(Op::kWrite, Suffix::kInt, {b});
              Var both = difference(f, na, nb);
              return {both, b};
            }),
            "CPOP 1 1\nLENGTH INT\nCOPY 1 1\nWRITE INT\nPOP 2 0\nCOPY 1 1\nLENGTH INT\n- INT\nCPOP 1 1\n");
}

TEST(StackCode, EffectsStayInOrder) {
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> {
              Var quotient = f.op(Op::kDivide, Suffix::kInt, {a, b});
              Var rest = f.op(Op::kRemainder, Suffix::kNone, {a, b});
              return {rest, quotient};
            }),
            "COPY 2 0\n/ INT\nCPOP 2 1\n%\nCPOP 1 1\n");
}

TEST(StackCode, TimedOperationsStayBetweenTheTimers) {
  for (const bool time_last : {false, true}) {
    const std::string code = body([&](Builder& f, Var a, Var) -> std::vector<Var> {
      f.ops(Op::kStartTimer, Suffix::kNone, {});
      Var timed = f.op(Op::kNot, Suffix::kInt, {a});
      Var time = f.op(Op::kStopTimer, Suffix::kNone, {});
      Var later = difference(f, a, timed);
      return time_last ? std::vector{later, time} : std::vector{time, later};
    });
    EXPECT_LT(code.find("START_TIMER"), code.find("NOT INT")) << code;
    EXPECT_LT(code.find("NOT INT"), code.find("STOP_TIMER")) << code;
    EXPECT_LT(code.find("STOP_TIMER"), code.find("- INT")) << code;
  }
}

TEST(StackCode, BranchesDropValuesThatOnlyTheOtherNeeds) {
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> {
              Var c = f.constant(true);
              return f.choose(
                  c, [&] { return std::vector{difference(f, a, a)}; }, [&] { return std::vector{b}; });
            }),
            "CONST BOOL T\nIF\nPOP 1 0\nCOPY 1 0\n- INT\nELSE\nPOP 1 1\nENDIF\n");
}

TEST(StackCode, BranchesKeepValuesNeededLater) {
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> {
              Var c = f.op(Op::kLess, Suffix::kInt, {a, b});
              std::vector<Var> r = f.choose(
                  c, [&] { return std::vector{difference(f, a, b)}; }, [&] { return std::vector{a}; });
              return {r[0], a};
            }),
            "COPY 2 0\n< INT\nIF\nCOPY 1 1\nCPOP 1 1\n- INT\nELSE\nPOP 1 0\nCOPY 1 0\nENDIF\nCPOP 1 1\n");
}

TEST(StackCode, EmptyElseIsLeftOut) {
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> {
              Var c = f.op(Op::kLess, Suffix::kInt, {a, b});
              return f.choose(
                  c,
                  [&] {
                    return std::vector<Var>{f.op(Op::kNot, Suffix::kInt, {a}), b};
                  },
                  [&] {
                    return std::vector<Var>{a, b};
                  });
            }),
            "COPY 2 0\n< INT\nIF\nCPOP 1 1\nNOT INT\nCPOP 1 1\nENDIF\n");
}

TEST(StackCode, AllResultsOfAnOperationBecomeOperandsInPlace) {
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> {
              Var s = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {a})});
              std::vector<Var> packed = f.ops(Op::kPack, Suffix::kInt, {a, f.op(Op::kLess, Suffix::kInt, {a, b}), s});
              return {f.op(Op::kSumReduce, Suffix::kInt, packed)};
            }),
            "COPY 1 1\nCPOP 1 1\n< INT\nCOPY 1 1\nLENGTH INT\nMAKE_SEGDES\nPACK INT\n+_REDUCE INT\n");
}

TEST(StackCode, SitesAreWrittenWithTheirNests) {
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> {
              Var one = f.constant({1, 2});
              Var quotient = f.op(Op::kDivide, Suffix::kInt, {f.op(Op::kNot, Suffix::kInt, {b}), one});
              f.at({"x.nesl", 3, 14, "g", "bad"}, {b, one, a}, true);
              return {quotient};
            }),
            "COPY 1 0\nNOT INT\nCONST INT (1 2)\n/ INT {@x.nesl:3:14|g|bad|2 0 3 .}\nPOP 2 1\n");
}

TEST(StackCode, NestFindsAConstantRepeatedForAnotherOperand) {
  EXPECT_EQ(body([](Builder& f, Var a, Var b) -> std::vector<Var> {
              Var one = f.constant(1);
              Var result = difference(f, one, difference(f, a, one));
              f.at({"x.nesl", 3, 14, "g", "bad"}, {one}, true);
              return {b, result};
            }),
            "CONST INT 1\nCPOP 1 2\nCONST INT 1\n- INT\n- INT {@x.nesl:3:14|g|bad|1 .}\n");
}

TEST(StackCode, NestFindsTheOperandAfterTheOriginalHasLeft) {
  EXPECT_EQ(
      body([](Builder& f, Var a, Var b) -> std::vector<Var> {
        Var inner = f.op(Op::kNot, Suffix::kInt, {b});
        f.at({"x.nesl", 3, 14, "g", "bad"}, {a}, true);
        Var outer = difference(f, a, inner);
        f.at({"x.nesl", 4, 1, "g", "worse"}, {a}, true);
        return {a, outer};
      }),
      "COPY 1 1\nCOPY 1 2\nCPOP 1 2\nNOT INT {@x.nesl:3:14|g|bad|3 .}\nPOP 1 3\n- INT {@x.nesl:4:1|g|worse|1 .}\n");
}

/// Code of a function that passes a descriptor, which is also the nest of the call, to another function. With `ends`
/// the call is the last operation.
std::string call_with_nest(bool ends) {
  Program program;
  Builder half(program, "HALF");
  const Var x = half.parameter(Kind::kSegdes, "x");
  half.ret({half.op(Op::kLengths, Suffix::kNone, {x})});
  Builder main(program, "MAIN");
  const Var s = main.parameter(Kind::kSegdes, "s");
  const Var result = main.call(half, {s})[0];
  main.at({"x.nesl", 3, 14, "g", ""}, {s});
  main.ret({ends ? result : main.op(Op::kNot, Suffix::kInt, {result})});
  program.entry = main.number();
  const std::string text = print_vcode(to_stack_code(program));
  const std::size_t begin = text.find("FUNC MAIN\n");
  return text.substr(begin, text.find("RET\n", begin) - begin);
}

TEST(StackCode, NestOfACallStaysBelowItsOperands) {
  EXPECT_EQ(call_with_nest(false), "FUNC MAIN\nCOPY 1 0\nCALL HALF {@x.nesl:3:14|g||1}\nPOP 1 1\nNOT INT\n");
}

TEST(StackCode, TailCallLeavesNothingOnTheStack) {
  EXPECT_EQ(call_with_nest(true), "FUNC MAIN\nCALL HALF {@x.nesl:3:14|g||0}\n");
}

TEST(StackCode, NamesAreLegalAndDistinct) {
  Program program;
  Builder main(program, "start");
  std::string long_name(60, 'x');
  std::vector<Builder> functions;
  for (const std::string& name : {long_name, long_name + "y", std::string("MAIN"), std::string("IF"), std::string("12"),
                                  std::string("a'b"), std::string("start")})
    functions.emplace_back(program, name).ret({});
  for (const Builder& f : functions) main.call(f, {});
  main.ret({});
  vcode::Program written = to_stack_code(program);
  std::vector<std::string> names;
  for (const vcode::Function& function : written.functions) names.push_back(function.name);
  EXPECT_EQ(names, (std::vector<std::string>{"start", std::string(49, 'x'), std::string(47, 'x') + "_2", "MAIN_2",
                                             "IF_", "_12", "a_b", "start_2"}));
}

TEST(StackCode, DeepIfsBecomeFunctions) {
  constexpr int kDepth = 200;
  Program program;
  Builder main(program, "MAIN");
  Var c = main.constant(true);
  std::function<std::vector<Var>(int)> nested = [&](int depth) -> std::vector<Var> {
    if (depth == 0) return {c};
    return main.choose(
        c, [&] { return nested(depth - 1); }, [&] { return std::vector{main.constant(false)}; });
  };
  main.ret(nested(kDepth));
  vcode::Program written = to_stack_code(program);
  for (const vcode::Function& function : written.functions) {
    int depth = 0;
    for (std::size_t k = 0; k < function.body.size(); ++k) {
      depth += (function.body[k].statement == Statement::kIf) - (function.body[k].statement == Statement::kEndif);
      EXPECT_LE(depth, 45);
      if (function.body[k].statement != Statement::kIf) continue;
      EXPECT_EQ(function.body[function.body[k].target].statement, Statement::kElse);
    }
  }
  EXPECT_EQ(written.functions.size(), 5u);
  code(program);
}

TEST(StackCode, TimeIsNearlyLinear) {
  constexpr int kBindings = 100'000;
  auto seconds = [](const Program& program) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_GE(to_stack_code(program).functions[0].body.size(), static_cast<std::size_t>(kBindings));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // All values are live until the end.
  Program wide;
  Builder f(wide, "MAIN");
  std::vector<Var> all{f.constant(1)};
  for (int k = 0; k < kBindings; ++k) all.push_back(f.op(Op::kNot, Suffix::kInt, {all.back()}));
  f.ret(std::vector<Var>(all.rbegin(), all.rend()));
  EXPECT_LT(seconds(wide), 10);
  // A chain: each value is used only by the next one.
  Program deep;
  Builder g(deep, "MAIN");
  Var v = g.constant(1);
  for (int k = 0; k < kBindings; ++k) v = g.op(Op::kNot, Suffix::kInt, {v});
  g.ret({v});
  EXPECT_LT(seconds(deep), 10);
}

}  // namespace
}  // namespace vcode::letform::testing

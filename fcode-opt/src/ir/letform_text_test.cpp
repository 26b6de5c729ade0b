#include <gtest/gtest.h>

#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

TEST(LetForm, TextShowsBindingsAndSites) {
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

/// Complaint of verify() about a program after `spoil` has changed its function.
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

TEST(Verify, NamesTheMistake) {
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

}  // namespace
}  // namespace vcode::letform::testing

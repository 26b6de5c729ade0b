#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

/// Text after the pass of a function of (a: Int, c: Bool).
std::string hoisted(const std::function<std::vector<Var>(Builder&, Var, Var)>& write) {
  Program program;
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a"), c = main.parameter(Kind::kBool, "c", true);
  main.ret(write(main, a, c));
  EXPECT_EQ(verify(program), "");
  hoist_common_bindings(program);
  return text(program);
}

TEST(HoistCommon, HoistsBindingsThatBothBranchesCompute) {
  EXPECT_EQ(hoisted([](Builder& f, Var a, Var c) {
              return f.choose(
                  c,
                  [&] {
                    Var b = f.op(Op::kNot, Suffix::kInt, {a});
                    return std::vector{f.op(Op::kAdd, Suffix::kInt, {f.op(Op::kXor, Suffix::kInt, {a, b}), b})};
                  },
                  [&] {
                    f.op(Op::kNot, Suffix::kInt, {a});
                    Var b = f.op(Op::kNot, Suffix::kInt, {a});
                    return std::vector{f.op(Op::kXor, Suffix::kInt, {b, a})};
                  });
            }),
            "entry MAIN (a.0: Int, c.1: Bool scalar)\n"
            "  v2: Int = NOT INT a.0\n"
            "  v3: Int = XOR INT a.0 v2\n"
            "  v8: Int = IF c.1\n"
            "  then\n"
            "    v4: Int = + INT v3 v2\n"
            "    yield v4\n"
            "  else\n"
            "    yield v3\n"
            "  ret v8\n");
}

TEST(HoistCommon, KeepsOperationsThatFaultOrDraw) {
  for (auto [op, suffix] : {std::pair{Op::kDivide, Suffix::kInt}, std::pair{Op::kRandom, Suffix::kNone}}) {
    auto both = [op = op, suffix = suffix](Builder& f, Var a, Var c) {
      auto branch = [&] {
        return std::vector{f.op(op, suffix, op == Op::kRandom ? std::vector{a} : std::vector{a, a})};
      };
      return f.choose(c, branch, branch);
    };
    const std::string all = hoisted(both);
    EXPECT_LT(all.find("= IF"), all.find(info(op).text)) << all;
  }
}

// Let-form from the NESL compiler states that lengths agree, but they agree only after their checks.
TEST(HoistCommon, KeepsOperationsOnSeveralVectorsAfterACheck) {
  const std::string all = hoisted([](Builder& f, Var a, Var c) {
    auto branch = [&] {
      const Var b = f.constant(std::vector<std::int64_t>{1, 2}), twice = f.op(Op::kNot, Suffix::kInt, {b});
      f.ops(Op::kAssert, Suffix::kNone, {c});
      return std::vector{f.op(Op::kAdd, Suffix::kInt, {a, twice}), f.op(Op::kNot, Suffix::kInt, {a})};
    };
    return f.choose(c, branch, branch);
  });
  const std::size_t choice = all.find("= IF");
  EXPECT_LT(choice, all.find("= + INT")) << all;
  EXPECT_GT(choice, all.find("= NOT INT a.0")) << all;
}

}  // namespace
}  // namespace vcode::letform::testing

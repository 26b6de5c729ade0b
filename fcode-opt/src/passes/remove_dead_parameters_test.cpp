#include <gtest/gtest.h>

#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

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

}  // namespace
}  // namespace vcode::letform::testing

#include "testing.h"

namespace vcode::letform::testing {
namespace {

/// f (x, up, n) calls itself until n is done; up says what happens to x. MAIN calls it with both.
Program make_program() {
  Program program;
  Builder f(program, "f");
  Var x = f.parameter(Kind::kInt, "x"), up = f.parameter(Kind::kBool, "up"), n = f.parameter(Kind::kInt, "n");
  f.will_return({x});
  f.ret(f.choose(
      f.op(Op::kIntToBool, Suffix::kNone, {n}),
      [&] {
        Var y = f.choose(
            f.op(Op::kNot, Suffix::kBool, {up}), [&] { return std::vector{f.op(Op::kNot, Suffix::kInt, {x})}; },
            [&] {
              return std::vector{f.op(Op::kAdd, Suffix::kInt, {x, x})};
            })[0];
        return f.call(f, {y, up, f.op(Op::kXor, Suffix::kInt, {n, n})});
      },
      [&] { return std::vector{x}; }));
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a"), n2 = main.parameter(Kind::kInt, "n"), b = main.parameter(Kind::kBool, "b");
  main.ret({main.call(f, {a, main.constant(true), n2})[0], main.call(f, {a, b, n2})[0]});
  program.entry = main.number();
  return program;
}

TEST(Specialize, OneVersionForAConstantThatIsHandedOn) {
  Program program = make_program();
  specialize(program, 100);
  EXPECT_EQ(program.functions.size(), 3u);
  EXPECT_EQ(verify(program), "");
  simplify(program);
  remove_dead_parameters(program);
  simplify(program);
  const std::string all = text(program), version = all.substr(all.rfind("function f"));
  EXPECT_EQ(version,
            "function f (x.0: Int, n.2: Int)\n"
            "  v3: Bool = I_TO_B n.2\n"
            "  v10: Int = IF v3\n"
            "  then\n"
            "    v6: Int = + INT x.0 x.0\n"
            "    v8: Int = XOR INT n.2 n.2\n"
            "    v9: Int = CALL f v6 v8\n"
            "    yield v9\n"
            "  else\n"
            "    yield x.0\n"
            "  ret v10\n");
}

TEST(Specialize, NotBeyondTheLimitNorInVain) {
  Program program = make_program();
  const std::string before = text(program);
  specialize(program, 3);
  EXPECT_EQ(text(program), before);
  Program in_vain;
  Builder g(in_vain, "g");
  Var x = g.parameter(Kind::kInt, "x"), y = g.parameter(Kind::kInt, "y");
  g.ret({g.op(Op::kAdd, Suffix::kInt, {x, y})});
  Builder main(in_vain, "MAIN");
  main.ret(main.call(g, {main.parameter(Kind::kInt, "a"), main.constant(1)}));
  in_vain.entry = main.number();
  const std::string unchanged = text(in_vain);
  specialize(in_vain, 100);
  EXPECT_EQ(text(in_vain), unchanged);
}

}  // namespace
}  // namespace vcode::letform::testing

#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

/// f (x, up, n) calls itself until n is 0; `up` selects the operation on x. MAIN calls f with both values of `up`.
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

TEST(Specialize, OneVersionServesARecursionWithAConstant) {
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

TEST(Specialize, VersionsNeedRoomAndADecidedIf) {
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

TEST(Specialize, DescriptorOfOneSegmentGetsAVersion) {
  Program program;
  Builder f(program, "f");
  Var x = f.parameter(Kind::kInt, "x"), s = f.parameter(Kind::kSegdes, "s");
  f.ret({f.op(Op::kSumReduce, Suffix::kInt, {x, s})});
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a"), d = main.parameter(Kind::kSegdes, "d");
  Var flat = main.op(Op::kMakeSegdes, Suffix::kNone, {main.op(Op::kLength, Suffix::kInt, {a})});
  main.ret({main.call(f, {a, d})[0], main.call(f, {a, flat})[0], main.call(f, {a, flat})[0]});
  program.entry = main.number();
  infer_scalars(program);
  specialize(program, 100);
  EXPECT_EQ(text(program),
            "function f (x.0: Int, s.1: Segdes)\n"
            "  v2: Int = +_REDUCE INT x.0 s.1\n"
            "  ret v2\n"
            "\n"
            "entry MAIN (a.0: Int, d.1: Segdes)\n"
            "  v2: Int scalar = LENGTH INT a.0\n"
            "  v3: Segdes scalar = MAKE_SEGDES v2\n"
            "  v4: Int = CALL f a.0 d.1\n"
            "  v5: Int = CALL f a.0 v3\n"
            "  v6: Int = CALL f a.0 v3\n"
            "  ret v4 v5 v6\n"
            "\n"
            "function f (x.0: Int, s.1: Segdes scalar)\n"
            "  v2: Int scalar = +_REDUCE INT x.0 s.1\n"
            "  ret v2\n");
}

/// The descriptor of a PACK over one segment has one segment, too.
TEST(Specialize, RecursionOverOneSegmentStaysInItsVersion) {
  Program program;
  Builder f(program, "f");
  Var x = f.parameter(Kind::kInt, "x"), flags = f.parameter(Kind::kBool, "flags"), s = f.parameter(Kind::kSegdes, "s");
  f.will_return({x});
  const std::vector<Var> kept = f.ops(Op::kPack, Suffix::kInt, {x, flags, s});
  Var none = f.op(Op::kIntToBool, Suffix::kNone, {kept[0]});
  f.ret(f.call(f, {kept[0], none, kept[1]}));
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a"), b = main.parameter(Kind::kBool, "b"), d = main.parameter(Kind::kSegdes, "d");
  Var flat = main.op(Op::kMakeSegdes, Suffix::kNone, {main.op(Op::kLength, Suffix::kInt, {a})});
  main.ret({main.call(f, {a, b, d})[0], main.call(f, {a, b, flat})[0]});
  program.entry = main.number();
  infer_scalars(program);
  specialize(program, 100);
  ASSERT_EQ(program.functions.size(), 3u);
  EXPECT_EQ(verify(program), "");
  EXPECT_EQ(program.functions[0].body.bindings.back().target, 0u);
  EXPECT_EQ(program.functions[2].body.bindings.back().target, 2u);
}

TEST(Specialize, OneSegmentThatMakesNothingScalarGetsNoVersion) {
  Program program;
  Builder f(program, "f");
  Var x = f.parameter(Kind::kInt, "x"), s = f.parameter(Kind::kSegdes, "s");
  f.ret({f.op(Op::kSumScan, Suffix::kInt, {x, s})});
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a"), d = main.parameter(Kind::kSegdes, "d");
  Var flat = main.op(Op::kMakeSegdes, Suffix::kNone, {main.op(Op::kLength, Suffix::kInt, {a})});
  main.ret({main.call(f, {a, d})[0], main.call(f, {a, flat})[0]});
  program.entry = main.number();
  infer_scalars(program);
  specialize(program, 100);
  EXPECT_EQ(program.functions.size(), 2u);
}

TEST(Specialize, ConstantsDividedIntoPiecesGetNoVersion) {
  Program program = make_program();
  program.functions[0].piece_operands = {
      {PieceOperand::How::kEach}, {PieceOperand::How::kEach}, {PieceOperand::How::kShared}};
  specialize(program, 100);
  EXPECT_EQ(program.functions.size(), 2u);
  program.functions[0].piece_operands[1].how = PieceOperand::How::kShared;
  specialize(program, 100);
  EXPECT_EQ(program.functions.size(), 3u);
}

}  // namespace
}  // namespace vcode::letform::testing

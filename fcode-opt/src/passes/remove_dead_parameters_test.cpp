#include <gtest/gtest.h>

#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

TEST(DeadParameters, ParametersOnlyPassedOnInRecursionAreRemoved) {
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

TEST(DeadParameters, ParametersThatDivideOthersIntoPiecesStay) {
  Program program;
  Builder f(program, "f");
  f.parameter(Kind::kInt, "dead");
  Var d = f.parameter(Kind::kSegdes, "d"), x = f.parameter(Kind::kInt, "x");
  f.parameter(Kind::kInt, "unused");
  f.ret({f.op(Op::kNot, Suffix::kInt, {x})});
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a"), s = main.parameter(Kind::kSegdes, "s");
  main.ret({main.call(f, {a, s, a, a})[0]});
  program.entry = main.number();
  using How = PieceOperand::How;
  program.functions[f.number()].piece_operands = {{How::kEach}, {How::kEach}, {How::kEach, 1}, {How::kEach, 1}};
  ASSERT_EQ(verify(program), "");
  remove_dead_parameters(program);
  EXPECT_EQ(verify(program), "");
  EXPECT_EQ(program.functions[f.number()].parameters, (std::vector{d, x}));
  EXPECT_EQ(program.functions[f.number()].piece_operands, (PieceOperands{{How::kEach}, {How::kEach, 0}}));
}

TEST(DeadParameters, ParameterThatNumbersInstancesInPiecesStays) {
  Program program;
  Builder f(program, "f");
  f.parameter(Kind::kSegdes, "space");
  Var link = f.parameter(Kind::kSegdes, "link"), all = f.parameter(Kind::kSegdes, "all"), x = f.parameter(Kind::kInt);
  f.ret({f.op(Op::kNot, Suffix::kInt, {x})});
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a"), s = main.parameter(Kind::kSegdes, "s");
  main.ret({main.call(f, {s, s, s, a})[0]});
  program.entry = main.number();
  using How = PieceOperand::How;
  program.functions[f.number()].piece_operands = {{How::kWhole}, {How::kEach}, {How::kWhole, 1}, {How::kEach, 1}};
  remove_dead_parameters(program);
  EXPECT_EQ(program.functions[f.number()].parameters, (std::vector{link, all, x}));
  EXPECT_EQ(program.functions[f.number()].piece_operands,
            (PieceOperands{{How::kEach}, {How::kWhole, 0}, {How::kEach, 0}}));
}

TEST(DeadParameters, FunctionWithoutIndexSpaceLosesItsPieces) {
  Program program;
  Builder f(program, "f");
  f.parameter(Kind::kInt, "dead");
  Var shared = f.parameter(Kind::kInt, "shared");
  f.ret({f.op(Op::kNot, Suffix::kInt, {shared})});
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a");
  main.ret({main.call(f, {a, a})[0]});
  program.entry = main.number();
  program.functions[f.number()].piece_operands = {{PieceOperand::How::kEach}, {PieceOperand::How::kShared}};
  remove_dead_parameters(program);
  EXPECT_TRUE(program.functions[f.number()].piece_operands.empty());
}

}  // namespace
}  // namespace vcode::letform::testing

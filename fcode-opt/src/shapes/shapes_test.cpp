#include "fcode-opt/shapes.h"

#include <optional>

#include <gtest/gtest.h>

#include "letform_builder.h"

namespace vcode::letform::testing {
namespace {

/// A program with one function f of (a: Int, b: Int, s: Segdes, t: Segdes), and the facts known at its end.
class ShapesTest : public ::testing::Test {
 protected:
  Shapes behind() {
    facts_ = find_shape_facts(program);
    Shapes shapes(program, program.functions[0], facts_);
    for (const Binding& binding : program.functions[0].body.bindings) shapes.note(binding);
    return shapes;
  }

  Program program;
  Builder f{program, "f"};
  Var a = f.parameter(Kind::kInt), b = f.parameter(Kind::kInt);
  Var s = f.parameter(Kind::kSegdes), t = f.parameter(Kind::kSegdes);

 private:
  ShapeFacts facts_;
};

TEST_F(ShapesTest, CheckTeachesThatNumbersAreEqual) {
  const Var length = f.op(Op::kLength, Suffix::kInt, {a}), other = f.op(Op::kLength, Suffix::kInt, {b});
  f.op(Op::kAssert, Suffix::kNone, {f.op(Op::kEqual, Suffix::kInt, {length, other})});
  f.ret({});
  const ShapeFacts facts = find_shape_facts(program);
  Shapes shapes(program, program.functions[0], facts);
  const std::vector<Binding>& bindings = program.functions[0].body.bindings;
  for (std::size_t k = 0; k < 3; ++k) shapes.note(bindings[k]);
  EXPECT_FALSE(shapes.same_elements(a, b));
  shapes.note(bindings[3]);
  EXPECT_TRUE(shapes.same_elements(a, b));
}

TEST_F(ShapesTest, OperandsAreEquallyLongAfterAnOperation) {
  Var c = f.op(Op::kNot, Suffix::kInt, {a}), d = f.op(Op::kAdd, Suffix::kInt, {c, b});
  f.op(Op::kSumReduce, Suffix::kInt, {d, s});
  f.ret({});
  const ShapeFacts facts = find_shape_facts(program);
  Shapes shapes(program, program.functions[0], facts);
  const std::vector<Binding>& bindings = program.functions[0].body.bindings;
  EXPECT_FALSE(shapes.same_elements(a, b));
  shapes.note(bindings[0]);
  EXPECT_TRUE(shapes.same_elements(a, c));
  EXPECT_FALSE(shapes.same_elements(a, b));
  shapes.note(bindings[1]);
  EXPECT_TRUE(shapes.same_elements(a, b));
  EXPECT_FALSE(shapes.same_elements(a, s));
  shapes.note(bindings[2]);
  EXPECT_TRUE(shapes.same_elements(a, s));
  EXPECT_FALSE(shapes.same_elements(a, t));
}

TEST_F(ShapesTest, LengthsAgreeAfterAnOperationThatRequiresIt) {
  f.op(Op::kAdd, Suffix::kInt, {a, b});
  f.op(Op::kSubtract, Suffix::kInt, {b, a});
  f.op(Op::kSumReduce, Suffix::kInt, {a, s});
  f.op(Op::kMaxReduce, Suffix::kInt, {b, s});
  f.op(Op::kNot, Suffix::kInt, {a});
  f.ret({});
  const ShapeFacts facts = find_shape_facts(program);
  Shapes shapes(program, program.functions[0], facts);
  std::vector<bool> agree;
  for (const Binding& binding : program.functions[0].body.bindings) {
    agree.push_back(shapes.lengths_agree(binding));
    shapes.note(binding);
  }
  EXPECT_EQ(agree, (std::vector<bool>{false, true, false, true, true}));
}

TEST_F(ShapesTest, StepsOfAKernelProvideFacts) {
  const Var inside = f.op(Op::kAdd, Suffix::kInt, {a, b});
  f.ret({});
  Function& function = program.functions[0];
  function.values.push_back({Kind::kInt});
  const Var outside = inside + 1;
  Binding kernel{.form = Binding::Form::kFused, .operands = {a, b}, .results = {outside}, .blocks = {{}}};
  kernel.blocks[0].bindings = std::move(function.body.bindings);
  kernel.blocks[0].results = {inside};
  function.body.bindings = {kernel};
  Shapes shapes = behind();
  EXPECT_TRUE(shapes.same_elements(a, b));
  EXPECT_TRUE(shapes.same_elements(a, outside));
  EXPECT_FALSE(shapes.same_elements(a, s));
}

TEST_F(ShapesTest, DescriptorsReadFromAStreamHaveUnrelatedLengths) {
  const Var stream = f.parameter(Kind::kInt, {}, true);
  for (const Var index : {a, b})
    f.op(Op::kExtract, Suffix::kInt, {index, index, f.op(Op::kFread, Suffix::kSegdes, {stream})});
  f.ret({});
  EXPECT_FALSE(behind().same_elements(a, b));
}

TEST_F(ShapesTest, StreamNumberMayHaveSeveralElementsInStackCode) {
  f.ops(Op::kFwrite, Suffix::kInt, {a, b});
  f.ret({});
  EXPECT_TRUE(behind().is_single(b));
  program.lengths_agree = false;
  EXPECT_FALSE(behind().is_single(b));
}

TEST_F(ShapesTest, DescriptorsOfEqualLengthsAreEqual) {
  Var l = f.op(Op::kLengths, Suffix::kNone, {s}), again = f.op(Op::kMakeSegdes, Suffix::kNone, {l});
  Var whole = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {a})});
  Var same = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {b})});
  f.op(Op::kAdd, Suffix::kInt, {a, b});
  f.op(Op::kDist, Suffix::kInt, {a, s});
  f.op(Op::kDist, Suffix::kInt, {a, t});
  f.ret({});
  Shapes shapes = behind();
  EXPECT_TRUE(shapes.same_descriptor(again, s));
  EXPECT_TRUE(shapes.same_descriptor(whole, same));
  EXPECT_TRUE(shapes.is_single(whole));
  EXPECT_FALSE(shapes.is_single(s));
  EXPECT_TRUE(shapes.same_segments(s, t));
  EXPECT_FALSE(shapes.same_descriptor(s, t));
  EXPECT_EQ(shapes.first_equal(same), whole);
  EXPECT_EQ(shapes.single_descriptor(b), whole);
  EXPECT_EQ(shapes.single_descriptor(s), kNoVar);
}

TEST_F(ShapesTest, SumsOfLengthsAreLengths) {
  Var flags = f.op(Op::kIntToBool, Suffix::kNone, {a});
  std::vector<Var> packed = f.ops(Op::kPack, Suffix::kInt, {a, flags, s});
  Var counts = f.op(Op::kSumReduce, Suffix::kInt, {f.op(Op::kBoolToInt, Suffix::kNone, {flags}), s});
  Var made = f.op(Op::kMakeSegdes, Suffix::kNone, {counts});
  Var total = f.op(Op::kSumReduce, Suffix::kInt, {f.op(Op::kLengths, Suffix::kNone, {t}), s});
  Var outer = f.op(Op::kMakeSegdes, Suffix::kNone, {total});
  Var ones = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kDist, Suffix::kInt, {f.constant(1), outer})});
  f.ret({});
  Shapes shapes = behind();
  EXPECT_TRUE(shapes.same_descriptor(made, packed[1]));
  EXPECT_TRUE(shapes.same_elements(made, packed[0]));
  EXPECT_TRUE(shapes.same_elements(outer, t));
  EXPECT_TRUE(shapes.same_segments(outer, s));
  EXPECT_FALSE(shapes.same_descriptor(outer, t));
  EXPECT_TRUE(shapes.same_elements(ones, t));
  EXPECT_FALSE(shapes.has_single_elements(outer));
}

TEST_F(ShapesTest, ElementsWithFalseFlagsAreTheOthers) {
  Var flags = f.op(Op::kIntToBool, Suffix::kNone, {a}), length = f.op(Op::kLength, Suffix::kInt, {a});
  Var whole = f.op(Op::kMakeSegdes, Suffix::kNone, {length});
  Var others = f.ops(Op::kPack, Suffix::kInt, {a, f.op(Op::kNot, Suffix::kBool, {flags}), whole})[1];
  Var chosen = f.ops(Op::kPack, Suffix::kInt, {a, flags, whole})[1];
  Var count = f.op(Op::kSumReduce, Suffix::kInt, {f.op(Op::kBoolToInt, Suffix::kNone, {flags}), whole});
  Var rest = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kSubtract, Suffix::kInt, {length, count})});
  f.ret({});
  Shapes shapes = behind();
  EXPECT_TRUE(shapes.same_elements(others, rest));
  EXPECT_FALSE(shapes.same_elements(chosen, rest));
}

TEST_F(ShapesTest, FactsOfOneBranchEndWithIt) {
  Var c = f.constant(true), x = kNoVar;
  std::vector<Var> r = f.choose(
      c,
      [&] {
        x = f.op(Op::kAdd, Suffix::kInt, {a, b});
        return std::vector{x, a, a};
      },
      [&] {
        return std::vector{f.op(Op::kNot, Suffix::kInt, {a}), b, b};
      });
  f.ret({});
  Shapes shapes = behind();
  EXPECT_FALSE(shapes.same_elements(a, b));
  EXPECT_TRUE(shapes.same_elements(r[0], a));
  EXPECT_TRUE(shapes.same_elements(r[1], r[2]));
  EXPECT_FALSE(shapes.same_elements(r[1], b));
}

/// g (x, s, n) calls itself until it is done; its result is as long as x and not as n.
TEST(ShapeFacts, RecursiveFunctionsShareFacts) {
  Program program;
  Builder g(program, "g");
  Var x = g.parameter(Kind::kInt), s = g.parameter(Kind::kSegdes), n = g.parameter(Kind::kInt);
  Var done = g.op(Op::kIntToBool, Suffix::kNone, {n});
  g.will_return({x});
  std::vector<Var> r = g.choose(
      done,
      [&] {
        return std::vector{g.op(Op::kSumScan, Suffix::kInt, {x, s})};
      },
      [&] {
        return g.call(g, {g.op(Op::kNot, Suffix::kInt, {x}), s, g.op(Op::kNot, Suffix::kInt, {n})});
      });
  g.ret(r);
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt), b = main.parameter(Kind::kInt);
  Var whole = main.op(Op::kMakeSegdes, Suffix::kNone, {main.op(Op::kLength, Suffix::kInt, {a})});
  Var c = main.call(g, {a, whole, b})[0];
  main.ret({c});
  program.entry = main.number();
  const ShapeFacts facts = find_shape_facts(program);
  Shapes inside(program, program.functions[0], facts);
  EXPECT_TRUE(inside.same_elements(x, s));
  EXPECT_TRUE(inside.is_single(s));
  EXPECT_FALSE(inside.same_elements(x, n));
  Shapes outside(program, program.functions[1], facts);
  for (const Binding& binding : program.functions[1].body.bindings) outside.note(binding);
  EXPECT_TRUE(outside.same_elements(c, a));
  EXPECT_FALSE(outside.same_elements(c, b));
}

/// g (x, y, z, n) passes x and z on, and returns z and n.
TEST(ShapeFacts, ParametersPassedOnUnchangedAreKnown) {
  Program program;
  Builder g(program, "g");
  Var x = g.parameter(Kind::kFloat), y = g.parameter(Kind::kFloat), z = g.parameter(Kind::kFloat);
  Var n = g.parameter(Kind::kInt);
  g.will_return({z, n});
  std::vector<Var> r = g.choose(
      g.op(Op::kIntToBool, Suffix::kNone, {n}),
      [&] {
        return g.call(g, {x, y, z, g.op(Op::kNot, Suffix::kInt, {n})});
      },
      [&] {
        return std::vector{z, n};
      });
  g.ret(r);
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kFloat), b = main.parameter(Kind::kFloat);
  Var c = main.call(g, {main.constant(0.5), b, b, main.constant(7)})[0];
  main.ret({main.op(Op::kAdd, Suffix::kFloat, {a, c})});
  program.entry = main.number();
  const ShapeFacts facts = find_shape_facts(program);
  Shapes inside(program, program.functions[0], facts);
  EXPECT_GE(inside.constant_index(x), 0);
  EXPECT_EQ(inside.first_equal(z), y);
  EXPECT_LT(inside.constant_index(n), 0);
  Shapes outside(program, program.functions[1], facts);
  for (const Binding& binding : program.functions[1].body.bindings) outside.note(binding);
  EXPECT_EQ(outside.first_equal(c), b);
}

TEST(ShapeFacts, FactsHoldInEveryCall) {
  Program program;
  Builder g(program, "g");
  Var x = g.parameter(Kind::kInt), y = g.parameter(Kind::kInt), z = g.parameter(Kind::kInt);
  g.ret({});
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt), b = main.parameter(Kind::kInt);
  main.call(g, {a, a, a});
  main.call(g, {b, b, a});
  main.ret({});
  program.entry = main.number();
  const ShapeFacts facts = find_shape_facts(program);
  Shapes shapes(program, program.functions[0], facts);
  EXPECT_TRUE(shapes.same_elements(x, y));
  EXPECT_FALSE(shapes.same_elements(x, z));
}

TEST(ShapeFacts, FunctionThatNeverReturnsHasNoExit) {
  Program program;
  Builder g(program, "g");
  Var x = g.parameter(Kind::kInt);
  g.will_return({x});
  g.ret(g.call(g, {x}));
  program.entry = g.number();
  EXPECT_FALSE(find_shape_facts(program)[0].exit);
}

/// Facts inside a function with pieces. Its call passes n = a constant, x and y with n elements each, d that divides x,
/// data of d and other data.
class ShapesOfPieces : public ::testing::Test {
 protected:
  ShapesOfPieces() {
    using How = PieceOperand::How;
    f.ret({});
    program.functions[f.number()].piece_operands = {{How::kWhole},   {How::kEach},    {How::kEach},  {How::kEach},
                                                    {How::kEach, 3}, {How::kEach, 3}, {How::kShared}};
    Builder main(program, "MAIN");
    Var four = main.constant(4), whole = main.op(Op::kMakeSegdes, Suffix::kNone, {four});
    Var each = main.op(Op::kDist, Suffix::kInt, {four, whole});
    Var segments = main.op(Op::kMakeSegdes, Suffix::kNone, {each});
    Var fine = main.op(Op::kDist, Suffix::kInt, {each, segments});
    main.call(f, {whole, each, each, segments, fine, fine, fine});
    main.ret({});
    program.entry = main.number();
    facts = find_shape_facts(program);
    shapes.emplace(program, program.functions[f.number()], facts);
  }

  Program program;
  Builder f{program, "f"};
  Var all = f.parameter(Kind::kSegdes), x = f.parameter(Kind::kInt), y = f.parameter(Kind::kInt);
  Var d = f.parameter(Kind::kSegdes), a = f.parameter(Kind::kInt), b = f.parameter(Kind::kInt);
  Var shared = f.parameter(Kind::kInt);
  ShapeFacts facts;
  std::optional<Shapes> shapes;
};

TEST_F(ShapesOfPieces, ParametersDividedAlikeStayEqual) {
  EXPECT_TRUE(shapes->same_elements(x, all));
  EXPECT_TRUE(shapes->same_elements(x, y));
  EXPECT_EQ(shapes->first_equal(y), x) << "one value";
  EXPECT_TRUE(shapes->is_single(all));
  EXPECT_TRUE(shapes->same_elements(a, d));
  EXPECT_EQ(shapes->first_equal(b), a);
  EXPECT_TRUE(shapes->are_lengths_of(x, d));
}

TEST_F(ShapesOfPieces, NumbersAndSharedParametersBecomeUnrelated) {
  EXPECT_EQ(shapes->element_count(x), -1);
  EXPECT_EQ(shapes->element_count(all), -1);
  EXPECT_FALSE(shapes->same_elements(a, shared));
  EXPECT_NE(shapes->first_equal(shared), a);
}

}  // namespace
}  // namespace vcode::letform::testing

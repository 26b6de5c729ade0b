#include <gtest/gtest.h>

#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

TEST(Inline, SmallFunctionsAndFunctionsCalledOnceAreInlined) {
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

TEST(Inline, RecursiveFunctionsStay) {
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

/// Calls in a branch, and those that they contain; not the other calls.
TEST(Inline, CallsInBranchesOfLiftedConditionalsAreInlined) {
  Program program;
  Builder small(program, "small");
  const Var x = small.parameter(Kind::kInt, "x");
  small.ret({small.op(Op::kNot, Suffix::kInt, {x})});
  Builder twice(program, "twice");  // the only caller of `small`
  const Var y = twice.parameter(Kind::kInt, "y");
  twice.ret(twice.call(small, {twice.op(Op::kNot, Suffix::kInt, {y})}));
  Builder main(program, "MAIN");
  const Var a = main.parameter(Kind::kInt, "a"), f = main.parameter(Kind::kBool, "f"),
            s = main.parameter(Kind::kSegdes, "s");
  const Var others = main.op(Op::kNot, Suffix::kBool, {f});
  const auto any = [&](Var flags) { return main.op(Op::kOrReduce, Suffix::kBool, {flags, s}); };
  const Var some = any(f), rest = any(others), mixed = main.op(Op::kAnd, Suffix::kBool, {some, rest});
  std::vector<Var> results = main.lifted_if(
      {f, others, s, some, rest, mixed},
      [&] {
        return main.call(twice, {main.op(Op::kPack, Suffix::kInt, {a, f, s})});
      },
      [&] {
        return main.call(twice, {main.op(Op::kPack, Suffix::kInt, {a, others, s})});
      });
  results.push_back(main.call(twice, {a})[0]);
  main.ret(results);
  program.entry = main.number();
  inline_in_branches(program, 100);
  EXPECT_EQ(verify(program), "");
  const std::string all = text(program), main_text = all.substr(all.find("entry"));
  const std::size_t call = main_text.find("CALL");
  EXPECT_EQ(main_text.find("CALL", call + 1), std::string::npos) << main_text;
  EXPECT_GT(call, main_text.rfind("NOT INT")) << main_text;
}

TEST(Inline, InlinedSitesGetLocationAndNestOfTheCall) {
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
            "  v3: Int = % a.0 a.0  -- u:2:2 user \"own words\" < m:3:3 main  in a.0 .\n"
            "  v4: Int = / INT b.1 b.1  -- m:4:4 main \"call's words\"  in b.1 a.0\n"
            "  v5: Int = % b.1 b.1  -- u:2:2 user \"own words\" < m:4:4 main  in b.1 .\n"
            "  ret\n");
}

TEST(Inline, SitesRememberInlinedCalls) {
  Program program;
  const auto function = [&](const char* name, const Builder* callee, Site call) {
    Builder f(program, name);
    const Var x = f.parameter(Kind::kInt, "x");
    if (callee == nullptr) {
      f.op(Op::kDivide, Suffix::kInt, {x, x});
    } else {
      for (int k = 0; k < 2; ++k) {
        f.call(*callee, {x});
        call.column += 10 * k;
        f.at(call);
      }
    }
    if (callee == nullptr) f.at(call);
    f.ret({});
    return f;
  };
  const Builder innermost = function("innermost", nullptr, {"u", 1, 1, "innermost", ""});
  const Builder library = function("library", &innermost, {"", 2, 2, "library", ""});
  const Builder outer = function("outer", &library, {"u", 3, 3, "outer", ""});
  Builder main(program, "MAIN");
  main.call(outer, {main.parameter(Kind::kInt, "a")});
  main.at({"u", 4, 4, "main", ""});
  main.ret({});
  program.entry = main.number();
  inline_calls(program, 100);
  EXPECT_EQ(text(program),
            "entry MAIN (a.0: Int)\n"
            "  v1: Int = / INT a.0 a.0  -- u:1:1 innermost < u:3:3 outer < u:4:4 main\n"
            "  v2: Int = / INT a.0 a.0  -- u:1:1 innermost < u:3:3 outer < u:4:4 main\n"
            "  v3: Int = / INT a.0 a.0  -- u:1:1 innermost < u:3:13 outer < u:4:4 main\n"
            "  v4: Int = / INT a.0 a.0  -- u:1:1 innermost < u:3:13 outer < u:4:4 main\n"
            "  ret\n");
  EXPECT_EQ(verify(program), "");
}

/// sums(x, n) makes a sequence of n elements for each x and returns its sum. Its only caller has pieces or not.
struct Sums {
  explicit Sums(bool called_in_pieces, bool writes = false) {
    Builder sums(program, "sums");
    const Var all = sums.parameter(Kind::kSegdes, "all"), x = sums.parameter(Kind::kInt, "x"),
              n = sums.parameter(Kind::kInt, "n");
    const Var lengths = sums.op(Op::kDist, Suffix::kInt, {n, all});
    const Var segments = sums.op(Op::kMakeSegdes, Suffix::kNone, {lengths});
    const Var spread = sums.op(Op::kDist, Suffix::kInt, {x, segments});
    if (writes) sums.ops(Op::kStartTimer, Suffix::kNone, {});
    sums.ret({sums.op(Op::kSumReduce, Suffix::kInt, {spread, segments})});
    const PieceOperands piece_operands{
        {PieceOperand::How::kWhole}, {PieceOperand::How::kEach}, {PieceOperand::How::kShared}};
    program.functions[sums.number()].piece_operands = piece_operands;
    Builder twice(program, "twice");
    const Var own = twice.parameter(Kind::kSegdes, "all"), y = twice.parameter(Kind::kInt, "y"),
              m = twice.parameter(Kind::kInt, "m");
    twice.ret({twice.call(sums, {own, y, m})[0]});
    if (called_in_pieces) program.functions[twice.number()].piece_operands = piece_operands;
    Builder main(program, "MAIN");
    const Var a = main.parameter(Kind::kSegdes, "a"), b = main.parameter(Kind::kInt, "b"),
              c = main.parameter(Kind::kInt, "c");
    main.ret({main.call(twice, {a, b, c})[0]});
    program.entry = main.number();
    inline_calls(program, 100);
  }
  std::string called() const {
    const std::string all = text(program);
    const std::size_t at = all.find("CALL ");
    return at == std::string::npos ? "" : all.substr(at + 5, all.find(' ', at + 5) - at - 5);
  }
  Program program;
};

TEST(Inline, FunctionThatNeedsLessMemoryInPiecesStays) { EXPECT_EQ(Sums(false).called(), "sums"); }

TEST(Inline, FunctionIsInlinedIntoAFunctionWithPieces) { EXPECT_EQ(Sums(true).called(), "twice"); }

TEST(Inline, FunctionWithEffectsThatCannotRunInPiecesIsInlined) { EXPECT_EQ(Sums(false, true).called(), ""); }

/// Expects that a call of f, the only other function of the program, is inlined.
void expect_inlined(Program& program, const Builder& f) {
  Builder main(program, "MAIN");
  std::vector<Var> operands;
  for (Var v : program.functions[f.number()].parameters)
    operands.push_back(main.parameter(program.functions[f.number()].values[v].kind, ""));
  main.ret(main.call(f, operands));
  program.entry = main.number();
  inline_calls(program, 100);
  EXPECT_EQ(text(program).find("CALL"), std::string::npos) << text(program);
}

TEST(Inline, FunctionWhosePiecesSaveNoMemoryIsInlined) {
  Program program;
  Builder f(program, "f");
  const Var segments = f.parameter(Kind::kSegdes, "s"), x = f.parameter(Kind::kInt, "x");
  const Var lengths = f.op(Op::kLengths, Suffix::kNone, {segments});
  const Var longer = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kAdd, Suffix::kInt, {lengths, lengths})});
  const Var few = f.op(Op::kMakeSegdes, Suffix::kNone,
                       {f.op(Op::kDist, Suffix::kInt, {f.constant(3), f.parameter(Kind::kSegdes, "all")})});
  f.ret({f.op(Op::kSumReduce, Suffix::kInt, {f.op(Op::kDist, Suffix::kInt, {x, longer}), longer}),
         f.op(Op::kSumReduce, Suffix::kInt, {f.op(Op::kDist, Suffix::kInt, {x, few}), few})});
  program.functions[f.number()].piece_operands = {
      {PieceOperand::How::kEach}, {PieceOperand::How::kEach}, {PieceOperand::How::kWhole}};
  expect_inlined(program, f);
}

TEST(Inline, FunctionThatReturnsItsLongestSequenceIsInlined) {
  Program program;
  Builder f(program, "f");
  const Var all = f.parameter(Kind::kSegdes, "all"), x = f.parameter(Kind::kInt, "x"), n = f.parameter(Kind::kInt, "n");
  const Var segments = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kDist, Suffix::kInt, {n, all})});
  // The lengths of the result are those of a larger sequence.
  const Var total = f.op(Op::kSumReduce, Suffix::kInt, {f.op(Op::kLengths, Suffix::kNone, {segments}), all});
  f.ret({f.op(Op::kMakeSegdes, Suffix::kNone, {total}), f.op(Op::kDist, Suffix::kInt, {x, segments})});
  program.functions[f.number()].piece_operands = {
      {PieceOperand::How::kWhole}, {PieceOperand::How::kEach}, {PieceOperand::How::kShared}};
  expect_inlined(program, f);
}

}  // namespace
}  // namespace vcode::letform::testing

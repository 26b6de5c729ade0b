#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

/// Writes a branch of a lifted conditional from flags and their descriptor.
using Branch = std::function<std::vector<Var>(Builder&, Var flags, Var s)>;

/// Text after the pass of a function of (t: Segdes, x: Int) that computes a branch for the segments of less than two
/// elements, and nothing for the others.
std::string hoisted(const Branch& branch, bool lengths_agree = true) {
  Program program;
  program.lengths_agree = lengths_agree;
  Builder main(program, "MAIN");
  const Var t = main.parameter(Kind::kSegdes, "t"), x = main.parameter(Kind::kInt, "x");
  const Var lengths = main.op(Op::kLengths, Suffix::kNone, {t});
  const Var s = main.op(Op::kMakeSegdes, Suffix::kNone, {main.op(Op::kLength, Suffix::kInt, {lengths})});
  const Var f = main.op(Op::kLess, Suffix::kInt, {lengths, x}), g = main.op(Op::kNot, Suffix::kBool, {f});
  const Var some = main.op(Op::kOrReduce, Suffix::kBool, {f, s}),
            others = main.op(Op::kOrReduce, Suffix::kBool, {g, s});
  const Var mixed = main.op(Op::kAnd, Suffix::kBool, {some, others});
  main.ret(main.choose(
      some,
      [&] {
        return main.choose(
            mixed, [&] { return branch(main, f, s); }, [&] { return std::vector{x}; });
      },
      [&] { return std::vector{x}; }));
  EXPECT_EQ(verify(program), "");
  hoist_packs(program);
  return text(program);
}

bool is_before(const std::string& all, std::string_view a, std::string_view b) {
  return all.find(a) != std::string::npos && all.find(a) < all.find(b);
}

TEST(HoistPacks, PacksLengthsInFrontOfTheConditionalAndCounts) {
  const std::string all = hoisted([](Builder& f, Var flags, Var s) {
    const Var index = f.op(Op::kIndex, Suffix::kNone, {f.constant(0), f.constant(1), s});
    return std::vector{f.op(Op::kPack, Suffix::kInt, {index, flags, s})};
  });
  EXPECT_TRUE(is_before(all, "= PACK INT", "= IF")) << all;
  EXPECT_TRUE(is_before(all, "= > INT", "= IF")) << all;
  EXPECT_TRUE(is_before(all, "= LENGTH BOOL", "scalar = < INT")) << all;
  EXPECT_EQ(all.find("OR_REDUCE"), std::string::npos) << all;
}

TEST(HoistPacks, OppositesAreCountedByTheRest) {
  const std::string all = hoisted([](Builder& f, Var flags, Var s) {
    const Var others = f.op(Op::kNot, Suffix::kBool, {flags});
    return std::vector{f.op(Op::kBoolToInt, Suffix::kNone, {f.op(Op::kPack, Suffix::kBool, {others, others, s})})};
  });
  EXPECT_TRUE(is_before(all, "= PACK BOOL", "= IF")) << all;
  // The IF asks whether some flags are true: whether fewer are false than there are.
  const std::size_t less = all.rfind(": Bool scalar = < INT");
  ASSERT_NE(less, std::string::npos) << all;
  const std::size_t begin = all.rfind('v', less);
  EXPECT_TRUE(all.find("= IF " + all.substr(begin, less - begin)) != std::string::npos) << all;
}

TEST(HoistPacks, LeavesData) {
  const std::string all = hoisted([](Builder& f, Var flags, Var s) {
    return std::vector{f.op(Op::kPack, Suffix::kInt, {1, flags, s})};  // 1: x
  });
  EXPECT_TRUE(is_before(all, "= IF", "= PACK INT")) << all;
  EXPECT_NE(all.find("OR_REDUCE"), std::string::npos) << all;
}

TEST(HoistPacks, LeavesProgramsWhoseLengthsMayDisagree) {
  const std::string all = hoisted(
      [](Builder& f, Var flags, Var s) {
        return std::vector{f.op(Op::kPack, Suffix::kInt, {2, flags, s})};
      },
      false);
  EXPECT_TRUE(is_before(all, "= IF", "= PACK INT")) << all;
}

TEST(HoistPacks, NothingMovesAcrossTheClock) {
  const std::string all = hoisted([](Builder& f, Var flags, Var s) {
    f.ops(Op::kStartTimer, Suffix::kNone, {});
    return std::vector{f.op(Op::kPack, Suffix::kInt, {2, flags, s})};  // 2: the lengths
  });
  EXPECT_TRUE(is_before(all, "START_TIMER", "= PACK INT")) << all;
}

}  // namespace
}  // namespace vcode::letform::testing

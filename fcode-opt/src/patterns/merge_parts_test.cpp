#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

/// Text after the pass and simplification of a function that appends slices of a nested sequence (v, d) around another
/// sequence (x, b), for each of several instances. An instance has `parts` inner sequences, and appends those with the
/// numbers `first` and `second`.
std::string merged(int parts, int first, int second) {
  Program program;
  Builder f(program, "MAIN");
  const Var v = f.parameter(Kind::kFloat, "v"), d = f.parameter(Kind::kSegdes, "d");
  const Var x = f.parameter(Kind::kFloat, "x"), b = f.parameter(Kind::kSegdes, "b");
  const auto segdes = [&](Var lengths) { return f.op(Op::kMakeSegdes, Suffix::kNone, {lengths}); };
  // Operations after which v is known to be as long as d, and x as b.
  f.op(Op::kSumReduce, Suffix::kFloat, {v, d});
  f.op(Op::kSumReduce, Suffix::kFloat, {x, b});
  const Var lengths = f.op(Op::kLengths, Suffix::kNone, {d}), offsets = f.op(Op::kOffsets, Suffix::kNone, {d});
  const Var of_b = f.op(Op::kLengths, Suffix::kNone, {b});
  const Var all = segdes(f.op(Op::kLength, Suffix::kInt, {of_b}));
  const Var e = segdes(f.op(Op::kDist, Suffix::kInt, {f.constant(parts), all}));
  struct Slice {
    Var lengths, segments, elements;
  };
  const auto slice = [&](int index) {
    const Var at = f.op(Op::kDist, Suffix::kInt, {f.constant(index), all});
    const Var extracted = f.op(Op::kExtract, Suffix::kInt, {lengths, at, e}), s = segdes(extracted);
    const Var start = f.op(Op::kExtract, Suffix::kInt, {offsets, at, e});
    return Slice{extracted, s, f.op(Op::kSlice, Suffix::kFloat, {v, start, s})};
  };
  const Slice a = slice(first), c = slice(second);
  const Var sums = f.op(Op::kAdd, Suffix::kInt, {f.op(Op::kAdd, Suffix::kInt, {a.lengths, of_b}), c.lengths});
  const Var whole = segdes(sums);
  f.ret({whole, f.op(Op::kAppend3, Suffix::kFloat, {a.elements, x, c.elements, a.segments, b, c.segments, whole})});
  EXPECT_EQ(verify(program), "");
  merge_parts(program);
  EXPECT_EQ(verify(program), "");
  simplify(program);
  return text(program);
}

TEST(PartMerging, AllPartsInOrderAreMerged) {
  const std::string all = merged(2, 0, 1);
  EXPECT_NE(all.find("= MERGE_SEGS FLOAT"), std::string::npos) << all;
  EXPECT_NE(all.find("= +_REDUCE INT"), std::string::npos) << all;
  for (const char* gone : {"SLICE", "EXTRACT", "APPEND3"}) EXPECT_EQ(all.find(gone), std::string::npos) << all;
}

TEST(PartMerging, OtherPartsAreAppended) {
  struct {
    int parts, first, second;
    const char* kept;
  } constexpr kCases[] = {{2, 1, 0, "APPEND3"}, {2, 0, 0, "APPEND3"}, {3, 0, 1, "APPEND3"}, {3, 0, 1, "EXTRACT"}};
  for (const auto& [parts, first, second, kept] : kCases) {
    const std::string all = merged(parts, first, second);
    EXPECT_NE(all.find(kept), std::string::npos) << all;
    EXPECT_EQ(all.find("MERGE_SEGS"), std::string::npos) << all;
  }
  // In another order they still have the same sum.
  EXPECT_NE(merged(2, 1, 0).find("= +_REDUCE INT"), std::string::npos);
  EXPECT_EQ(merged(3, 0, 1).find("= +_REDUCE INT"), std::string::npos);
}

}  // namespace
}  // namespace vcode::letform::testing

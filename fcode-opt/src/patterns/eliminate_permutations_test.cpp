#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

/// Text of a function of (a: Int, s: Segdes, b: Int, t: Segdes, f: Bool) after the pass and simplification.
std::string moved(const std::function<std::vector<Var>(Builder&, std::vector<Var>)>& write) {
  Program program;
  Builder main(program, "MAIN");
  const std::vector<Var> parameters = {main.parameter(Kind::kInt, "a"), main.parameter(Kind::kSegdes, "s"),
                                       main.parameter(Kind::kInt, "b"), main.parameter(Kind::kSegdes, "t"),
                                       main.parameter(Kind::kBool, "f")};
  main.ret(write(main, parameters));
  EXPECT_EQ(verify(program), "");
  eliminate_permutations(program);
  EXPECT_EQ(verify(program), "");
  simplify(program);
  const std::string all = text(program);
  return all.substr(all.find('\n') + 1);
}

Var whole(Builder& f, Var v) { return f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {v})}); }

int count(const std::string& text, std::string_view part) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++n;
  return n;
}

/// Permutation that splits elements by flags, those with false flags first, and the numbers of both.
struct Split {
  Var whole, targets, zeros, ones;
};
Split split(Builder& f, Var flags, bool zeros_first = true) {
  const Var whole = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kBool, {flags})});
  const Var numbers = f.op(Op::kBoolToInt, Suffix::kNone, {flags});
  const Var before = f.op(Op::kSumScan, Suffix::kInt, {numbers, whole});
  const Var ones = f.op(Op::kSumReduce, Suffix::kInt, {numbers, whole});
  const Var zeros = f.op(Op::kSubtract, Suffix::kInt, {f.op(Op::kLengths, Suffix::kNone, {whole}), ones});
  const Var behind = f.op(Op::kAdd, Suffix::kInt, {f.op(Op::kDist, Suffix::kInt, {zeros, whole}), before});
  const Var index = f.op(Op::kIndex, Suffix::kNone, {f.constant(0), f.constant(1), whole});
  const Var front = f.op(Op::kSubtract, Suffix::kInt, {index, before});
  const Var targets = f.op(Op::kSelect, Suffix::kInt,
                           zeros_first ? std::vector{flags, behind, front} : std::vector{flags, front, behind});
  return {whole, targets, zeros, ones};
}

TEST(PermutationElimination, PartOfAPermuteByFlagsBecomesPack) {
  const auto part = [](bool zeros_first, bool front) {
    return moved([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const auto [whole, targets, zeros, ones] = split(f, p[4], zeros_first);
      const Var all = f.op(Op::kPermute, Suffix::kInt, {p[0], targets, whole});
      const Var s = f.op(Op::kMakeSegdes, Suffix::kNone, {front ? zeros : ones});
      return {f.op(Op::kSlice, Suffix::kInt, {all, front ? f.constant(0) : zeros, s})};
    });
  };
  const std::string pack = part(true, false);
  EXPECT_NE(pack.find("PACK INT a.0 f.4 "), std::string::npos) << pack;
  EXPECT_EQ(pack.find("PERMUTE"), std::string::npos) << pack;
  EXPECT_NE(part(true, true).find("NOT BOOL f.4"), std::string::npos);
  EXPECT_NE(part(false, true).find("SLICE"), std::string::npos) << "not in order";
}

TEST(PermutationElimination, GatherOfNextElementsByFlagsBecomesMerge) {
  /// `checked`: a check proves that b is as long as flags are true.
  const auto merge = [](bool checked) {
    return moved([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const auto [all_flags, targets, zeros, ones] = split(f, p[4]);
      const Var of_a = whole(f, p[0]), of_b = whole(f, p[2]);
      const Var in_a = f.op(Op::kLengths, Suffix::kNone, {of_a}), in_b = f.op(Op::kLengths, Suffix::kNone, {of_b});
      const Var sum = f.op(Op::kAdd, Suffix::kInt, {in_a, in_b});
      const Var all = f.op(Op::kLengths, Suffix::kNone, {all_flags});
      f.op(Op::kAssert, Suffix::kNone, {f.op(Op::kEqual, Suffix::kInt, {all, sum})});
      if (checked) f.op(Op::kAssert, Suffix::kNone, {f.op(Op::kEqual, Suffix::kInt, {ones, in_b})});
      const Var both =
          f.op(Op::kAppend, Suffix::kInt, {p[0], p[2], of_a, of_b, f.op(Op::kMakeSegdes, Suffix::kNone, {sum})});
      const Var before = f.op(Op::kSumScan, Suffix::kInt, {f.op(Op::kBoolToInt, Suffix::kNone, {p[4]}), all_flags});
      const Var index = f.op(Op::kIndex, Suffix::kNone, {f.constant(0), f.constant(1), all_flags});
      const Var in_second = f.op(Op::kAdd, Suffix::kInt, {f.op(Op::kDist, Suffix::kInt, {in_a, all_flags}), before});
      const Var in_first = f.op(Op::kSubtract, Suffix::kInt, {index, before});
      const Var from = f.op(Op::kSelect, Suffix::kInt, {p[4], in_second, in_first});
      return {f.op(Op::kBpermute, Suffix::kInt, {both, from, all_flags, all_flags})};
    });
  };
  EXPECT_NE(merge(true).find("MERGE INT f.4 b.2 a.0"), std::string::npos) << merge(true);
  EXPECT_EQ(merge(false).find("MERGE"), std::string::npos);
}

/// Slice, as long as b, from index `start` of APPEND one b (`element_first`) or of APPEND b one.
std::string beside(int start, bool element_first, bool keeps_both = false) {
  return moved([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
    const Var one = f.op(Op::kLength, Suffix::kInt, {p[0]}),
              of_one = f.op(Op::kMakeSegdes, Suffix::kNone, {f.constant(1)});
    const Var of_b = whole(f, p[2]);
    const Var sum = f.op(Op::kAdd, Suffix::kInt, {f.op(Op::kLengths, Suffix::kNone, {of_b}), f.constant(1)});
    const Var to = f.op(Op::kMakeSegdes, Suffix::kNone, {sum});
    const Var both =
        f.op(Op::kAppend, Suffix::kInt,
             element_first ? std::vector{one, p[2], of_one, of_b, to} : std::vector{p[2], one, of_b, of_one, to});
    std::vector<Var> results = {f.op(Op::kSlice, Suffix::kInt, {both, f.constant(start), of_b})};
    if (keeps_both) results.push_back(both);
    return results;
  });
}

TEST(PermutationElimination, NeighboursAreReadAtShiftedIndices) {
  EXPECT_EQ(beside(0, true),
            "  v5: Int = LENGTH INT a.0\n"
            "  v8: Int = LENGTH INT b.2\n"
            "  v9: Segdes = MAKE_SEGDES v8\n"
            "  v17: Int scalar = CONST INT 0\n"
            "  v18: Int scalar = CONST INT 1\n"
            "  v19: Int = DIST INT v18 v9\n"
            "  v20: Int = INDEX v17 v18 v9\n"
            "  v21: Int = - INT v20 v19\n"
            "  v22: Int = DIST INT v17 v9\n"
            "  v23: Bool = > INT v20 v22\n"
            "  v24: Int = BFPERMUTE INT b.2 v21 v23 v9 v9\n"
            "  v25: Int = DIST INT v5 v9\n"
            "  v16: Int = SELECT INT v23 v24 v25\n"
            "  ret v16\n");
  const std::string next = beside(1, false);
  EXPECT_NE(next.find("v21: Int = + INT v20 v19\n"), std::string::npos) << next;
  EXPECT_NE(next.find("v24: Bool = < INT v21 v23\n"), std::string::npos) << next;
  EXPECT_EQ(next.find("APPEND"), std::string::npos) << next;
}

TEST(PermutationElimination, AppendWithOtherUsesStays) {
  EXPECT_NE(beside(0, true, true).find("SLICE"), std::string::npos);
  EXPECT_NE(beside(2, false).find("SLICE"), std::string::npos);
}

/// The defaults are unused if all elements that a scatter has written, and no others, are read.
TEST(PermutationElimination, GatherOfScatteredElementsBecomesLatest) {
  const auto read_back = [](bool at_its_targets, bool returns_all) {
    return moved([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var from = whole(f, p[0]), to = whole(f, p[2]);
      const Var targets = f.op(Op::kAdd, Suffix::kInt, {p[0], f.op(Op::kDist, Suffix::kInt, {f.constant(1), from})});
      const Var written = f.op(Op::kDpermute, Suffix::kInt, {p[0], targets, p[2], from, to});
      std::vector<Var> results = {
          f.op(Op::kBpermute, Suffix::kInt, {written, at_its_targets ? targets : p[0], to, from})};
      if (returns_all) results.push_back(written);
      return results;
    });
  };
  const std::string latest = read_back(true, false);
  EXPECT_NE(latest.find("= LATEST INT a.0 "), std::string::npos) << latest;
  EXPECT_EQ(latest.find("PERMUTE"), std::string::npos) << latest;
  EXPECT_EQ(read_back(false, false).find("LATEST"), std::string::npos);
  EXPECT_EQ(read_back(true, true).find("LATEST"), std::string::npos);
}

TEST(PermutationElimination, PermutationThatAddsOnesBecomesCount) {
  const auto added = [](int number, const char* message) {
    return moved([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var from = whole(f, p[0]), to = whole(f, p[2]);
      const Var numbers = f.op(Op::kDist, Suffix::kInt, {f.constant(number), from});
      const Var zeros = f.op(Op::kDist, Suffix::kInt, {f.constant(0), to});
      const Var sums = f.op(Op::kSumPermute, Suffix::kInt, {numbers, p[0], zeros, from, to});
      f.at({"a.nesl", 1, 2, "f", message}, {from}, true);
      return {sums};
    });
  };
  EXPECT_EQ(added(1, "Index out of bounds."),
            "  v5: Int = LENGTH INT a.0\n"
            "  v6: Segdes = MAKE_SEGDES v5\n"
            "  v7: Int = LENGTH INT b.2\n"
            "  v8: Segdes = MAKE_SEGDES v7\n"
            "  v15: Int = DIST INT v7 v6\n"
            "  v16: Int = BOUND v15 a.0  -- a.nesl:1:2 f \"Index out of bounds.\"  in v6 .\n"
            "  v17: Int scalar = CONST INT 0\n"
            "  v13: Int = COUNT_INTS a.0 v17 v6 v8\n"
            "  ret v13\n");
  EXPECT_NE(added(2, "Index out of bounds.").find("+_PERMUTE"), std::string::npos);
  EXPECT_NE(added(1, "").find("+_PERMUTE"), std::string::npos) << "the message would name BOUND";
}

/// Zeros that a conditional makes, and of which each segment gets a slice, as where a sequence of zeros is shared.
TEST(PermutationElimination, PermutationThatAddsOnesToSlicesOfZerosBecomesCount) {
  const auto added = [](int otherwise, bool makes_none) {
    return moved([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var from = whole(f, p[0]), to = whole(f, p[2]);
      const Var ones = f.op(Op::kDist, Suffix::kInt, {f.constant(1), from});
      const Var condition = f.op(Op::kGreater, Suffix::kInt, {f.op(Op::kLength, Suffix::kInt, {p[0]}), f.constant(7)});
      const Var zeros = f.choose(
          condition,
          [&] {
            return std::vector{f.op(Op::kDist, Suffix::kInt, {f.constant(0), to})};
          },
          [&] {
            if (makes_none) return std::vector{f.constant(std::vector<std::int64_t>{})};
            return std::vector{f.op(Op::kDist, Suffix::kInt, {f.constant(otherwise), to})};
          })[0];
      const Var slice = f.op(Op::kSlice, Suffix::kInt, {zeros, f.constant(0), to});
      const Var sums = f.op(Op::kSumPermute, Suffix::kInt, {ones, p[0], slice, from, to});
      f.at({"a.nesl", 1, 2, "f", "Index out of bounds."}, {from}, true);
      return {sums};
    });
  };
  EXPECT_EQ(count(added(0, true), "COUNT_INTS"), 1) << added(0, true);
  EXPECT_EQ(count(added(0, false), "COUNT_INTS"), 1) << added(0, false);
  EXPECT_EQ(count(added(1, false), "COUNT_INTS"), 0);
}

/// A part of 3 4 5 …: of the whole vector for all segments of t, from elements a on.
TEST(PermutationElimination, SliceOfAnIndexBecomesAnIndex) {
  const auto part = [](int stride) {
    return moved([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var range = f.op(Op::kIndex, Suffix::kNone, {f.constant(3), f.constant(stride), whole(f, p[2])});
      return {f.op(Op::kSlice, Suffix::kInt, {range, p[0], p[3]})};
    });
  };
  const std::string text = part(1);
  EXPECT_EQ(text.find("SLICE"), std::string::npos) << text;
  EXPECT_NE(text.find("+ INT a.0 "), std::string::npos) << text;
  EXPECT_NE(text.find("INDEX"), std::string::npos) << text;
  EXPECT_NE(part(2).find("SLICE"), std::string::npos) << "its starts would be multiples";
}

TEST(PermutationElimination, IndexThatAnIfChoosesIsMadeBehindIt) {
  const auto chosen = [](int length) {
    return moved([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var all = whole(f, p[0]);
      const Var range = f.op(Op::kIndex, Suffix::kNone, {f.constant(3), f.constant(1), all});
      const Var some = f.op(Op::kOrReduce, Suffix::kBool, {p[4], all});
      return f.choose(
          some,
          [&] {
            return std::vector{all, range};
          },
          [&] {
            return std::vector{f.op(Op::kMakeSegdes, Suffix::kNone, {f.constant(length)}),
                               f.constant(std::vector<std::int64_t>{})};
          });
    });
  };
  const std::string text = chosen(0);
  EXPECT_GT(text.find("INDEX"), text.find("IF ")) << text;
  EXPECT_LT(chosen(1).find("INDEX"), chosen(1).find("IF ")) << "no INDEX has one element then";
}

/// A number for each segment of t, for all elements of segments of s, of which those of t consist.
TEST(PermutationElimination, ValuesAreSpreadLevelByLevel) {
  const auto spread = [](bool known) {
    return moved([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var inner = known ? f.op(Op::kMakeSegdes, Suffix::kNone, {p[0]}) : p[1];
      const Var lengths = f.op(Op::kSumReduce, Suffix::kInt, {p[0], p[3]});
      const Var outer = f.op(Op::kMakeSegdes, Suffix::kNone, {lengths});
      return {inner, f.op(Op::kDist, Suffix::kInt, {p[2], outer})};
    });
  };
  const std::string text = spread(true);
  EXPECT_NE(text.find("v9: Int = DIST INT b.2 t.3\n  v8: Int = DIST INT v9 v5\n"), std::string::npos) << text;
  EXPECT_EQ(spread(false).find("DIST INT b.2 t.3"), std::string::npos);
}

/// The elements of such segments are packed by the flags, so that only the outer segments are there.
TEST(PermutationElimination, ValuesAreSpreadAtOnceToSegmentsOfChosenElements) {
  const std::string text = moved([](Builder& f, std::vector<Var> p) -> std::vector<Var> {
    const Var numbers = f.op(Op::kBoolToInt, Suffix::kNone, {p[4]});
    const Var inner = f.op(Op::kMakeSegdes, Suffix::kNone, {numbers});
    const Var outer = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kSumReduce, Suffix::kInt, {numbers, p[3]})});
    return {inner, f.op(Op::kDist, Suffix::kInt, {p[2], outer})};
  });
  EXPECT_EQ(text.find("DIST INT b.2 t.3"), std::string::npos) << text;
  EXPECT_NE(text.find("DIST INT b.2 v"), std::string::npos) << text;
}

/// previous and next of each segment of a.
TEST(PermutationElimination, NeighboursInEachSegmentAreReadWithoutAppending) {
  const auto neighbours = [](bool next, int distance) {
    return moved([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var ends = f.op(Op::kSumReduce, Suffix::kInt, {p[0], p[1]});
      const Var ones = f.op(Op::kDist, Suffix::kInt, {f.constant(1), whole(f, ends)});
      const Var of_ends = f.op(Op::kMakeSegdes, Suffix::kNone, {ones});
      const Var lengths = f.op(Op::kLengths, Suffix::kNone, {p[1]});
      const Var t = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kAdd, Suffix::kInt, {lengths, ones})});
      const Var both = next ? f.op(Op::kAppend, Suffix::kInt, {p[0], ends, p[1], of_ends, t})
                            : f.op(Op::kAppend, Suffix::kInt, {ends, p[0], of_ends, p[1], t});
      Var starts = f.op(Op::kOffsets, Suffix::kNone, {t});
      for (int k = 0; k < distance; ++k) starts = f.op(Op::kAdd, Suffix::kInt, {starts, ones});
      return {f.op(Op::kSlice, Suffix::kInt, {both, starts, p[1]})};
    });
  };
  for (const bool next : {false, true}) {
    const std::string text = neighbours(next, next ? 1 : 0);
    EXPECT_EQ(count(text, "APPEND"), 0) << text;
    EXPECT_EQ(count(text, "= BFPERMUTE INT a.0 "), 1) << text;
    EXPECT_EQ(count(neighbours(next, 2), "APPEND"), 1);
  }
}

/// The rows of previous(rows, rows[0]): those of a sequence with a copy of its first row in front of it.
TEST(PermutationElimination, RowsOfAnAppendedSequenceAreReadWhereTheyAre) {
  const auto rows = [](int first_start, int first_length, bool constant = false) {
    return moved([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const auto segdes = [&](Var lengths) { return f.op(Op::kMakeSegdes, Suffix::kNone, {lengths}); };
      const Var sums = f.op(Op::kSumReduce, Suffix::kInt, {p[0], p[1]});  // a is as long as s
      const Var lengths = f.op(Op::kLengths, Suffix::kNone, {p[1]}), each = whole(f, lengths);
      const Var zero = f.constant(0), one = f.constant(1);
      const Var length = f.op(Op::kExtract, Suffix::kInt, {lengths, zero, each}), of_row = segdes(length);
      const Var offsets = f.op(Op::kOffsets, Suffix::kNone, {p[1]});
      const Var row = constant ? f.op(Op::kDist, Suffix::kInt, {zero, of_row})
                               : f.op(Op::kSlice, Suffix::kInt,
                                      {p[0], f.op(Op::kExtract, Suffix::kInt, {offsets, zero, each}), of_row});
      const Var number = f.op(Op::kAdd, Suffix::kInt, {one, f.op(Op::kLengths, Suffix::kNone, {each})});
      const Var all_lengths = f.op(Op::kAppend, Suffix::kInt, {length, lengths, segdes(one), each, segdes(number)});
      const Var elements = f.op(Op::kAdd, Suffix::kInt, {length, f.op(Op::kLength, Suffix::kInt, {p[0]})});
      const Var both = f.op(Op::kAppend, Suffix::kInt, {row, p[0], of_row, whole(f, p[0]), segdes(elements)});
      const Var starts = f.op(Op::kOffsets, Suffix::kNone, {segdes(all_lengths)});
      const Var first = f.constant(first_start);
      const Var of_rows = f.op(Op::kSlice, Suffix::kInt,
                               {all_lengths, first_length == first_start ? first : f.constant(first_length), each});
      const Var place = f.op(Op::kSlice, Suffix::kInt, {starts, first, each});
      return {sums, f.op(Op::kSlice, Suffix::kInt, {both, place, segdes(of_rows)})};
    });
  };
  const std::string text = rows(0, 0);
  EXPECT_EQ(count(text, "= APPEND INT"), 1) << text;  // of the lengths
  EXPECT_EQ(count(text, "= SELECT INT"), 1) << text;
  EXPECT_EQ(count(rows(0, 1), "= APPEND INT"), 2) << "a slice may have elements of two rows";
  const std::string zeros = rows(0, 0, true);
  EXPECT_EQ(count(zeros, "= APPEND INT"), 1) << zeros;
  EXPECT_EQ(count(zeros, "= BFPERMUTE INT"), 1) << zeros;
  EXPECT_EQ(count(rows(0, 1, true), "= APPEND INT"), 2) << "a slice may have elements of two rows";
}

/// Element b of each row of a, or of those that flags choose.
TEST(PermutationElimination, OneElementOfEachRowIsReadWhereItIs) {
  const auto read = [](bool chosen, bool sliced, std::string message) {
    return moved([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var offsets = f.op(Op::kOffsets, Suffix::kNone, {p[1]});
      const Var rows = sliced ? f.op(Op::kSlice, Suffix::kInt, {p[0], offsets, p[1]}) : p[0];
      const Var of_chosen = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kBoolToInt, Suffix::kNone, {p[4]})});
      const Var element = chosen ? f.op(Op::kBpermute, Suffix::kInt, {rows, p[2], p[1], of_chosen})
                                 : f.op(Op::kExtract, Suffix::kInt, {rows, p[2], p[1]});
      f.at({"a.nesl", 1, 2, "f", message}, {p[1]}, true);
      return {element};
    });
  };
  for (const bool chosen : {false, true}) {
    const std::string text = read(chosen, true, "Index out of bounds.");
    EXPECT_EQ(count(text, "SLICE"), 0) << text;
    EXPECT_EQ(count(text, "= PACK INT"), chosen ? 2 : 0) << text;
    EXPECT_EQ(count(text, "b.2  -- a.nesl:1:2 f \"Index out of bounds.\"  in s.1 ."), 1) << text;
    EXPECT_EQ(count(read(chosen, false, "Index out of bounds."), "= BOUND"), chosen ? 1 : 0);
    EXPECT_EQ(count(read(chosen, true, ""), "= BOUND"), 0) << "the message would name BOUND";
  }
}

TEST(PermutationElimination, OneElementOfEachSegmentIsReplaced) {
  const auto written = [](int length, std::string message) {
    return moved([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var lengths = f.op(Op::kDist, Suffix::kInt, {f.constant(length), whole(f, p[2])});
      const Var s = f.op(Op::kMakeSegdes, Suffix::kNone, {lengths});
      const Var scattered = f.op(Op::kDpermute, Suffix::kInt, {p[2], p[2], p[0], s, p[1]});
      f.at({"a.nesl", 1, 2, "f", message}, {s}, true);
      return {scattered};
    });
  };
  const std::string text = written(1, "Index out of bounds.");
  EXPECT_EQ(count(text, "= BOUND"), 1) << text;
  EXPECT_EQ(count(text, "= REPLACE INT a.0 "), 1) << text;
  EXPECT_EQ(count(written(2, "Index out of bounds."), "DPERMUTE"), 1);
  EXPECT_EQ(count(written(1, ""), "DPERMUTE"), 1) << "the message would name BOUND";
}

TEST(PermutationElimination, SpreadingToChosenSegmentsIsPacking) {
  const auto spread = [](Op op, std::size_t numbers) {
    return moved([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var lengths = op == Op::kBoolToInt ? f.op(op, Suffix::kNone, {p[4]}) : p[numbers];
      return {f.op(Op::kDist, Suffix::kInt, {p[0], f.op(Op::kMakeSegdes, Suffix::kNone, {lengths})})};
    });
  };
  EXPECT_EQ(count(spread(Op::kBoolToInt, 4), "= PACK INT a.0 f.4 "), 1) << spread(Op::kBoolToInt, 4);
  EXPECT_EQ(count(spread(Op::kAdd, 2), "= DIST INT a.0 "), 1);
}

/// Otherwise an error in between would be reported before that of the scatter, or an effect would come after it.
TEST(PermutationElimination, FaultOrEffectBetweenScatterAndGatherKeepsBoth) {
  const auto read_back = [](bool divides, bool starts_timer) {
    Program program;
    Builder main(program, "MAIN");
    const Var a = main.parameter(Kind::kInt, "a"), i = main.parameter(Kind::kInt, "i"),
              d = main.parameter(Kind::kInt, "d");
    const Var from = whole(main, a), to = whole(main, d);
    const Var written = main.op(Op::kDpermute, Suffix::kInt, {a, i, d, from, to});
    const Var between = main.op(divides ? Op::kDivide : Op::kAdd, Suffix::kInt, {a, i});
    if (starts_timer) main.ops(Op::kStartTimer, Suffix::kNone, {});
    main.ret({main.op(Op::kBpermute, Suffix::kInt, {written, i, to, from}), between});
    program.sites.push_back({"a.nesl", 1, 2, "f", "Divide by zero."});
    for (Binding& binding : program.functions[0].body.bindings)
      if (binding.op == Op::kDivide) binding.site = 0;
    eliminate_permutations(program);
    return text(program).find("LATEST") != std::string::npos;
  };
  EXPECT_TRUE(read_back(false, false));
  EXPECT_FALSE(read_back(true, false));
  EXPECT_FALSE(read_back(false, true));
}

TEST(PermutationElimination, GatherOfEachIndexRepeatedBecomesDist) {
  const auto gathered = [](int first) {
    return moved([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var all = whole(f, p[0]);
      const Var index = f.op(Op::kIndex, Suffix::kNone, {f.constant(first), f.constant(1), all});
      const Var repeated = f.op(Op::kDist, Suffix::kInt, {index, p[1]});
      return {f.op(Op::kBpermute, Suffix::kInt, {p[0], repeated, all, whole(f, repeated)})};
    });
  };
  EXPECT_NE(gathered(0).find("= DIST INT a.0 s.1"), std::string::npos) << gathered(0);
  EXPECT_NE(gathered(1).find("BPERMUTE"), std::string::npos) << gathered(1);
}

}  // namespace
}  // namespace vcode::letform::testing

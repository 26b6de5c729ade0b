#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

/// Text of a function of (a: Int, s: Segdes, b: Int, t: Segdes, f: Bool) after the pass, the one behind it and
/// simplification.
std::string recognized(const std::function<std::vector<Var>(Builder&, std::vector<Var>)>& write, bool trusted = true) {
  Program program;
  program.lengths_agree = trusted;
  Builder main(program, "MAIN");
  std::vector<Var> parameters = {main.parameter(Kind::kInt, "a"), main.parameter(Kind::kSegdes, "s"),
                                 main.parameter(Kind::kInt, "b"), main.parameter(Kind::kSegdes, "t"),
                                 main.parameter(Kind::kBool, "f")};
  main.ret(write(main, parameters));
  EXPECT_EQ(verify(program), "");
  program.from_stack_code = true;
  recognize(program);
  eliminate_permutations(program);
  EXPECT_EQ(verify(program), "");
  simplify(program);
  const std::string all = text(program);
  return all.substr(all.find('\n') + 1);
}

Var whole(Builder& f, Var v) { return f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {v})}); }
Var make_segdes(Builder& f, Var lengths) { return f.op(Op::kMakeSegdes, Suffix::kNone, {lengths}); }
/// Replicates a number for each segment.
Var for_each_segment(Builder& f, int number, Var s) {
  return f.op(Op::kDist, Suffix::kInt, {f.constant(number), whole(f, f.op(Op::kLengths, Suffix::kNone, {s}))});
}
Var index(Builder& f, Var starts, Var s, int stride = 1) {
  return f.op(Op::kIndex, Suffix::kNone, {starts, for_each_segment(f, stride, s), s});
}
Var sum_of_lengths(Builder& f, Var s, Var t) {
  return f.op(Op::kAdd, Suffix::kInt, {f.op(Op::kLengths, Suffix::kNone, {s}), f.op(Op::kLengths, Suffix::kNone, {t})});
}

TEST(Recognize, GatherThroughIndexBecomesSlice) {
  const auto gather = [](int stride) {
    return recognized([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var lengths = f.op(Op::kLengths, Suffix::kNone, {p[1]});
      const Var offsets = f.op(Op::kSumScan, Suffix::kInt, {lengths, whole(f, lengths)});
      const Var indices = index(f, offsets, p[1], stride);
      return {f.op(Op::kBpermute, Suffix::kInt, {p[2], indices, whole(f, p[2]), whole(f, indices)})};
    });
  };
  EXPECT_EQ(gather(1), "  v8: Int = OFFSETS s.1\n  v19: Int = SLICE INT b.2 v8 s.1\n  ret v19\n");
  EXPECT_NE(gather(2).find("BPERMUTE"), std::string::npos);
}

TEST(Recognize, ScattersOfConsecutiveRangesBecomeAppend) {
  const auto append = [](bool right) {
    return recognized([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var to = make_segdes(f, sum_of_lengths(f, p[1], right ? p[3] : p[1]));
      const Var base = f.op(Op::kDist, Suffix::kInt, {for_each_segment(f, 0, to), to});
      const Var first = index(f, for_each_segment(f, 0, p[1]), p[1]);
      const Var behind = index(f, f.op(Op::kLengths, Suffix::kNone, {p[1]}), p[3]);
      const Var half = f.op(Op::kDpermute, Suffix::kInt, {p[0], first, base, p[1], to});
      return {f.op(Op::kDpermute, Suffix::kInt, {p[2], behind, half, p[3], to})};
    });
  };
  EXPECT_EQ(append(true),
            "  v5: Int = LENGTHS s.1\n"
            "  v6: Int = LENGTHS t.3\n"
            "  v7: Int = + INT v5 v6\n"
            "  v8: Segdes = MAKE_SEGDES v7\n"
            "  v34: Int = APPEND INT a.0 b.2 s.1 t.3 v8\n"
            "  ret v34\n");
  EXPECT_NE(append(false).find("DPERMUTE"), std::string::npos) << "indices may be left out, or written twice";
}

TEST(Recognize, EmptySegmentsCanBeAppended) {
  for (const bool behind : {true, false}) {
    const std::string found = recognized([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var none = make_segdes(f, for_each_segment(f, 0, p[1]));
      const Var base = f.op(Op::kDist, Suffix::kInt, {for_each_segment(f, 0, p[1]), p[1]});
      const Var of_first = behind ? p[1] : none, of_second = behind ? none : p[1];
      const Var first = index(f, for_each_segment(f, 0, of_first), of_first);
      const Var second = index(f, f.op(Op::kLengths, Suffix::kNone, {of_first}), of_second);
      const Var half = f.op(Op::kDpermute, Suffix::kInt, {p[0], first, base, of_first, p[1]});
      return {f.op(Op::kDpermute, Suffix::kInt, {p[2], second, half, of_second, p[1]})};
    });
    EXPECT_NE(found.find("APPEND INT a.0 b.2 "), std::string::npos) << found;
    EXPECT_EQ(found.find("DPERMUTE"), std::string::npos) << found;
  }
}

/// Elements of a where f is true, of b elsewhere, by scatters to indices packed by f and by NOT f.
std::vector<Var> merged(Builder& f, std::vector<Var> p, bool not_first) {
  const Var all = whole(f, f.op(Op::kBoolToInt, Suffix::kNone, {p[4]}));
  const Var numbers = f.op(Op::kIndex, Suffix::kNone, {f.constant(0), f.constant(1), all});
  const Var others = f.op(Op::kNot, Suffix::kBool, {p[4]});
  const auto chosen = f.ops(Op::kPack, Suffix::kInt, {numbers, not_first ? others : p[4], all});
  const auto rest = f.ops(Op::kPack, Suffix::kInt, {numbers, not_first ? p[4] : others, all});
  const Var base = f.op(Op::kDist, Suffix::kInt, {f.constant(0), all});
  const Var half = f.op(Op::kDpermute, Suffix::kInt, {p[0], chosen[0], base, chosen[1], all});
  return {f.op(Op::kDpermute, Suffix::kInt, {p[2], rest[0], half, rest[1], all})};
}

TEST(Recognize, ScattersToIndicesPackedByFlagsBecomeMerge) {
  EXPECT_EQ(recognized([](Builder& f, std::vector<Var> p) { return merged(f, std::move(p), false); }),
            "  v19: Int = MERGE INT f.4 a.0 b.2\n  ret v19\n");
  EXPECT_EQ(recognized([](Builder& f, std::vector<Var> p) { return merged(f, std::move(p), true); }),
            "  v19: Int = MERGE INT f.4 b.2 a.0\n  ret v19\n");
}

/// First index of the extreme of each segment, as the library of NESL computes it.
Var first_extreme(Builder& f, Var x, Var s, Op reduction, Var otherwise, bool turned) {
  const Var extreme = f.op(Op::kDist, Suffix::kInt, {f.op(reduction, Suffix::kInt, {x, s}), s});
  const Var equal = f.op(Op::kEqual, Suffix::kInt, turned ? std::vector{extreme, x} : std::vector{x, extreme});
  const Var indices = index(f, for_each_segment(f, 0, s), s);
  return f.op(Op::kMinReduce, Suffix::kInt, {f.op(Op::kSelect, Suffix::kInt, {equal, indices, otherwise}), s});
}

TEST(Recognize, SmallestIndexOfTheExtremeBecomesArgReduction) {
  const auto found = [](Op reduction, bool turned) {
    return recognized([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var lengths = f.op(Op::kLengths, Suffix::kNone, {p[1]});
      const Var otherwise = f.op(Op::kDist, Suffix::kInt, {lengths, p[1]});
      return {first_extreme(f, p[0], p[1], reduction, otherwise, turned)};
    });
  };
  EXPECT_EQ(found(Op::kMaxReduce, false), "  v22: Int = MAX_INDEX INT a.0 s.1\n  ret v22\n");
  EXPECT_EQ(found(Op::kMinReduce, true), "  v22: Int = MIN_INDEX INT a.0 s.1\n  ret v22\n");
  EXPECT_NE(found(Op::kSumReduce, false).find("MIN_REDUCE"), std::string::npos);
}

TEST(Recognize, ArgReductionAcceptsElementsOrConstantAsLength) {
  const auto found = [](bool constant) {
    return recognized([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var s = constant ? make_segdes(f, f.constant(7)) : whole(f, p[0]);
      const Var x = constant ? f.op(Op::kDist, Suffix::kInt, {f.constant(3), s}) : p[0];
      const Var number = constant ? f.constant(7) : f.op(Op::kLength, Suffix::kInt, {p[0]});
      return {first_extreme(f, x, s, Op::kMaxReduce, f.op(Op::kDist, Suffix::kInt, {number, s}), false)};
    });
  };
  for (const bool constant : {false, true}) EXPECT_NE(found(constant).find("MAX_INDEX"), std::string::npos);
}

TEST(Recognize, ArgReductionAcceptsOneNumberAsEachLength) {
  const auto found = [](bool same) {
    return recognized([=](Builder& f, std::vector<Var> p) -> std::vector<Var> {
      const Var length = f.op(Op::kLength, Suffix::kInt, {p[2]});
      const Var s = make_segdes(f, f.op(Op::kDist, Suffix::kInt, {length, whole(f, p[0])}));
      const Var x = f.op(Op::kDist, Suffix::kInt, {p[0], s});
      const Var number = same ? length : f.op(Op::kAdd, Suffix::kInt, {length, length});
      return {first_extreme(f, x, s, Op::kMaxReduce, f.op(Op::kDist, Suffix::kInt, {number, whole(f, x)}), false)};
    });
  };
  EXPECT_NE(found(true).find("MAX_INDEX"), std::string::npos) << found(true);
  EXPECT_EQ(found(false).find("MAX_INDEX"), std::string::npos);
}

TEST(Recognize, OtherNumbersThanLengthsPreventArgReduction) {
  const std::string text = recognized([](Builder& f, std::vector<Var> p) -> std::vector<Var> {
    const Var otherwise = f.op(Op::kDist, Suffix::kInt, {f.op(Op::kLengths, Suffix::kNone, {p[3]}), p[1]});
    return {first_extreme(f, p[0], p[1], Op::kMaxReduce, otherwise, false)};
  });
  EXPECT_EQ(text.find("MAX_INDEX"), std::string::npos) << text;
}

TEST(Recognize, OperationsWithUnprovenLengthsStay) {
  const std::string text =
      recognized([](Builder& f, std::vector<Var> p) { return merged(f, std::move(p), false); }, false);
  EXPECT_EQ(text.find("MERGE"), std::string::npos) << text;
}

}  // namespace
}  // namespace vcode::letform::testing

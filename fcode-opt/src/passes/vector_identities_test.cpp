#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

/// Replicates a constant for each segment of a descriptor.
template <class T>
Var for_each_segment(Builder& f, T constant, Suffix suffix, Var s) {
  Var segments = f.op(Op::kLength, Suffix::kInt, {f.op(Op::kLengths, Suffix::kNone, {s})});
  return f.op(Op::kDist, suffix, {f.constant(constant), f.op(Op::kMakeSegdes, Suffix::kNone, {segments})});
}

Var make_index(Builder& f, Var s, int start, int stride) {
  Var starts = for_each_segment(f, start, Suffix::kInt, s), strides = for_each_segment(f, stride, Suffix::kInt, s);
  return f.op(Op::kIndex, Suffix::kNone, {starts, strides, s});
}

TEST(VectorIdentities, IdentityMovesAreRemoved) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var s) -> std::vector<Var> {
              Var again = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLengths, Suffix::kNone, {s})});
              Var b = f.op(Op::kBpermute, Suffix::kInt, {a, make_index(f, again, 0, 1), s, again});
              return {f.op(Op::kPermute, Suffix::kInt, {b, make_index(f, s, 0, 1), s})};
            }),
            "  ret a.0\n");
  for (auto [start, stride] : {std::pair{1, 1}, std::pair{0, 2}})
    EXPECT_NE(simplified([start = start, stride = stride](Builder& f, Var a, Var s) -> std::vector<Var> {
                return {f.op(Op::kBpermute, Suffix::kInt, {a, make_index(f, s, start, stride), s, s})};
              }).find("BPERMUTE"),
              std::string::npos);
}

TEST(VectorIdentities, PackWithUniformFlagsIsRemoved) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var s) -> std::vector<Var> {
              Var all = f.op(Op::kDist, Suffix::kBool, {for_each_segment(f, true, Suffix::kBool, s), s});
              return f.ops(Op::kPack, Suffix::kInt, {a, all, s});
            }),
            "  ret a.0 s.1\n");
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              Var whole = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {a})});
              Var none = f.op(Op::kDist, Suffix::kBool, {f.constant(false), whole});
              return f.ops(Op::kPack, Suffix::kInt, {a, none, whole});
            }),
            "  v8: Int = CONST INT ()\n  v9: Segdes scalar = CONST SEGDES 0\n  ret v8 v9\n");
  // The number of empty segments is not known in advance, so this PACK stays.
  EXPECT_NE(simplified([](Builder& f, Var a, Var s) -> std::vector<Var> {
              Var none = f.op(Op::kDist, Suffix::kBool, {for_each_segment(f, false, Suffix::kBool, s), s});
              return f.ops(Op::kPack, Suffix::kInt, {a, none, s});
            }).find("PACK"),
            std::string::npos);
}

TEST(VectorIdentities, NumbersOfElementsAreNotNegative) {
  const auto compared = [](Op op, int number, bool count_first) {
    return simplified([=](Builder& f, Var a, Var) -> std::vector<Var> {
      const Var n = f.op(Op::kLength, Suffix::kInt, {a}), other = f.constant(number);
      return {f.op(op, Suffix::kInt, count_first ? std::vector{n, other} : std::vector{other, n})};
    });
  };
  const auto is_true = [](const std::string& text) { return text.find("CONST BOOL T") != std::string::npos; };
  const auto is_false = [](const std::string& text) { return text.find("CONST BOOL F") != std::string::npos; };
  EXPECT_TRUE(is_true(compared(Op::kLessEqual, 0, false)));
  EXPECT_TRUE(is_true(compared(Op::kGreaterEqual, 0, true)));
  EXPECT_TRUE(is_false(compared(Op::kGreater, 0, false)));
  EXPECT_TRUE(is_false(compared(Op::kLess, 0, true)));
  EXPECT_FALSE(is_true(compared(Op::kGreaterEqual, 0, false)));
  EXPECT_FALSE(is_true(compared(Op::kLessEqual, 0, true)));
  EXPECT_FALSE(is_true(compared(Op::kLessEqual, 1, false)));
  EXPECT_FALSE(is_true(compared(Op::kGreaterEqual, 1, true)));
}

TEST(VectorIdentities, SumsOfOnesAreLengths) {
  EXPECT_EQ(simplified([](Builder& f, Var, Var s) -> std::vector<Var> {
              Var ones = f.op(Op::kDist, Suffix::kInt, {for_each_segment(f, 1, Suffix::kInt, s), s});
              return {f.op(Op::kSumReduce, Suffix::kInt, {ones, s})};
            }),
            "  v2: Int = LENGTHS s.1\n  ret v2\n");
  // A sum of floats is rounded.
  EXPECT_NE(simplified([](Builder& f, Var, Var s) -> std::vector<Var> {
              Var ones = f.op(Op::kDist, Suffix::kFloat, {f.constant(1.0), s});
              return {f.op(Op::kSumReduce, Suffix::kFloat, {ones, s})};
            }).find("+_REDUCE FLOAT"),
            std::string::npos);
}

TEST(VectorIdentities, ScanOfADistributedNumberIsAnIndex) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              Var n = f.op(Op::kLength, Suffix::kInt, {a});
              Var whole = f.op(Op::kMakeSegdes, Suffix::kNone, {n});
              return {f.op(Op::kSumScan, Suffix::kInt, {f.op(Op::kDist, Suffix::kInt, {n, whole}), whole})};
            }),
            "  v2: Int = LENGTH INT a.0\n  v3: Segdes = MAKE_SEGDES v2\n  v6: Int scalar = CONST INT 0\n"
            "  v5: Int = INDEX v6 v2 v3\n  ret v5\n");
}

TEST(VectorIdentities, ScanOfOneElementIsZero) {
  const auto sum = [](Op scan, Suffix suffix) {
    return simplified([=](Builder& f, Var a, Var) -> std::vector<Var> {
      Var n = f.op(Op::kLength, Suffix::kInt, {a});
      if (suffix == Suffix::kFloat) n = f.op(Op::kIntToFloat, Suffix::kNone, {n});
      return {f.op(scan, suffix, {n, f.op(Op::kMakeSegdes, Suffix::kNone, {f.constant(1)})})};
    });
  };
  EXPECT_EQ(sum(Op::kSumScan, Suffix::kInt), "  v6: Int scalar = CONST INT 0\n  ret v6\n");
  EXPECT_NE(sum(Op::kMaxScan, Suffix::kInt).find("MAX_SCAN"), std::string::npos);
}

TEST(VectorIdentities, DistOfADistOfOneElementIsOneDist) {
  const auto distributed = [](bool one) {
    return simplified([&](Builder& f, Var a, Var s) -> std::vector<Var> {
      const auto whole = [&](Var v) {
        return f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {v})});
      };
      Var inner = one ? f.op(Op::kDist, Suffix::kInt, {f.op(Op::kLength, Suffix::kInt, {a}), whole(a)})
                      : f.op(Op::kDist, Suffix::kInt, {a, s});
      Var lengths = f.op(Op::kDist, Suffix::kInt, {f.constant(3), whole(inner)});
      Var segments = f.op(Op::kMakeSegdes, Suffix::kNone, {lengths});
      Var positions = make_index(f, segments, 0, 1);
      return {positions, whole(positions), f.op(Op::kDist, Suffix::kInt, {inner, segments})};
    });
  };
  EXPECT_EQ(distributed(true).find("DIST INT v2 v3"), std::string::npos) << distributed(true);
  const std::string vectors = distributed(false), from_a = "DIST INT a.0";
  EXPECT_NE(vectors.find(from_a), std::string::npos) << vectors;
  EXPECT_EQ(vectors.find(from_a), vectors.rfind(from_a)) << vectors;
}

TEST(VectorIdentities, ReductionOfIdentityElementsIsFolded) {
  auto reduced = [](Op op, Suffix suffix, auto constant) {
    return simplified([&](Builder& f, Var a, Var) -> std::vector<Var> {
      Var whole = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {a})});
      return {f.op(op, suffix, {f.op(Op::kDist, suffix, {f.constant(constant), whole}), whole})};
    });
  };
  EXPECT_EQ(reduced(Op::kAndReduce, Suffix::kBool, true), "  v4: Bool scalar = CONST BOOL T\n  ret v4\n");
  EXPECT_EQ(reduced(Op::kSumReduce, Suffix::kFloat, 0.0), "  v4: Float scalar = CONST FLOAT 0.0\n  ret v4\n");
  EXPECT_NE(reduced(Op::kAndReduce, Suffix::kBool, false).find("AND_REDUCE"), std::string::npos);
  EXPECT_NE(reduced(Op::kSumReduce, Suffix::kFloat, -0.0).find("+_REDUCE"), std::string::npos);
  EXPECT_NE(reduced(Op::kMaxReduce, Suffix::kInt, 0).find("MAX_REDUCE"), std::string::npos);
}

TEST(VectorIdentities, ReductionOfSegmentsOfOneElementIsRemoved) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              Var whole = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {a})});
              Var ones = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kDist, Suffix::kInt, {f.constant(1), whole})});
              Var b = f.op(Op::kDist, Suffix::kInt, {a, ones});
              return {f.op(Op::kMaxReduce, Suffix::kInt, {b, ones})};
            }),
            "  ret a.0\n");
}

TEST(VectorIdentities, ExtractFromUniformVectorIsRemoved) {
  auto element = [](int position) {
    return simplified([&](Builder& f, Var a, Var) -> std::vector<Var> {
      Var x = f.op(Op::kLength, Suffix::kInt, {a});
      Var five = f.op(Op::kMakeSegdes, Suffix::kNone, {f.constant(5)});
      return {f.op(Op::kExtract, Suffix::kInt, {f.op(Op::kDist, Suffix::kInt, {x, five}), f.constant(position), five})};
    });
  };
  EXPECT_EQ(element(4), "  v2: Int = LENGTH INT a.0\n  ret v2\n");
  EXPECT_NE(element(5).find("EXTRACT"), std::string::npos);
}

TEST(VectorIdentities, ExtractAndSumOfAReplacedPairAreSimplified) {
  /// Text of a program that computes `of` from the vector (7, a number).
  const auto pair = [](const std::function<Var(Builder&, Var, Var)>& of) {
    const std::string all = simplified([&](Builder& f, Var a, Var) -> std::vector<Var> {
      const Var two = f.op(Op::kMakeSegdes, Suffix::kNone, {f.constant(2)}), n = f.op(Op::kLength, Suffix::kInt, {a});
      const Var sevens = f.op(Op::kDist, Suffix::kInt, {f.constant(7), two});
      return {of(f, f.op(Op::kReplace, Suffix::kInt, {sevens, f.constant(1), n, two}), two)};
    });
    const std::size_t replace = all.find("REPLACE INT v6 v7 v4 v3\n");  // v4 is the number, v5 is 7
    return replace == std::string::npos ? all : all.substr(all.find('\n', replace) + 1);
  };
  const auto element = [&](int position, bool of_positions) {
    return pair([=](Builder& f, Var both, Var two) {
      const Var from = of_positions ? f.op(Op::kSumScan, Suffix::kInt, {both, two}) : both;
      return f.op(Op::kExtract, Suffix::kInt, {from, f.constant(position), two});
    });
  };
  EXPECT_EQ(element(0, false), "  ret v5\n");
  EXPECT_EQ(element(1, false), "  ret v4\n");
  EXPECT_EQ(element(0, true), "  v10: Int scalar = CONST INT 0\n  ret v10\n");
  EXPECT_EQ(element(1, true), "  ret v5\n");
  EXPECT_NE(element(2, false).find("EXTRACT"), std::string::npos) << "out of range";
  EXPECT_EQ(pair([](Builder& f, Var both, Var two) {
              return f.op(Op::kSumReduce, Suffix::kInt, {both, two});
            }),
            "  v9: Int = + INT v5 v4\n  ret v9\n");
}

TEST(VectorIdentities, DistOfADistOverOneSegmentIsOneDist) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var s) -> std::vector<Var> {
              Var n = f.op(Op::kLength, Suffix::kInt, {a});
              Var whole = f.op(Op::kMakeSegdes, Suffix::kNone, {n});
              Var b = f.op(Op::kXor, Suffix::kInt, {a, a});
              Var sum = f.op(Op::kSumReduce, Suffix::kInt, {b, s});
              Var outer = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {sum})});
              return {f.op(Op::kDist, Suffix::kInt, {f.op(Op::kDist, Suffix::kInt, {n, outer}), s}), b, sum, whole};
            }),
            "  v2: Int = LENGTH INT a.0\n  v3: Segdes = MAKE_SEGDES v2\n  v4: Int = XOR INT a.0 a.0\n"
            "  v5: Int = +_REDUCE INT v4 s.1\n  v9: Int = DIST INT v2 v3\n  ret v9 v4 v5 v3\n");
}

TEST(VectorIdentities, SelectByNegatedFlagsSwapsItsOperands) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              Var flags = f.op(Op::kIntToBool, Suffix::kNone, {a});
              Var b = f.op(Op::kNot, Suffix::kInt, {a});
              return {f.op(Op::kSelect, Suffix::kInt, {f.op(Op::kNot, Suffix::kBool, {flags}), a, b})};
            }),
            "  v2: Bool = I_TO_B a.0\n  v3: Int = NOT INT a.0\n  v5: Int = SELECT INT v2 v3 a.0\n  ret v5\n");
}

/// A descriptor that is handed on with its data need not be made again, nor handed on twice.
TEST(VectorIdentities, DescriptorsPassedWithTheirDataAreReused) {
  Program program;
  Builder g(program, "g");
  Var x = g.parameter(Kind::kInt, "x");
  g.parameter(Kind::kSegdes, "s");
  Var t = g.parameter(Kind::kSegdes, "t");
  Var again = g.op(Op::kMakeSegdes, Suffix::kNone, {g.op(Op::kLength, Suffix::kInt, {x})});
  g.will_return({x, t});
  std::vector<Var> r = g.choose(
      g.op(Op::kOrReduce, Suffix::kBool, {g.op(Op::kIntToBool, Suffix::kNone, {x}), again}),
      [&] {
        return g.call(g, {g.op(Op::kSumScan, Suffix::kInt, {x, again}), again, t});
      },
      [&] {
        return std::vector{x, t};
      });
  g.ret(r);
  Builder main(program, "MAIN");
  Var a = main.parameter(Kind::kInt, "a");
  Var whole = main.op(Op::kMakeSegdes, Suffix::kNone, {main.op(Op::kLength, Suffix::kInt, {a})});
  std::vector<Var> c = main.call(g, {a, whole, whole});
  main.ret({c[0], c[1], main.op(Op::kLength, Suffix::kInt, {c[0]})});
  program.entry = main.number();
  simplify(program);
  remove_dead_parameters(program);
  EXPECT_EQ(text(program),
            "function g (x.0: Int, s.1: Segdes)\n"
            "  v5: Bool = I_TO_B x.0\n"
            "  v6: Bool = OR_REDUCE BOOL v5 s.1\n"
            "  v10: Int = IF v6\n"
            "  then\n"
            "    v7: Int = +_SCAN INT x.0 s.1\n"
            "    v8: Int = CALL g v7 s.1\n"
            "    yield v8\n"
            "  else\n"
            "    yield x.0\n"
            "  ret v10\n"
            "\n"
            "entry MAIN (a.0: Int)\n"
            "  v1: Int = LENGTH INT a.0\n"
            "  v2: Segdes = MAKE_SEGDES v1\n"
            "  v3: Int = CALL g a.0 v2\n"
            "  ret v3 v2 v1\n");
}

TEST(VectorIdentities, FirstOffsetsAreZeroAndTheFirstLength) {
  const auto offset = [](int k) {
    return simplified([=](Builder& f, Var a, Var) -> std::vector<Var> {
      const Var two = f.op(Op::kMakeSegdes, Suffix::kNone, {f.constant(2)});
      const Var lengths = f.op(Op::kReplace, Suffix::kInt,
                               {f.op(Op::kDist, Suffix::kInt, {f.constant(7), two}), f.constant(1),
                                f.op(Op::kLength, Suffix::kInt, {a}), two});
      const Var offsets = f.op(Op::kOffsets, Suffix::kNone, {f.op(Op::kMakeSegdes, Suffix::kNone, {lengths})});
      return {f.op(Op::kExtract, Suffix::kInt, {offsets, f.constant(k), two})};
    });
  };
  EXPECT_NE(offset(0).find("CONST INT 0\n  ret"), std::string::npos) << offset(0);
  EXPECT_NE(offset(1).find("v4: Int scalar = CONST INT 7\n"), std::string::npos) << offset(1);
  EXPECT_NE(offset(1).find("  ret v4\n"), std::string::npos) << offset(1);
}

TEST(VectorIdentities, SliceOfAllElementsIsTheVector) {
  const auto slice = [](int start) {
    return simplified([=](Builder& f, Var a, Var) -> std::vector<Var> {
      const Var all = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {a})});
      return {f.op(Op::kSlice, Suffix::kInt, {a, f.constant(start), all})};
    });
  };
  EXPECT_EQ(slice(0), "  ret a.0\n");
  EXPECT_NE(slice(1).find("SLICE"), std::string::npos);
}

}  // namespace
}  // namespace vcode::letform::testing

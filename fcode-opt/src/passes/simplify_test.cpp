#include <gtest/gtest.h>

#include <fmt/format.h>

#include "letform_testing.h"

namespace vcode::letform::testing {
namespace {

TEST(Simplify, ConstantsAreFolded) {
  EXPECT_EQ(simplified([](Builder& f, Var, Var) -> std::vector<Var> {
              Var two = f.constant(2);
              return {f.op(Op::kMultiply, Suffix::kInt, {f.op(Op::kAdd, Suffix::kInt, {two, two}), f.constant(5)})};
            }),
            "  v5: Int scalar = CONST INT 20\n  ret v5\n");
}

TEST(Simplify, ResultsThatDependOnWidthsAreNotFolded) {
  for (auto [op, a, b] :
       {std::tuple{Op::kMultiply, 65536, 65536}, std::tuple{Op::kAdd, INT32_MAX, 1}, std::tuple{Op::kDivide, 1, 0}}) {
    const std::string result = simplified([&, op = op, a = a, b = b](Builder& f, Var, Var) -> std::vector<Var> {
      return {f.op(op, Suffix::kInt, {f.constant(a), f.constant(b)})};
    });
    EXPECT_NE(result.find(fmt::format("= {} INT", info(op).text)), result.npos) << result;
  }
  // The square of 0.1 is rounded to another number if FLOAT has 32 bits, that of 0.5 is exact.
  auto square = [](double x) {
    return simplified([&](Builder& f, Var, Var) -> std::vector<Var> {
      return {f.op(Op::kMultiply, Suffix::kFloat, {f.constant(x), f.constant(x)})};
    });
  };
  EXPECT_NE(square(0.1).find("* FLOAT"), std::string::npos);
  EXPECT_NE(square(0.5).find("CONST FLOAT 0.25"), std::string::npos);
  // Of 32 bits both are 0.0, and so is their difference; the constant -1e-46 would be -0.0.
  EXPECT_NE(simplified([&](Builder& f, Var, Var) -> std::vector<Var> {
              return {f.op(Op::kSubtract, Suffix::kFloat, {f.constant(1e-46), f.constant(2e-46)})};
            }).find("- FLOAT"),
            std::string::npos);
}

/// Functions of constants have the same bits wherever they are computed.
TEST(Simplify, FunctionsOfConstantsAreConstants) {
  for (auto [op, x] : {std::tuple{Op::kSin, 1.0}, std::tuple{Op::kExp, 2.0}, std::tuple{Op::kSqrt, 4.0}}) {
    const std::string result = simplified([&, op = op, x = x](Builder& f, Var, Var) -> std::vector<Var> {
      return {f.op(op, Suffix::kNone, {f.constant(x)})};
    });
    EXPECT_EQ(result.find(info(op).text), result.npos) << result;
  }
}

TEST(Simplify, ConstantsThatDecideAreResults) {
  const std::string result = simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
    const Var n = f.op(Op::kLength, Suffix::kInt, {a}), is_three = f.op(Op::kEqual, Suffix::kInt, {n, f.constant(3)});
    return {f.op(Op::kOr, Suffix::kBool, {f.constant(true), is_three}),
            f.op(Op::kAnd, Suffix::kBool, {is_three, f.constant(false)}),
            f.op(Op::kMultiply, Suffix::kInt, {n, f.constant(0)}), f.op(Op::kAnd, Suffix::kInt, {f.constant(0), n})};
  });
  for (const char* const op : {"LENGTH", "OR", "AND", "* INT"}) EXPECT_EQ(result.find(op), result.npos) << result;
  // Infinity times zero is NaN.
  EXPECT_NE(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              const Var x = f.op(Op::kIntToFloat, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {a})});
              return {f.op(Op::kMultiply, Suffix::kFloat, {x, f.constant(0.0)})};
            }).find("* FLOAT"),
            std::string::npos);
}

TEST(Simplify, EqualExpressionsAreMerged) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              Var b = f.op(Op::kNot, Suffix::kInt, {a});
              return {f.op(Op::kAdd, Suffix::kInt, {a, b}),
                      f.op(Op::kAdd, Suffix::kInt, {f.op(Op::kNot, Suffix::kInt, {a}), a})};
            }),
            "  v2: Int = NOT INT a.0\n  v3: Int = + INT a.0 v2\n  ret v3 v3\n");
}

TEST(Simplify, TimedOperationsAreComputedBetweenTheTimers) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              const auto opposite = [&] { return f.op(Op::kNot, Suffix::kInt, {a}); };
              const Var before = opposite();
              f.ops(Op::kStartTimer, Suffix::kNone, {});
              const Var timed = opposite();
              const Var seconds = f.op(Op::kStopTimer, Suffix::kNone, {});
              f.waits_for({timed});
              return {before, seconds, opposite()};
            }),
            "  v2: Int = NOT INT a.0\n"
            "  START_TIMER\n"
            "  v3: Int = NOT INT a.0\n"
            "  v4: Float = STOP_TIMER  waits for v3\n"
            "  ret v2 v4 v3\n");
}

TEST(Simplify, ComparisonOfAScalarWithItselfIsFolded) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              const Var n = f.op(Op::kLength, Suffix::kInt, {a});
              f.ops(Op::kAssert, Suffix::kNone, {f.op(Op::kEqual, Suffix::kInt, {n, n})});
              return {f.op(Op::kSubtract, Suffix::kInt, {n, n})};
            }),
            "  v5: Int scalar = CONST INT 0\n  ret v5\n");
  const std::string vectors = simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
    return {f.op(Op::kSubtract, Suffix::kInt, {a, a})};
  });
  EXPECT_NE(vectors.find("- INT"), vectors.npos) << vectors;
  const std::string not_a_number = simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
    const Var x = f.op(Op::kIntToFloat, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {a})});
    return {f.op(Op::kEqual, Suffix::kFloat, {x, x})};
  });
  EXPECT_NE(not_a_number.find("= FLOAT"), not_a_number.npos) << not_a_number;
}

TEST(Simplify, RandomNumbersAreDrawnEachTime) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              f.op(Op::kRandom, Suffix::kNone, {a});
              return {f.op(Op::kRandom, Suffix::kNone, {a})};
            }),
            "  v2: Int = RAND a.0\n  v3: Int = RAND a.0\n  ret v3\n");
}

TEST(Simplify, BranchesReuseValuesOfEnclosingBlocks) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var s) -> std::vector<Var> {
              Var b = f.op(Op::kNot, Suffix::kInt, {a});
              Var c = f.op(Op::kIntToBool, Suffix::kNone, {f.op(Op::kSumReduce, Suffix::kInt, {a, s})});
              Var r = f.choose(
                  c,
                  [&] {
                    return std::vector{f.op(Op::kXor, Suffix::kInt, {a, f.op(Op::kNot, Suffix::kInt, {a})})};
                  },
                  [&] { return std::vector{b}; })[0];
              // The XOR of the branch is not visible here.
              return {f.op(Op::kXor, Suffix::kInt, {a, b}), r};
            }),
            "  v2: Int = NOT INT a.0\n"
            "  v3: Int = +_REDUCE INT a.0 s.1\n"
            "  v4: Bool = I_TO_B v3\n"
            "  v7: Int = IF v4\n"
            "  then\n"
            "    v6: Int = XOR INT a.0 v2\n"
            "    yield v6\n"
            "  else\n"
            "    yield v2\n"
            "  v8: Int = XOR INT a.0 v2\n"
            "  ret v8 v7\n");
}

TEST(Simplify, KnownConditionSelectsTheBranch) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              Var c = f.op(Op::kLess, Suffix::kInt, {f.constant(1), f.constant(2)});
              return f.choose(
                  c, [&] { return std::vector{f.op(Op::kNot, Suffix::kInt, {a})}; }, [&] { return std::vector{a}; });
            }),
            "  v5: Int = NOT INT a.0\n  ret v5\n");
}

TEST(Simplify, EqualAndUnusedResultsOfIfAreRemoved) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              Var c = f.op(Op::kIntToBool, Suffix::kNone, {a});
              Var no = f.op(Op::kNot, Suffix::kBool, {c});
              std::vector<Var> r = f.choose(
                  no,
                  [&] {
                    Var b = f.op(Op::kNot, Suffix::kInt, {a});
                    return std::vector{b, a, f.constant(1), f.op(Op::kAdd, Suffix::kInt, {a, b})};
                  },
                  [&] {
                    return std::vector{a, a, f.constant(1), a};
                  });
              return {r[1], r[2], r[3]};
            }),
            "  v2: Bool = I_TO_B a.0\n"
            "  v10: Int scalar = CONST INT 1\n"
            "  v11: Int = IF v2\n"
            "  then\n"
            "    yield a.0\n"
            "  else\n"
            "    v4: Int = NOT INT a.0\n"
            "    v6: Int = + INT a.0 v4\n"
            "    yield v6\n"
            "  ret a.0 v10 v11\n");
}

TEST(Simplify, EqualLengthsAndDescriptorsAreMerged) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var s) -> std::vector<Var> {
              Var n = f.op(Op::kLength, Suffix::kInt, {a});
              Var whole = f.op(Op::kMakeSegdes, Suffix::kNone, {n});
              Var b = f.op(Op::kNot, Suffix::kInt, {a});
              Var m = f.op(Op::kLength, Suffix::kInt, {b});
              Var again = f.op(Op::kMakeSegdes, Suffix::kNone, {m});
              Var same = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLengths, Suffix::kNone, {s})});
              return {b, whole, again, same, f.op(Op::kLengths, Suffix::kNone, {whole})};
            }),
            "  v2: Int = LENGTH INT a.0\n  v3: Segdes = MAKE_SEGDES v2\n  v4: Int = NOT INT a.0\n"
            "  ret v4 v3 v3 s.1 v2\n");
}

TEST(Simplify, AddingAndSubtractingTheSameValueCancels) {
  const auto twice = [](Op first, Op second, Suffix suffix, bool turned) {
    return simplified([=](Builder& f, Var a, Var s) -> std::vector<Var> {
      Var x = a, y = f.op(Op::kIndex, Suffix::kNone, {a, a, s});
      if (suffix == Suffix::kFloat) {
        x = f.op(Op::kIntToFloat, Suffix::kNone, {x});
        y = f.op(Op::kIntToFloat, Suffix::kNone, {y});
      }
      const Var changed = f.op(first, suffix, {x, y});
      return {f.op(second, suffix, turned ? std::vector{y, changed} : std::vector{changed, y})};
    });
  };
  EXPECT_EQ(twice(Op::kSubtract, Op::kAdd, Suffix::kInt, false), "  ret a.0\n");
  EXPECT_EQ(twice(Op::kSubtract, Op::kAdd, Suffix::kInt, true), "  ret a.0\n");
  EXPECT_EQ(twice(Op::kAdd, Op::kSubtract, Suffix::kInt, false), "  ret a.0\n");
  EXPECT_NE(twice(Op::kAdd, Op::kSubtract, Suffix::kInt, true), "  ret a.0\n") << "that is -x";
  EXPECT_NE(twice(Op::kAdd, Op::kSubtract, Suffix::kFloat, false).find("- FLOAT"), std::string::npos) << "rounded";
}

TEST(Simplify, RepeatedAndOrOperandIsAbsorbed) {
  for (const Op op : {Op::kAnd, Op::kOr})
    EXPECT_EQ(
        simplified([op](Builder& f, Var a, Var s) -> std::vector<Var> {
          const Var b = f.op(Op::kIndex, Suffix::kNone, {a, a, s}), both = f.op(op, Suffix::kInt, {a, b});
          return {f.op(op, Suffix::kInt, {both, b}), f.op(op, Suffix::kInt, {a, both}), f.op(op, Suffix::kInt, {a, a})};
        }),
        "  v2: Int = INDEX a.0 a.0 s.1\n  v3: Int = " + std::string(info(op).text) + " INT a.0 v2\n  ret v3 v3 a.0\n");
}

TEST(Simplify, RightIdentityOperandsAreRemoved) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var s) -> std::vector<Var> {
              Var zero = f.op(Op::kDist, Suffix::kInt, {f.constant(0), s});
              Var one = f.op(Op::kDist, Suffix::kInt, {f.constant(1), s});
              Var b = f.op(Op::kAdd, Suffix::kInt, {zero, a});
              Var c = f.op(Op::kMultiply, Suffix::kInt, {b, one});
              Var d = f.op(Op::kDivide, Suffix::kInt, {c, one});
              return {f.op(Op::kShiftLeft, Suffix::kNone, {d, zero})};
            }),
            "  ret a.0\n");
  // -0.0 + 0.0 is 0.0.
  EXPECT_NE(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              return {f.op(Op::kAdd, Suffix::kFloat, {f.op(Op::kIntToFloat, Suffix::kNone, {a}), f.constant(0.0)})};
            }).find("+ FLOAT"),
            std::string::npos);
}

TEST(Simplify, DistIsAppliedAfterTheOperation) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var s) -> std::vector<Var> {
              Var x = f.op(Op::kDist, Suffix::kInt, {a, s});
              Var y = f.op(Op::kDist, Suffix::kInt, {f.op(Op::kNot, Suffix::kInt, {a}), s});
              return {f.op(Op::kLess, Suffix::kInt, {x, y})};
            }),
            "  v3: Int = NOT INT a.0\n  v6: Bool = < INT a.0 v3\n  v5: Bool = DIST BOOL v6 s.1\n  ret v5\n");
  // The division must not run for segments without elements.
  EXPECT_NE(simplified([](Builder& f, Var a, Var s) -> std::vector<Var> {
              Var x = f.op(Op::kDist, Suffix::kInt, {a, s});
              return {f.op(Op::kDivide, Suffix::kInt, {x, x})};
            }).find("/ INT v2 v2"),
            std::string::npos);
}

TEST(Simplify, EffectsStay) {
  EXPECT_EQ(simplified([](Builder& f, Var a, Var) -> std::vector<Var> {
              f.op(Op::kDivide, Suffix::kInt, {a, a});
              f.op(Op::kDivide, Suffix::kInt, {a, f.constant(3)});
              f.op(Op::kSin, Suffix::kNone, {f.op(Op::kIntToFloat, Suffix::kNone, {a})});
              f.ops(Op::kWrite, Suffix::kInt, {a});
              return {};
            }),
            "  v2: Int = / INT a.0 a.0\n  v7: Int, v8: Bool = WRITE INT a.0\n  ret\n");
}

/// f (n) is 0, if it returns.
TEST(Simplify, RecursionThatMightNotEndIsRun) {
  Program program;
  Builder f(program, "f");
  Var n = f.parameter(Kind::kInt, "n");
  f.will_return({n});
  std::vector<Var> r = f.choose(
      f.op(Op::kIntToBool, Suffix::kNone, {n}), [&] { return f.call(f, {n}); },
      [&] { return std::vector{f.constant(0)}; });
  f.ret(r);
  Builder main(program, "MAIN");
  main.ret(main.call(f, {main.parameter(Kind::kInt, "a")}));
  program.entry = main.number();
  simplify(program);
  EXPECT_TRUE(text(program).ends_with("entry MAIN (a.0: Int)\n  v1: Int = CALL f a.0\n  ret v1\n")) << text(program);
}

TEST(Simplify, EqualConstantsAreMerged) {
  Program program;
  Builder main(program, "MAIN");
  main.ret({main.constant(1), main.constant(1), main.constant(0.0), main.constant(-0.0)});
  simplify(program);
  EXPECT_EQ(program.constants.size(), 3u);
  EXPECT_EQ(text(program),
            "entry MAIN ()\n  v0: Int scalar = CONST INT 1\n  v2: Float scalar = CONST FLOAT 0.0\n"
            "  v3: Float scalar = CONST FLOAT -0.0\n  ret v0 v0 v2 v3\n");
}

TEST(Simplify, UnusedDescriptorStaysIfItsLengthsCanBeNegative) {
  auto made_of = [](const std::function<Var(Builder&, Var)>& lengths) {
    const std::string left = simplified([&](Builder& f, Var a, Var) -> std::vector<Var> {
      f.op(Op::kMakeSegdes, Suffix::kNone, {lengths(f, a)});
      return {a};
    });
    return left.find("MAKE_SEGDES") != std::string::npos;
  };
  auto length = [](Builder& f, Var a) { return f.op(Op::kLength, Suffix::kInt, {a}); };
  EXPECT_FALSE(made_of(length));
  EXPECT_FALSE(made_of([&](Builder& f, Var a) { return f.op(Op::kAdd, Suffix::kInt, {length(f, a), length(f, a)}); }));
  EXPECT_FALSE(made_of([](Builder& f, Var) { return f.constant(std::vector<std::int64_t>{0, 3}); }));
  EXPECT_TRUE(made_of([](Builder&, Var a) { return a; }));
  for (const Op op : {Op::kSubtract, Op::kMultiply, Op::kXor})
    EXPECT_TRUE(made_of([&](Builder& f, Var a) {
      Var three = f.constant(3);
      return f.op(op, Suffix::kInt, {length(f, a), three});
    })) << info(op).text;
  EXPECT_TRUE(made_of([&](Builder& f, Var a) { return f.op(Op::kAdd, Suffix::kInt, {length(f, a), f.constant(-1)}); }));
  EXPECT_TRUE(made_of([](Builder& f, Var) { return f.constant(std::vector<std::int64_t>{3, -1}); }));
}

/// Ranks over the same descriptor are indices that permute.
TEST(Simplify, UnusedPermuteByRanksIsRemoved) {
  const auto permuted = [](bool same) {
    return simplified([=](Builder& f, Var a, Var s) -> std::vector<Var> {
      const Var whole = f.op(Op::kMakeSegdes, Suffix::kNone, {f.op(Op::kLength, Suffix::kInt, {a})});
      f.op(Op::kPermute, Suffix::kInt, {a, f.op(Op::kRankUp, Suffix::kInt, {a, same ? s : whole}), s});
      return {a};
    });
  };
  EXPECT_EQ(permuted(true), "  ret a.0\n");
  EXPECT_NE(permuted(false).find("PERMUTE"), std::string::npos);
}

}  // namespace
}  // namespace vcode::letform::testing

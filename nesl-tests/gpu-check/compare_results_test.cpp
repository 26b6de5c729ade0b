#include "compare_results.h"

#include <gtest/gtest.h>

namespace {

constexpr Tolerance kTolerance{1e-9, 1e-12};

bool same(const std::string& a, const std::string& b) { return first_difference(a, b, kTolerance).empty(); }

TEST(CompareResults, IntegersAndWordsAreExact) {
  EXPECT_TRUE(same("( 1 2 -3 )\n( T )\n", "( 1 2 -3 )\n( T )\n"));
  EXPECT_FALSE(same("( 1000000000000 )", "( 1000000000001 )"));
  EXPECT_FALSE(same("( T )", "( F )"));
  EXPECT_FALSE(same("( 1 2 )", "( 1 2 3 )"));
  EXPECT_FALSE(same("( 1 )\n", "( 1 )"));
}

TEST(CompareResults, FloatsHaveATolerance) {
  EXPECT_TRUE(same("( 1.00000000000000e+10 )", "( 1.00000000000001e+10 )"));
  EXPECT_FALSE(same("( 1.00000000000000e+10 )", "( 1.00000010000000e+10 )"));
  EXPECT_TRUE(same("(0.5, -1.0e-20)", "(0.5, 0.0)"));
  EXPECT_TRUE(same("[0.1, 0.30000000000000004]", "[0.1, 0.3]"));
  EXPECT_FALSE(same("( 1.0 )", "( 1.0 2.0 )"));
}

TEST(CompareResults, InfinitiesAndNaN) {
  EXPECT_TRUE(same("( inf -inf nan )", "( inf -inf nan )"));
  EXPECT_TRUE(same("( nan )", "( -nan )"));
  EXPECT_FALSE(same("( inf )", "( -inf )"));
  EXPECT_FALSE(same("( inf )", "( 1.0e+300 )"));
  EXPECT_FALSE(same("information", "nanometre"));
}

TEST(CompareResults, TheDifferenceIsShown) {
  EXPECT_EQ(first_difference("( 1 2 3 )", "( 1 5 3 )", kTolerance), "expected '2 3 )', found '5 3 )'");
  EXPECT_EQ(first_difference("( 1.5 )", "( 2.5 )", kTolerance), "expected '1.5', found '2.5'");
  EXPECT_EQ(first_difference("( 1 )\n", "", kTolerance), "expected '( 1 ) ', found the end");
}

}  // namespace

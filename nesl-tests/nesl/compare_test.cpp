#include "compare.h"

#include <gtest/gtest.h>

namespace nesl_cases {
namespace {

bool same_value(const std::string& expected, const std::string& actual) {
  return difference({.printed = {}, .value = expected, .error_class = {}, .error_text = {}},
                    {.printed = {}, .value = actual, .error_class = {}, .error_text = {}})
      .empty();
}

TEST(CompareReplies, ValuesAreComparedExactly) {
  EXPECT_TRUE(same_value("it = [1, 2] : [int]", "it = [1, 2] : [int]"));
  EXPECT_FALSE(same_value("it = [1, 2] : [int]", "it = [1,2] : [int]"));
  EXPECT_FALSE(same_value("it = 1 : int", "it = 1 : float"));
  EXPECT_FALSE(same_value("it = 1 : int", "x = 1 : int"));
  EXPECT_FALSE(same_value("it = 1 : int", ""));
  EXPECT_FALSE(same_value("it = \"a : b\" : [char]", "it = \"a : c\" : [char]"));
  EXPECT_FALSE(same_value("it = `: : char", "it = `; : char"));
}

TEST(CompareReplies, FloatsMayDifferByOneUnitInTheLastDigit) {
  EXPECT_TRUE(same_value("it = 0.333333333333333 : float", "it = 0.333333333333334 : float"));
  EXPECT_FALSE(same_value("it = 0.333333333333333 : float", "it = 0.333333333333335 : float"));
  EXPECT_TRUE(same_value("it = 6.66666666666667E9 : float", "it = 6.66666666666668E9 : float"));
  EXPECT_FALSE(same_value("it = 1.0 : float", "it = -1.0 : float"));
  EXPECT_FALSE(same_value("it = 0.0 : float", "it = 1.0E-300 : float"));
}

TEST(CompareReplies, TypeVariablesMayHaveOtherNames) {
  EXPECT_TRUE(same_value("g = fn : a -> b :: (a in any; b in number)", "g = fn : x -> y :: (y in number; x in any)"));
  EXPECT_FALSE(same_value("g = fn : a -> a :: (a in any)", "g = fn : a -> b :: (a in any; b in any)"));
  EXPECT_FALSE(same_value("g = fn : a -> b :: (a in any; b in any)", "g = fn : a -> a :: (a in any)"));
  EXPECT_FALSE(same_value("g = fn : a -> a :: (a in any)", "g = fn : a -> a :: (a in number)"));
  EXPECT_FALSE(same_value("g = fn : a -> a :: (a in any)", "g = fn : int -> int"));
}

TEST(CompareReplies, LeftOverContextEntriesAreIgnored) {
  EXPECT_TRUE(same_value("g = fn : (int -> b) -> b :: (a in any; b in any)", "g = fn : (int -> a) -> a :: (a in any)"));
  EXPECT_TRUE(same_value("g = fn : int -> int :: (a in any)", "g = fn : int -> int"));
}

TEST(CompareReplies, PrintedTextMayEndInBlanks) {
  const Reply expected{.printed = "0 1 2", .value = {}, .error_class = {}, .error_text = {}};
  Reply actual = expected;
  actual.printed = "0 1 2 \n";
  EXPECT_EQ(difference(expected, actual), "");
  actual.printed = "0 1\n2";
  EXPECT_NE(difference(expected, actual), "");
}

TEST(CompareReplies, ErrorsNeedTheirClassAndText) {
  const Reply expected{.printed = {}, .value = {}, .error_class = "runtime", .error_text = "Divide by zero."};
  EXPECT_EQ(difference(expected, expected), "");
  Reply actual = expected;
  actual.error_text = "Sqrt of negative number.";
  EXPECT_NE(difference(expected, actual), "");
  actual = expected;
  actual.error_details = "at element [1]";
  EXPECT_EQ(difference(expected, actual), "");
  EXPECT_NE(difference(actual, expected), "");
  actual = expected;
  actual.error_class = "user";
  EXPECT_NE(difference(expected, actual), "");
  actual = {.printed = {}, .value = "it = 1 : int", .error_class = {}, .error_text = {}};
  EXPECT_NE(difference(expected, actual), "");
}

}  // namespace
}  // namespace nesl_cases

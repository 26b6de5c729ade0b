#include "flatten_testing.h"

namespace nesl {
namespace {

std::string code(const std::string& text, bool masks = false) { return flattened(text, masks).code; }

/// Text of the first function whose name begins with `name`.
std::string function(const std::string& code, const std::string& name) {
  const std::size_t begin = code.find("\nfunction " + name);
  if (begin == std::string::npos) return "";
  return code.substr(begin + 1, code.find("\nfunction ", begin + 1) - begin - 1);
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

std::string remark_of_calls(const std::string& text) {
  for (const std::string& remark : flattened(text, true).remarks)
    if (remark.find("made together") != std::string::npos) return remark;
  return "";
}

TEST(Joins, CallsAtTheEndsOfBranchesAreJoined) {
  const std::string text =
      "function go(x, n) = if x < 2 then n else if rem(x, 2) == 0 then go(x / 2, n) else go(3 * x + 1, n + 1);"
      "{go(x, 0) : x in [3, 4, 5]};";
  for (const bool masks : {false, true}) {
    const std::string go = function(code(text, masks), "GO_");
    EXPECT_EQ(count(go, "= CALL GO_"), 1u) << go;
  }
  EXPECT_EQ(remark_of_calls(text), "test:1:42: 2 calls of go are made together");
}

TEST(Joins, RestOfEachBranchFollowsTheJoinedCall) {
  const std::string go =
      function(code("function go(x) = if x < 2 then 1 else if rem(x, 2) == 0 then 3 + go(x / 2) else 5 * go(x - 1);"
                    "{go(x) : x in [3, 4, 5]};"),
               "GO_");
  EXPECT_EQ(count(go, "= CALL GO_"), 1u) << go;
  const std::size_t call = go.find("= CALL GO_");
  EXPECT_LT(go.find("/ INT "), call) << go;
  EXPECT_GT(go.find("* INT "), call) << go;
}

TEST(Joins, ConsecutiveCallsAreJoinedInTurns) {
  // The longest path makes two calls; the call of the other branch is joined with the last one.
  const std::string go = function(
      code("function go(m, n) = if m == 0 then n else if n == 0 then go(m - 1, 1) else go(m - 1, go(m, n - 1));"
           "{go(m, m) : m in [1, 2]};"),
      "GO_");
  EXPECT_EQ(count(go, "= CALL GO_"), 2u) << go;
}

TEST(Joins, CallsInNestedConditionalsAreJoined) {
  const std::string go = function(code("function go(x, n) = if x < 2 then n else if x > 100 then (if n > 3 then go(x - "
                                       "9, n) else go(x - 7, n)) else "
                                       "let y = if n > x then go(x - 1, n) else n in y + 1;"
                                       "{go(x, 5) : x in [3, 400, 5]};"),
                                  "GO_");
  EXPECT_EQ(count(go, "= CALL GO_"), 1u) << go;
}

TEST(Joins, SharedSequencesStayShared) {
  const std::string go =
      function(code("function go(s, i) = if i > 8 then sum(s) else if s[i] > 3 then go(s, i + 1) else go(s, i + 2);"
                    "let s = index(10) in {go(s, i) : i in [3, 4, 5]};"),
               "GO_");
  EXPECT_EQ(count(go, "= CALL GO_"), 1u) << go;
  EXPECT_EQ(count(go, "PACK SEGDES") + count(go, "LENGTHS"), 0u) << go;
}

TEST(Joins, MutuallyRecursiveFunctionsBecomeOne) {
  const std::string text =
      "function b(s : [int], i : int) : int;"
      "function a(s : [int], i : int) : int = if i == #s then 0 else if s[i] == 1 then a(s, i + 1) else b(s, i + 1);"
      "function b(s : [int], i : int) : int = if i == #s then 1 else if s[i] == 1 then b(s, i + 1) else a(s, i + 1);"
      "{a([x, 1, 2], 0) : x in [1, 2, 3]};";
  const std::string all = code(text);
  EXPECT_EQ(count(function(all, "A_OR_B_"), "= CALL A_OR_B_"), 1u) << all;
  EXPECT_EQ(count(all, "= CALL A_OR_B_"), 2u) << "one more in a, which main calls:\n" << all;
  EXPECT_EQ(count(all, "= CALL B_"), 0u) << all;
}

TEST(Joins, InvariantCallsAreHoisted) {
  const std::string all = code(
      "function go(x) = if x < 2 then 1 else x * go(x - 1);"
      "{if x > 3 then go(3) else go(4) : x in [3, 4, 5]};");
  EXPECT_EQ(count(all, "= CALL GO_"), 3u) << "one of them of itself:\n" << all;
}

TEST(Joins, ConditionalsOutsideOfApplyToEachesKeepTheirCalls) {
  const std::string go = function(
      code("function go(x, n) = if x < 2 then n else if rem(x, 2) == 0 then go(x / 2, n) else go(3 * x + 1, n + 1);"
           "go(3, 0);"),
      "GO_");
  EXPECT_EQ(count(go, "= CALL GO_"), 2u) << go;
}

TEST(Joins, CallsWithDifferentFunctionArgumentsStaySeparate) {
  const std::string all = code(
      "function go(h, x) = if x < 2 then h(x) else go(h, x / 2);"
      "{if x > 3 then go(y => y + 1, x) else go(y => y * 2, x) : x in [3, 4, 5]};");
  EXPECT_EQ(count(all, "= CALL GO_"), 4u) << "two of them of themselves:\n" << all;
}

TEST(Joins, CallsAtOtherTypesStayApart) {
  const std::string all = code(
      "function go(x, n) = if n < 1 then x else go(x + x, n - 1);"
      "{if x > 3 then go(x, 2) else trunc(go(0.75, x)) : x in [3, 4, 5]};");
  EXPECT_EQ(count(all, "= CALL GO_"), 4u) << "two of them of themselves:\n" << all;
}

TEST(Joins, CallsThatDrawAreMadeForEachInstance) {
  // go(2) draws other numbers for each instance.
  const std::string all = code(
      "function go(n) = if n < 1 then rand(10) else rand(5) + go(n - 1);"
      "{if x > 3 then go(2) else go(4) : x in [3, 4, 5]};");
  EXPECT_EQ(count(all, "= CALL GO_"), 2u) << "one of them of itself:\n" << all;
}

TEST(Joins, NothingStaysAliveBehindCallsThatEndTheirBranches) {
  const std::string go = function(code("function go(x, n) = if x < 2 then n else let y = 100 / x in if x > y then go(x "
                                       "/ 2, [1, 2][y]) else go(x - 1, n / y);"
                                       "{go(x, 0) : x in [3, 4, 5]};"),
                                  "GO_");
  ASSERT_EQ(count(go, "= CALL GO_"), 1u) << go;
  // The conditionals around the call have the call's results, and those of the argument no others.
  EXPECT_EQ(go.find("/ INT", go.find("= CALL GO_")), std::string::npos) << go;
}

TEST(Joins, OnlyIndexedSequencesArePassedAsSlices) {
  const std::string go = function(code("function go(s, i) = if i >= #s then 0 else s[i] + go(s, 2 * i + 1);"
                                       "rows = [[1, 2, 3], [4, 5]]; {go(row, 0) : row in rows};"),
                                  "GO_");
  EXPECT_EQ(count(go, "= LENGTHS ") + count(go, "+_SCAN"), 0u) << go;
}

}  // namespace
}  // namespace nesl

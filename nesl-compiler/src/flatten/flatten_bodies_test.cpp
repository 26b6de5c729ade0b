#include "flatten_testing.h"

namespace nesl {
namespace {

/// Number of occurrences of a text in another one.
int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

/// Let-form of an expression over a few sequences, compiled to be fused.
std::string code_of(const std::string& expression, const std::string& functions = "") {
  return flattened(functions + "xs = [3, 4, 5]; ys = [6, 1, 2]; rows = [[1], [2, 3]]; " + expression + ";", true).code;
}

TEST(Bodies, BodyOverAllOfAnotherSequenceBecomesFunctionWithPieces) {
  const std::string code = code_of("{sum({x * y : y in sort(ys)}) : x in xs}");
  EXPECT_NE(code.find("\nfunction MAIN_EACH_1 (v0: Segdes, v1: Int, v2: Segdes, v3: Int)"
                      "  -- pieces have v0 whole, v1\n"),
            std::string::npos)
      << code;
  EXPECT_EQ(occurrences(code, "CALL MAIN_EACH_1"), 1) << code;
}

TEST(Bodies, BodyWithSharedAndNestedSequencesBecomesFunctionWithPieces) {
  const std::string code = code_of("{sum({dot(r, s) : s in rows}) : r in rows}",
                                   "function dot(a, b) = sum({p * q : p in a; q in take(b, #a)}); ");
  EXPECT_NE(code.find("-- pieces have v0 whole, v1, v2 by v1"), std::string::npos) << code;
  // The inner apply-to-each is part of the function made for the outer one.
  EXPECT_EQ(occurrences(code, "\nfunction "), 1) << code;
}

TEST(Bodies, BodyWithoutLongerIntermediatesStaysInline) {
  for (const char* expression :
       {"{x * x + 1 : x in xs}", "{sum({x * 2 : x in row}) : row in rows}", "{row ++ [1] : row in rows}",
        "{{x * y : y in ys} : x in xs}", "{flatten({[x, y] : y in ys}) : x in xs}", "{x + 1 : x in xs | #ys > x}"})
    EXPECT_EQ(code_of(expression).find("\nfunction "), std::string::npos) << code_of(expression);
}

TEST(Bodies, FilteredBodyTakesPackedOperands) {
  const std::string code = code_of("{sum({x * y : y in sort(ys)}) : x in xs | x > 3}");
  EXPECT_NE(code.find("-- pieces have v0 whole, v1\n"), std::string::npos) << code;
  EXPECT_LT(code.find("PACK INT"), code.find("CALL MAIN_EACH")) << code;
}

TEST(Bodies, SequencesAreMadeForKeptElementsOnly) {
  const std::pair<const char*, const char*> cases[] = {
      {"{row ++ [7] : row in rows | #row > 1}", "APPEND INT"},
      {"{{x * 2 : x in row} : row in rows | #row > 1}", "* INT"},
      {"{if #row > 1 then row ++ [7] else row : row in rows}", "APPEND INT"},
      {"{if x > 3 then sum({x * y : y in ys}) else 0 : x in xs}", "* INT"},
  };
  for (const auto& [expression, operation] : cases) {
    const std::string code = code_of(expression);
    const std::size_t made = code.find(operation);
    EXPECT_NE(made, std::string::npos) << code;
    EXPECT_LT(code.find("PACK INT"), made) << code;
  }
}

TEST(Bodies, BodyThatDrawsRandomNumbersStaysInline) {
  EXPECT_EQ(code_of("{sum({rand(x) : y in ys}) : x in xs}").find("\nfunction "), std::string::npos);
}

TEST(Bodies, BodyWithRecursiveCallStaysInline) {
  const std::string code = code_of("count([3])",
                                   "function count(s) = if #s == 0 then 0 else sum({count([0:x - 1]) + sum({x * y : y "
                                   "in [0:x]}) : x in s}); ");
  EXPECT_EQ(code.find("EACH"), std::string::npos) << code;
}

TEST(Bodies, BodyStaysInlineIfNotFused) {
  EXPECT_EQ(flattened("xs = [3, 4]; {sum({x * y : y in sort(xs)}) : x in xs};", false).code.find("\nfunction "),
            std::string::npos);
}

}  // namespace
}  // namespace nesl

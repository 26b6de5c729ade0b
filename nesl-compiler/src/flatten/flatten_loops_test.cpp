#include "flatten_testing.h"

namespace nesl {
namespace {

/// The remark of --explain about the loop in a text.
std::string remark_of_loop(const std::string& text) {
  for (const std::string& remark : flattened(text, true).remarks)
    if (remark.find(": the loop ") != std::string::npos) return remark;
  return "";
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

TEST(Loops, StepsAreARepeatedKernelBehindThePacks) {
  const std::string text = "function go(x, n) = if x < n then x else go(x / n, n); {go(x, x - 1) : x in [3, 4, 5]};";
  const std::string code = flattened(text, true).code;
  const std::string function = code.substr(code.find("\nfunction GO_"));
  const std::size_t begin = function.find(" = / INT "), end = function.find(" = CALL GO_");
  ASSERT_TRUE(begin < end && end != std::string::npos) << code;
  const std::string steps = function.substr(begin, end - begin);
  EXPECT_EQ(count(steps, "REPEATED"), 1u) << code;
  EXPECT_EQ(count(steps, "= / INT "), 3u) << "the arguments of the call, and two steps:\n" << code;
  EXPECT_EQ(count(steps, "SELECT INT"), 4u) << "divisors and quotients:\n" << code;
  EXPECT_EQ(count(steps, "PACK") + count(steps, "= IF"), 0u) << code;
  EXPECT_EQ(count(steps, "\"Divide by zero.\"  in v4\n"), 1u) << "elements are those that go on, v4:\n" << code;
  EXPECT_EQ(count(steps, "\"Divide by zero.\" < test:1:42 go  in v4\n"), 2u) << "and so in later steps:\n" << code;
  EXPECT_EQ(remark_of_loop(text), "test:1:10: the loop go is repeated in a kernel");
}

TEST(Loops, ExpensiveStepsAreFewer) {
  const std::string begin = "function go(x) = if x < 1.0 then x else go(sin(x)";
  const std::string end = "); {go(x) : x in [3.0, 4.0]};";
  EXPECT_EQ(count(flattened(begin + end, true).code, "= SIN"), 3u);
  EXPECT_EQ(count(flattened(begin + " + cos(x) + exp(x)" + end, true).code, "= SIN"), 2u);
}

TEST(Loops, NoStepsByMasksWithoutFusion) {
  const Flattened result = flattened("function go(x) = if x < 1 then x else go(x / 2); {go(x) : x in [3, 4]};", false);
  EXPECT_TRUE(result.remarks.empty());
  EXPECT_EQ(count(result.code, "SELECT"), 0u) << result.code;
}

TEST(Loops, OtherRecursionsAreNoLoops) {
  for (const char* text : {
           "function go(x) = if x < 1 then x else 1 + go(x / 2); {go(x) : x in [3, 4]};",
           "function go(x) = if x < 1 then 7 / x else go(x / 2); {go(x) : x in [3, 4]};",
           "function go(x) = if x < 1 then rand(x + 2) else go(x / 2); {go(x) : x in [3, 4]};",
           "function go(x) = if x < 1 then x else go(x / 2); go(3);",
       })
    EXPECT_EQ(remark_of_loop(text), "") << text;
}

TEST(Loops, RemarkSaysWhyStepsArePacked) {
  const std::string packs = "test:1:10: the loop go packs the elements of each step: ";
  for (const auto& [text, reason] : {
           std::pair{"function go(s, n) = if n < 1 then n else go(s ++ s, n - 1); {go([i], i) : i in [3, 4]};",
                     "it changes a sequence or a function"},
           std::pair{"function go(s, r, n) = if n < 1 then n else go(r, s, n - 1); {go([i], [i, i], i) : i in [3, 4]};",
                     "it changes a sequence or a function"},
           std::pair{"function go(n) = if n < 1 then n else go(rand(n)); {go(i) : i in [3, 4]};",
                     "it draws random numbers"},
       }) {
    const std::string remark = remark_of_loop(text);
    EXPECT_NE(remark.find(packs + reason), std::string::npos) << text << "\n" << remark;
  }
}

}  // namespace
}  // namespace nesl

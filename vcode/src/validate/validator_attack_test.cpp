// Programs designed to cost the validator much time or memory. A naive one would overflow the C stack, exhaust the
// memory or run forever on each.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "vcode_testing.h"

namespace vcode::testing {
namespace {

std::string repeat(int times, auto line) {
  std::string text;
  for (int i = 0; i < times; ++i) text += line(i);
  return text;
}

TEST(ValidatorUnderAttack, LongCallChain) {
  constexpr int kLength = 100'000;
  std::string complaints =
      validate_complaints(repeat(kLength, [](int i) { return fmt::format("FUNC f{}\nCALL f{}\nRET\n", i, i + 1); }) +
                          fmt::format("FUNC f{}\nPOP 1 0\nRET\n", kLength));
  EXPECT_EQ(complaints.substr(0, complaints.find('\n')),
            "p:300002:1: error: stack underflow: POP 1 0 reaches below the bottom of the stack");
  EXPECT_NE(complaints.find("... and so on, 100000 calls in all"), std::string::npos);
}

TEST(ValidatorUnderAttack, DeeplyNestedIfs) {
  constexpr int kDepth = 100'000;
  EXPECT_EQ(validate_complaints("FUNC MAIN " + repeat(kDepth, [](int) { return "CONST BOOL T IF CONST INT 1 ELSE "; }) +
                                "CONST INT 2 " + repeat(kDepth, [](int) { return "ENDIF "; }) + "NOT INT RET"),
            "");
}

TEST(ValidatorUnderAttack, ResultsThatDouble) {
  EXPECT_EQ(validate_complaints(
                "FUNC MAIN CALL f60 RET FUNC f0 CONST INT 1 RET " +
                repeat(60, [](int i) { return fmt::format("FUNC f{} CALL f{} CALL f{} RET ", i + 1, i, i); })),
            "");
}

TEST(ValidatorUnderAttack, PairsThatDouble) {
  EXPECT_EQ(validate_complaints(
                "FUNC MAIN CONST INT 1 CALL f60 RET FUNC f0 COPY 1 0 PAIR RET " +
                repeat(60, [](int i) { return fmt::format("FUNC f{} CALL f{} CALL f{} RET ", i + 1, i, i); })),
            "");
}

TEST(ValidatorUnderAttack, CopiesThatDouble) {
  EXPECT_EQ(
      validate_complaints("FUNC MAIN CONST INT 1 " +
                          repeat(60, [](int i) { return fmt::format("COPY {} 0 ", std::int64_t{1} << i); }) + "RET"),
      "");
}

TEST(ValidatorUnderAttack, LargestCounts) {
  EXPECT_NE(validate_complaints("FUNC MAIN CONST INT 1 COPY 9223372036854775807 9223372036854775807 RET"), "");
  validate_complaints("FUNC MAIN CALL f RET FUNC f POP 9223372036854775807 9223372036854775807 RET");
}

TEST(ValidatorUnderAttack, EffectThatGrowsWithEveryLevel) {
  EXPECT_EQ(validate_complaints("FUNC MAIN CONST INT 1 CALL g RET "
                                "FUNC g CONST BOOL F IF POP 1 0 CALL g CONST INT 1 ENDIF RET"),
            "");
}

TEST(ValidatorUnderAttack, RingOfCalls) {
  constexpr int kLength = 50'000;
  EXPECT_EQ(validate_complaints("FUNC MAIN CONST INT 1 CALL f0 RET " +
                                repeat(kLength,
                                       [](int i) {
                                         return fmt::format("FUNC f{} CONST BOOL T IF CALL f{} ENDIF RET ", i,
                                                            (i + kLength - 1) % kLength);
                                       })),
            "");
}

TEST(ValidatorUnderAttack, EveryoneCallsEveryone) {
  constexpr int kFunctions = 200;
  std::string calls = repeat(kFunctions, [](int i) { return fmt::format("CALL f{} ", i); });
  EXPECT_EQ(
      validate_complaints(
          "FUNC MAIN CALL f0 RET " +
          repeat(kFunctions,
                 [&](int i) { return fmt::format("FUNC f{} CONST BOOL F IF {} CONST INT 1 ENDIF RET ", i, calls); })),
      "");
}

TEST(ValidatorUnderAttack, ManyIfsOverADeepStack) {
  constexpr int kCount = 20'000;
  EXPECT_EQ(
      validate_complaints("FUNC MAIN " + repeat(kCount, [](int) { return "CONST INT 1 "; }) +
                          repeat(kCount, [](int) { return "CONST BOOL T IF CONST INT 1 POP 1 0 ENDIF "; }) + "RET"),
      "");
}

}  // namespace
}  // namespace vcode::testing

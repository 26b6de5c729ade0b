#include "vcode/decimal.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include <fmt/format.h>

namespace vcode {
namespace {

template <class F>
using Bits = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;

template <class F>
void expect_float(const std::string& text, F expected) {
  F value = 77;
  ASSERT_TRUE(parse_float(text, value)) << text;
  EXPECT_EQ(std::bit_cast<Bits<F>>(value), std::bit_cast<Bits<F>>(expected)) << text;
}

template <class F>
void expect_printed_floats_back() {
  std::mt19937_64 random(1);
  for (int k = 0; k < 200000; ++k) {
    const F x = std::bit_cast<F>(static_cast<Bits<F>>(random()));
    if (std::isnan(x)) continue;
    expect_float<F>(fmt::format("{}", x), x);
    if (k % 10 == 0) expect_float<F>(fmt::format("{:.{}E}", x, k % 40 + 17), x);
  }
}

TEST(ParseFloat, ReadsThePrintedFormOfAFloat) {
  expect_printed_floats_back<double>();
  expect_printed_floats_back<float>();
}

TEST(ParseFloat, ReturnsTheNearestFloatForAnyNumberOfDigits) {
  std::mt19937 random(2);
  for (int k = 0; k < 50000; ++k) {
    std::string text;
    for (unsigned n = random() % 30 + 1; n > 0; --n) text += static_cast<char>('0' + random() % 10);
    text.insert(random() % (text.size() + 1), ".");
    if (random() % 2 == 0) text += fmt::format("e{}", static_cast<int>(random() % 80) - 40);
    expect_float<double>(text, std::strtod(text.c_str(), nullptr));
    expect_float<float>(text, std::strtof(text.c_str(), nullptr));
  }
}

TEST(ParseFloat, RoundsHalvesToEvenAfterAnyNumberOfZeros) {
  // Halfway between 2^53 and 2^53 + 2, and between 2^24 and 2^24 + 2.
  for (const int zeros : {0, 1, 20, 800}) {
    const std::string more(static_cast<std::size_t>(zeros), '0');
    expect_float<double>("9007199254740993." + more, 9007199254740992.0);
    expect_float<double>("9007199254740993." + more + "1", 9007199254740994.0);
    expect_float<float>("16777217." + more, 16777216.0F);
    expect_float<float>("16777217." + more + "1", 16777218.0F);
  }
}

TEST(ParseFloat, ReturnsInfinityOrZeroBeyondTheRange) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  expect_float("1.7976931348623158e308", std::numeric_limits<double>::max());
  expect_float("1.7976931348623159e308", kInfinity);
  expect_float("-1e99999999999999999999", -kInfinity);
  expect_float("1e-99999999999999999999", 0.0);
  // 2^63 and 2^64: exponents that 64 bits would have with another sign, or as 0.
  expect_float("1e9223372036854775808", kInfinity);
  expect_float("1e-9223372036854775808", 0.0);
  expect_float("1e-18446744073709551616", 0.0);
  expect_float("-1e-400", -0.0);
  expect_float("0.0001e400", kInfinity);
  expect_float("10000e-400", 0.0);
  expect_float("0e99999", 0.0);
  expect_float(std::string(400, '1'), kInfinity);
  expect_float("." + std::string(400, '0') + "1", 0.0);
  expect_float("." + std::string(400, '0') + "1e401", 1.0);
  expect_float("4e38", std::numeric_limits<float>::infinity());
  expect_float("4e-324", std::numeric_limits<double>::denorm_min());
  expect_float("inf", kInfinity);
  expect_float("-inf", -kInfinity);
  double nan = 0;
  EXPECT_TRUE(parse_float("nan", nan));
  EXPECT_TRUE(std::isnan(nan));
}

TEST(ParseFloat, RefusesOtherTexts) {
  for (const char* text : {"",      "+",  "-",  ".",    "e5",       "1e",  "1e+",    "+-5", "-+5", "--5",  "1e+-5",
                           "1.2.3", " 1", "1 ", "0x10", "infinity", "INF", "nan(1)", "1f",  "1,5", "1e5.0"}) {
    double value = 77;
    EXPECT_FALSE(parse_float(text, value)) << text;
    EXPECT_EQ(value, 77) << text;
  }
  for (const char* text : {"5", "5.", ".5", "+5e1", "-5E+1", "5.e-1", "00005"}) {
    double value = 77;
    EXPECT_TRUE(parse_float(text, value)) << text;
  }
}

}  // namespace
}  // namespace vcode

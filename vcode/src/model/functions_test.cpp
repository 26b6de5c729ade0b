#include "vcode/functions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace vcode {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

/// How far a result is from the exact one, in units of the last place of T there.
template <class T>
double error_in_ulp(T result, long double exact) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact)) return std::isnan(result) ? 0 : kInfinity;
  if (std::isinf(result) || std::isinf(exact)) return result == static_cast<T>(exact) ? 0 : kInfinity;
  int exponent = 0;
  std::frexp(exact, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent, Limits::min_exponent) - Limits::digits);
  return static_cast<double>(std::fabs(result - exact) / unit);
}

/// Numbers in the range where a function varies, and of all sizes.
class Numbers {
 public:
  explicit Numbers(double range) : range_(range) {}
  double next() {
    if (++count_ % 4 == 0) {
      const double any = std::bit_cast<double>(random_());
      return std::isnan(any) ? kNan : any;
    }
    return range_ * (static_cast<double>(random_() >> 11) * 0x1p-52 - 1.0);
  }

 private:
  std::mt19937_64 random_{1};
  double range_;
  int count_ = 0;
};

struct Function {
  const char* name;
  double range;
  double (*of_double)(double);
  float (*of_float)(float);
  long double (*exact)(long double);
};
struct Function2 {
  const char* name;
  double range;
  double (*of_doubles)(double, double);
  float (*of_floats)(float, float);
  long double (*exact)(long double, long double);
};
constexpr Function kFunctions[] = {
    {"log", 20, log_of, log_of, std::log},       {"exp", 30, exp_of, exp_of, std::exp},
    {"sin", 50, sin_of, sin_of, std::sin},       {"cos", 50, cos_of, cos_of, std::cos},
    {"tan", 50, tan_of, tan_of, std::tan},       {"asin", 1, asin_of, asin_of, std::asin},
    {"acos", 1, acos_of, acos_of, std::acos},    {"atan", 3, atan_of, atan_of, std::atan},
    {"sinh", 30, sinh_of, sinh_of, std::sinh},   {"cosh", 30, cosh_of, cosh_of, std::cosh},
    {"tanh", 3, tanh_of, tanh_of, std::tanh},    {"sin", 1e5, sin_of, sin_of, std::sin},
    {"cos", 1e5, cos_of, cos_of, std::cos},      {"tan", 1e5, tan_of, tan_of, std::tan},
    {"log", 1.5, log_of, log_of, std::log},      {"exp", 750, exp_of, exp_of, std::exp},
    {"sinh", 750, sinh_of, sinh_of, std::sinh},  {"cosh", 750, cosh_of, cosh_of, std::cosh},
    {"asin", 1e-4, asin_of, asin_of, std::asin}, {"tanh", 0.3, tanh_of, tanh_of, std::tanh},
};
constexpr Function2 kFunctions2[] = {
    {"power", 30, power_of, power_of, std::pow},
    {"power", 1.5, power_of, power_of, std::pow},
    {"atan2", 5, atan2_of, atan2_of, std::atan2},
    {"hypot", 5, hypot_of, hypot_of, std::hypot},
};

TEST(Functions, AreAccurate) {
  for (const Function& f : kFunctions) {
    Numbers numbers(f.range);
    for (int k = 0; k < 40000; ++k) {
      const double x = numbers.next();
      ASSERT_LT(error_in_ulp(f.of_double(x), f.exact(x)), 4.0) << f.name << " of " << x;
      const float y = static_cast<float>(x);
      ASSERT_LT(error_in_ulp(f.of_float(y), f.exact(y)), 0.51) << f.name << " of the float " << y;
    }
  }
  for (const Function2& f : kFunctions2) {
    Numbers numbers(f.range);
    for (int k = 0; k < 40000; ++k) {
      const double x = numbers.next(), y = k % 8 == 0 ? std::round(numbers.next()) : numbers.next();
      ASSERT_LT(error_in_ulp(f.of_doubles(x, y), f.exact(x, y)), 4.0) << f.name << " of " << x << " and " << y;
      const float u = static_cast<float>(x), v = static_cast<float>(y);
      ASSERT_LT(error_in_ulp(f.of_floats(u, v), f.exact(u, v)), 0.51) << f.name << " of the floats " << u << ", " << v;
    }
  }
}

/// Zeros with their signs, infinities, NaN, and where a function ends.
TEST(Functions, AreThoseOfCAtSpecialNumbers) {
  constexpr double kSpecial[] = {0.0,   -0.0,   1.0,       -1.0,       0.5,    -0.5,    2.0,    -2.0,
                                 3.0,   -3.0,   1e300,     -1e300,     5e-324, -5e-324, 0x1p53, 0x1p53 + 2,
                                 709.9, -745.2, kInfinity, -kInfinity, kNan,   12000.0, 1e6,    1e22};
  const auto expect_same = [](double actual, double expected, const char* name, double x, double y) {
    EXPECT_LT(error_in_ulp<double>(actual, expected), 4.0) << name << " of " << x << ", " << y << " is " << actual;
    if (expected == 0) {
      EXPECT_EQ(std::signbit(actual), std::signbit(expected)) << name << " of " << x << ", " << y;
    }
  };
  for (const double x : kSpecial) {
    for (const Function& f : kFunctions) expect_same(f.of_double(x), static_cast<double>(f.exact(x)), f.name, x, 0);
    for (const double y : kSpecial)
      for (const Function2& f : kFunctions2)
        expect_same(f.of_doubles(x, y), static_cast<double>(f.exact(x, y)), f.name, x, y);
  }
}

/// Every compiler and machine computes the same bits.
TEST(Functions, AreTheSameEverywhere) {
  std::uint64_t digest = 0;
  const auto add = [&](double y) {
    digest = (digest ^ std::bit_cast<std::uint64_t>(std::isnan(y) ? 0.0 : y)) * 0x100000001b3;
  };
  for (const Function& f : kFunctions) {
    Numbers numbers(f.range);
    for (int k = 0; k < 10000; ++k) {
      const double x = numbers.next();
      add(f.of_double(x));
      add(f.of_float(static_cast<float>(x)));
    }
  }
  for (const Function2& f : kFunctions2) {
    Numbers numbers(f.range);
    for (int k = 0; k < 10000; ++k) {
      const double x = numbers.next(), y = numbers.next();
      add(f.of_doubles(x, y));
      add(f.of_floats(static_cast<float>(x), static_cast<float>(y)));
    }
  }
  EXPECT_EQ(digest, 0x60e409307dc8541);
}

TEST(FloatHash, IsThatOfAllEqualFloats) {
  EXPECT_EQ(float_hash<std::int64_t>(-0.0), float_hash<std::int64_t>(0.0));
  EXPECT_EQ(float_hash<std::int32_t>(-0.0F), float_hash<std::int32_t>(0.0F));
  for (const double nan : {kNan, -kNan, std::bit_cast<double>(0x7ff8000000000123), std::bit_cast<double>(-1L)})
    EXPECT_EQ(float_hash<std::int64_t>(nan), 0x7fc00000);
  EXPECT_EQ(float_hash<std::int64_t>(-1.5), float_hash<std::int32_t>(-1.5));  // sign and all
  EXPECT_NE(float_hash<std::int32_t>(1.0), float_hash<std::int32_t>(-1.0));
  EXPECT_NE(float_hash<std::int32_t>(1.0), float_hash<std::int32_t>(std::nextafter(1.0, 2.0)));
}

}  // namespace
}  // namespace vcode

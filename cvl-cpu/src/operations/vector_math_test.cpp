/// The vector functions compute the same value for a number as vcode/functions.h does for it alone.

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "operations/operations.h"
#include "test_machine.h"

namespace cvl::cpu {
namespace {

constexpr std::int64_t kLengths[] = {1, 2, 63, 64, 65, 5000};

/// Angles, powers and roots of all sizes, and special values.
template <class T>
std::vector<T> numbers(std::int64_t n, std::mt19937_64& random) {
  using Limits = std::numeric_limits<T>;
  constexpr T kSpecial[] = {T(0),
                            -T(0),
                            T(1),
                            T(-1),
                            T(0.5),
                            T(2),
                            T(-3),
                            Limits::infinity(),
                            -Limits::infinity(),
                            T(1e7),
                            Limits::quiet_NaN(),
                            Limits::denorm_min(),
                            Limits::max(),
                            Limits::lowest()};
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    switch (random() % 8) {
      case 0:
        x = kSpecial[random() % std::size(kSpecial)];
        break;
      case 1:
        x = T(std::bit_cast<double>(random()));
        break;
      case 2:
        x = T(1e6 * unit);
        break;
      case 3:
        x = T(2 * unit - 1);
        break;
      default:
        x = T(40 * unit - 20);
    }
  }
  return v;
}

/// First index at which two vectors differ in their bits, where all NaNs count as equal; -1 if there is none.
template <class T>
std::int64_t first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  for (std::size_t e = 0; e < a.size(); ++e)
    if (!(std::isnan(a[e]) && std::isnan(b[e])) && (a[e] != b[e] || std::signbit(a[e]) != std::signbit(b[e])))
      return std::int64_t(e);
  return -1;
}

template <class Row, int arity, class T>
void expect_one_value() {
  std::mt19937_64 random(3);
  constexpr ElemType type = vcode::kElemTypeOf<T>;
  for (const std::int64_t n : kLengths) {
    SCOPED_TRACE(std::string(vcode::info(Row::kOp).text) + ", elements: " + std::to_string(n));
    const std::vector<T> a = numbers<T>(n, random), b = numbers<T>(n, random);
    std::vector<T> expected(a.size()), of_one_a(a.size()), of_one_b(a.size()), actual(a.size());
    for (std::size_t e = 0; e < a.size(); ++e) {
      expected[e] = Row::template eval<T>(a[e], b[e]);
      of_one_a[e] = Row::template eval<T>(a[0], b[e]);
      of_one_b[e] = Row::template eval<T>(a[e], b[0]);
    }
    const std::array operands{operand(a), operand(b)};
    const void* const elements[] = {a.data(), b.data()};
    on_all_machines([&](Context& context) {
      run(context, Elementwise{Row::kOp, std::span(operands).first(arity), result(actual)});
      EXPECT_EQ(first_difference(expected, actual), -1);
      const auto of_tile = [&](int form) {
        context.kernels.tile.at(form, Row::kOp, type, type)(elements, actual.data(), n);
        return actual;
      };
      EXPECT_EQ(first_difference(expected, of_tile(0)), -1);
      if (arity == 1) return;
      EXPECT_EQ(first_difference(of_one_a, of_tile(1)), -1);
      EXPECT_EQ(first_difference(of_one_b, of_tile(2)), -1);
    });
  }
}

TEST(VectorMath, ComputesTheSameBitsAsForASingleNumber) {
#define EXPECT_ONE(Row, name)                     \
  expect_one_value<vcode::ops::Row, 1, double>(); \
  expect_one_value<vcode::ops::Row, 1, float>();
#define EXPECT_ONE2(Row, name)                    \
  expect_one_value<vcode::ops::Row, 2, double>(); \
  expect_one_value<vcode::ops::Row, 2, float>();
  VC_FUNCTIONS(EXPECT_ONE, EXPECT_ONE2)
#undef EXPECT_ONE
#undef EXPECT_ONE2
}

}  // namespace
}  // namespace cvl::cpu

#include "cost_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace nesl_cli {
namespace {

std::vector<double> sizes() {
  std::vector<double> sizes;
  for (double n = 1000; n <= 1e6; n *= 2) sizes.push_back(n);
  return sizes;
}

template <class F>
std::optional<Fit> fit_of(F&& figure) {
  std::vector<double> figures;
  for (const double n : sizes()) figures.push_back(figure(n));
  return fit_order(sizes(), figures);
}

TEST(CostFit, FindsTheOrderBesideAConstant) {
  const auto order_of = [](auto figure) {
    const std::optional<Fit> fit = fit_of(figure);
    EXPECT_TRUE(fit && fit->deviation < 1e-6) << (fit ? fit->order : "none");
    return fit ? fit->order : "none";
  };
  EXPECT_EQ(order_of([](double) { return 7.0; }), "1");
  EXPECT_EQ(order_of([](double n) { return 3 * std::log2(n) + 5; }), "log n");
  EXPECT_EQ(order_of([](double n) { return 2 * std::pow(std::log2(n), 2) - 1; }), "log² n");
  EXPECT_EQ(order_of([](double n) { return std::sqrt(n) + 100; }), "√n");
  EXPECT_EQ(order_of([](double n) { return n / std::log2(n); }), "n / log n");
  EXPECT_EQ(order_of([](double n) { return 4 * n + 30; }), "n");
  EXPECT_EQ(order_of([](double n) { return 4 * n * std::log2(n) - 30; }), "n log n");
  EXPECT_EQ(order_of([](double n) { return n * n + 9; }), "n²");
  EXPECT_EQ(order_of([](double n) { return n * n * n; }), "n³");
}

TEST(CostFit, FindsTheOrderBesideTermsOfLowerOrder) {
  const std::optional<Fit> fit = fit_of([](double n) {
    const double lg = std::log2(n);
    return 2.5 * n * lg * lg + 20 * n * lg + 40 * n + 7;
  });
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->order, "n log² n");
  EXPECT_LT(fit->deviation, 0.005);
  EXPECT_GT(fit->lower, 0);
  // Figures that vary at random do not get such a term.
  std::uint32_t state = 1;
  const std::optional<Fit> random = fit_of([&](double n) {
    state = state * 1664525 + 1013904223;
    return n * std::log2(n) * (0.95 + 0.1 * (state >> 8) / (1 << 24));
  });
  ASSERT_TRUE(random);
  EXPECT_EQ(random->order, "n log n");
  EXPECT_EQ(random->lower, 0);
}

TEST(CostFit, TellsFactorAndConstant) {
  const std::optional<Fit> fit = fit_of([](double n) { return 3 * n * std::log2(n) + 50; });
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->factor, 3, 1e-6);
  EXPECT_NEAR(fit->constant, 50, 1e-3);
}

TEST(CostFit, SaysHowFarTheFiguresAreOff) {
  int k = 0;
  const std::optional<Fit> fit = fit_of([&](double n) { return 5 * n * (++k % 2 == 0 ? 1.05 : 0.95); });
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->order, "n");
  EXPECT_NEAR(fit->deviation, 0.05, 0.01);
}

TEST(CostFit, IsNoneForTooFewSizesAndForFiguresWithoutOrder) {
  EXPECT_FALSE(fit_order({1000, 2000}, {1, 2}));
  EXPECT_FALSE(fit_order({1000, 1001, 1002}, {1, 2, 3}));
  EXPECT_FALSE(fit_order({0, 1, 1000, 2000}, {1, 2, 3, 4}));
  EXPECT_FALSE(fit_of([](double n) { return std::fmod(n, 3) * std::fmod(n, 3) * 1000 + 1; }));
  EXPECT_FALSE(fit_order({}, {}));
  const std::optional<Fit> nothing = fit_of([](double) { return 0.0; });
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->order, "1");
}

}  // namespace
}  // namespace nesl_cli

#include "cost_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace nesl_cli {

namespace {

struct Order {
  const char* name;
  double (*value)(double n, double lg);  ///< lg: the logarithm of n to base 2
};

/// In the order of their growth.
constexpr Order kOrders[] = {
    {"1", [](double, double) { return 1.0; }},
    {"log n", [](double, double lg) { return lg; }},
    {"log² n", [](double, double lg) { return lg * lg; }},
    {"log³ n", [](double, double lg) { return lg * lg * lg; }},
    {"√n", [](double n, double) { return std::sqrt(n); }},
    {"n / log² n", [](double n, double lg) { return n / (lg * lg); }},
    {"n / log n", [](double n, double lg) { return n / lg; }},
    {"n", [](double n, double) { return n; }},
    {"n log n", [](double n, double lg) { return n * lg; }},
    {"n log² n", [](double n, double lg) { return n * lg * lg; }},
    {"n √n", [](double n, double) { return n * std::sqrt(n); }},
    {"n² / log n", [](double n, double lg) { return n * n / lg; }},
    {"n²", [](double n, double) { return n * n; }},
    {"n² log n", [](double n, double lg) { return n * n * lg; }},
    {"n³", [](double n, double) { return n * n * n; }},
};

struct Points {
  std::vector<double> sizes, figures;
};

/// Figures of zero have the weight of those of one.
double weight(double figure) { return 1 / std::max(std::abs(figure), 1.0); }

constexpr std::size_t kMostTerms = 3;
using Terms = std::array<double, kMostTerms>;

/// Solves the normal equations, which are symmetric, of the first `count` terms; zeros if the terms are not
/// independent.
Terms solve(std::array<Terms, kMostTerms> matrix, Terms right, std::size_t count) {
  constexpr double kDependent = 1e-12;
  for (std::size_t k = 0; k < count; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < count; ++row)
      if (std::abs(matrix[row][k]) > std::abs(matrix[pivot][k])) pivot = row;
    if (std::abs(matrix[pivot][k]) < kDependent) return {};
    std::swap(matrix[k], matrix[pivot]);
    std::swap(right[k], right[pivot]);
    for (std::size_t row = k + 1; row < count; ++row) {
      const double times = matrix[row][k] / matrix[k][k];
      for (std::size_t column = k; column < count; ++column) matrix[row][column] -= times * matrix[k][column];
      right[row] -= times * right[k];
    }
  }
  Terms solution = {};
  for (std::size_t k = count; k-- > 0;) {
    double rest = right[k];
    for (std::size_t column = k + 1; column < count; ++column) rest -= matrix[k][column] * solution[column];
    solution[k] = rest / matrix[k][k];
  }
  return solution;
}

/// Fits the order alone (one term), with a constant (two), or with both other terms of Fit.
Fit fit(const Order& order, const Points& points, std::size_t count) {
  std::vector<Terms> rows;
  const double last = order.value(points.sizes.back(), std::log2(points.sizes.back()));
  for (std::size_t k = 0; k < points.sizes.size(); ++k) {
    const double lg = std::log2(points.sizes[k]), value = order.value(points.sizes[k], lg) / last;
    rows.push_back({value, 1, value / lg});
  }
  std::array<Terms, kMostTerms> matrix = {};
  Terms right = {};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double w = weight(points.figures[k]);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) matrix[i][j] += w * w * rows[k][i] * rows[k][j];
      right[i] += w * w * rows[k][i] * points.figures[k];
    }
  }
  // The first figure's weight, for a matrix whose entries do not depend on the unit of the figures.
  const double unit = weight(points.figures.front()) * weight(points.figures.front());
  for (std::size_t i = 0; i < count; ++i) {
    for (double& entry : matrix[i]) entry /= unit;
    right[i] /= unit;
  }
  const Terms solution = solve(matrix, right, count);
  double squares = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    double off = -points.figures[k];
    for (std::size_t i = 0; i < count; ++i) off += solution[i] * rows[k][i];
    squares += off * off * weight(points.figures[k]) * weight(points.figures[k]);
  }
  return {order.name, solution[0] / last, solution[2] / last, solution[1],
          std::sqrt(squares / static_cast<double>(rows.size()))};
}

/// The fit with the least deviation, or, of those that are nearly as good, that of the order that grows least.
Fit best_fit(const Points& points, std::size_t count) {
  constexpr double kNear = 1.1, kNothing = 0.001;
  std::vector<Fit> fits = {fit(kOrders[0], points, 1)};
  for (const Order& order : kOrders)
    if (Fit one = fit(order, points, count); &order != kOrders && one.factor > 0) fits.push_back(std::move(one));
  const auto best =
      std::min_element(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) { return a.deviation < b.deviation; });
  const double enough = best->deviation * kNear + kNothing;
  return *std::find_if(fits.begin(), fits.end(), [&](const Fit& one) { return one.deviation <= enough; });
}

}  // namespace

std::optional<Fit> fit_order(const std::vector<double>& sizes, const std::vector<double>& figures) {
  constexpr double kLeastSpan = 4, kMostDeviation = 0.25;
  // A term of lower order must make the deviation so many times less; figures that vary at random do not gain that.
  constexpr double kGain = 5;
  constexpr double kGood = 0.005;
  constexpr std::size_t kPointsForLower = 5;
  Points points;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (sizes[k] >= 2) {
      points.sizes.push_back(sizes[k]);
      points.figures.push_back(figures[k]);
    }
  if (points.sizes.size() < 3) return std::nullopt;
  const auto [least, most] = std::minmax_element(points.sizes.begin(), points.sizes.end());
  if (*most < kLeastSpan * *least) return std::nullopt;
  Fit best = best_fit(points, 2);
  if (points.sizes.size() >= kPointsForLower)
    if (Fit other = best_fit(points, 3); other.deviation < best.deviation / kGain && best.deviation > kGood)
      best = std::move(other);
  return best.deviation > kMostDeviation ? std::nullopt : std::optional(std::move(best));
}

}  // namespace nesl_cli

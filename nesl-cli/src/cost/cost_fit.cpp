#include "cost_fit.h"

#include <algorithm>
#include <cmath>

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

Fit fit(const Order& order, const Points& points) {
  Fit fit{.order = order.name};
  const bool is_constant = &order == kOrders;
  // Normal equations of the weighted squares, for y = factor * f + constant.
  double w = 0, wf = 0, wff = 0, wy = 0, wfy = 0;
  for (std::size_t k = 0; k < points.sizes.size(); ++k) {
    const double f = order.value(points.sizes[k], std::log2(points.sizes[k])), y = points.figures[k];
    const double square = weight(y) * weight(y);
    w += square;
    wf += square * f;
    wff += square * f * f;
    wy += square * y;
    wfy += square * f * y;
  }
  const double determinant = w * wff - wf * wf;
  if (is_constant) {
    fit.factor = wy / w;
  } else {
    fit.factor = determinant == 0 ? 0 : (w * wfy - wf * wy) / determinant;
    fit.constant = (wy - fit.factor * wf) / w;
  }
  double squares = 0;
  for (std::size_t k = 0; k < points.sizes.size(); ++k) {
    const double f = order.value(points.sizes[k], std::log2(points.sizes[k]));
    const double off = (fit.factor * f + fit.constant - points.figures[k]) * weight(points.figures[k]);
    squares += off * off;
  }
  fit.deviation = std::sqrt(squares / static_cast<double>(points.sizes.size()));
  return fit;
}

}  // namespace

std::optional<Fit> fit_order(const std::vector<double>& sizes, const std::vector<double>& figures) {
  constexpr double kLeastSpan = 4, kMostDeviation = 0.25;
  // Deviations within this of the best one are nearly as good.
  constexpr double kNear = 1.1, kNothing = 0.001;
  Points points;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (sizes[k] >= 2) {
      points.sizes.push_back(sizes[k]);
      points.figures.push_back(figures[k]);
    }
  if (points.sizes.size() < 3) return std::nullopt;
  const auto [least, most] = std::minmax_element(points.sizes.begin(), points.sizes.end());
  if (*most < kLeastSpan * *least) return std::nullopt;
  std::vector<Fit> fits;
  for (const Order& order : kOrders) {
    Fit one = fit(order, points);
    if (one.factor > 0 || fits.empty()) fits.push_back(std::move(one));
  }
  const auto best =
      std::min_element(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) { return a.deviation < b.deviation; });
  if (best->deviation > kMostDeviation) return std::nullopt;
  const double enough = best->deviation * kNear + kNothing;
  return *std::find_if(fits.begin(), fits.end(), [&](const Fit& one) { return one.deviation <= enough; });
}

}  // namespace nesl_cli

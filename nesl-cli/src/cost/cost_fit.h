#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nesl_cli {

/// The order of growth that figures have as a function of n: factor * order + lower * order / log n + constant, with
/// logarithms to base 2.
struct Fit {
  std::string order;     ///< as "n log n"; "1" for a constant
  double factor = 0;     ///< above zero, but for figures that are all zero
  double lower = 0;      ///< zero unless the figures are far closer with such a term
  double constant = 0;   ///< zero if the order is 1
  double deviation = 0;  ///< root of the mean square of the deviations, each relative to its figure
};

/// Fits each of the known orders by least squares of the relative deviations, and returns the one with the least; of
/// those that are nearly as good, the one that grows least. Uses the sizes from 2 on. Nothing for fewer than three of
/// them, if the largest is less than four times the least, or if the best deviation is above a quarter.
std::optional<Fit> fit_order(const std::vector<double>& sizes, const std::vector<double>& figures);

}  // namespace nesl_cli

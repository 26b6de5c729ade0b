#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nesl_cli {

/// The order of growth that figures have as a function of n.
struct Fit {
  std::string order;     ///< as "n log n"; "1" for a constant
  double factor = 0;     ///< of the order, with logarithms to base 2; the constant itself if the order is 1
  double constant = 0;   ///< added to the order; 0 if the order is 1
  double deviation = 0;  ///< root of the mean square of the deviations, each relative to its figure
};

/// Fits factor * order(n) + constant, with a factor above zero, by least squares of the relative deviations, for each
/// of the known orders, and returns the one with the least deviation; of those that are nearly as good, the one that
/// grows least. Uses the sizes from 2 on; nothing for fewer than three of them, if the largest is less than four times
/// the least, or if the best deviation is above a quarter.
std::optional<Fit> fit_order(const std::vector<double>& sizes, const std::vector<double>& figures);

}  // namespace nesl_cli

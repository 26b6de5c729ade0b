#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cost_fit.h"
#include "cost_runner.h"

namespace nesl_cli {

/// A column of the table of costs.
struct CostColumn {
  const char* title;
  const char* key;  ///< in JSON
  double (*figure)(const CostRow& row);
};
inline constexpr std::size_t kCostColumns = 7;
extern const std::array<CostColumn, kCostColumns> cost_columns;

/// Names of a file and an expression, and the figures of the sizes that have been measured.
struct CostReport {
  std::string file, expression;
  std::vector<CostRow> rows;

  /// The order of a column; nothing if no order fits.
  std::optional<Fit> fit(const CostColumn& column) const;
};

// Lines of the table.
std::string cost_heading(const CostReport& report);
std::string cost_line(const CostRow& row);
/// Two lines with the fitted orders and how well these fit; empty for fewer than three sizes.
std::string cost_orders(const CostReport& report);

std::string cost_json(const CostReport& report);

}  // namespace nesl_cli

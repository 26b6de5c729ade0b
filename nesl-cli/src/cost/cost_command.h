#pragma once

#include <string>

#include "program/flags.h"

namespace nesl_cli {

/// The command-line options of `nesl cost` beside those about optimizing and running.
struct CostFlags {
  std::string expression;  ///< assignments, and the expression whose cost is measured
  std::string sizes;       ///< as read_sizes() reads them; empty: the expression does not use n
  std::string json;        ///< name of a file for the figures; empty: none
  std::string plot;        ///< name of an SVG file; empty: none
};

/// Measures the work and the depth of an expression with the definitions of a file, for each size n, and prints a table
/// with the fitted orders. Returns 1 after an error and 130 after an interrupt; the sizes before that are reported.
int run_cost(const std::string& file, const CostFlags& cost_flags, const Flags& flags);

}  // namespace nesl_cli

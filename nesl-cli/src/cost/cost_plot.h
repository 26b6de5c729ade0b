#pragma once

#include <string>

#include "cost_report.h"

namespace nesl_cli {

/// An SVG picture of work, depth, operations and elements as functions of n, both axes logarithmic. Figures and sizes
/// of zero are left out. Nothing to draw gives a picture of empty axes.
std::string cost_plot(const CostReport& report);

}  // namespace nesl_cli

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "nesl-compiler/watch_point.h"
#include "vcode/program.h"

namespace nesl_cli {

/// A loop that fusion makes of the operations of several expressions.
struct FusedLoop {
  std::vector<nesl::Place> places;  ///< expressions whose operations are in the loop, in the order of the loop
  std::size_t operations = 0;
  std::string function;  ///< the user's function that contains the first expression; empty for a top-level statement
};

/// Reads the kernels of a program that was compiled with nesl::Watch::kPlaces, whose places these are. Omits kernels of
/// a single expression, which a function of the library may have many of.
std::vector<FusedLoop> fused_loops(const vcode::Program& program, const std::vector<nesl::Place>& places);

}  // namespace nesl_cli

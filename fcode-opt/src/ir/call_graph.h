#pragma once

#include <vector>

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// Call graph of the functions that the entry and the roots can reach.
struct CallGraph {
  std::vector<std::uint32_t> order;  ///< the reachable functions, callees first except in recursions
  std::vector<bool> recursive;       ///< whether a function calls itself, directly or through others
  std::vector<std::uint32_t> calls;  ///< number of calls of a function in the reachable functions
};

CallGraph make_call_graph(const Program& program);

/// Removes the functions that neither the entry nor a root can reach.
void remove_unreachable_functions(Program& program);

}  // namespace vcode::letform

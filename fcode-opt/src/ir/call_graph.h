#pragma once

#include <vector>

#include "fcode-opt/letform.h"

namespace vcode::letform {

/// The call graph of the functions that the entry and the roots can reach.
struct CallGraph {
  std::vector<std::uint32_t> order;  ///< the functions that can be reached, callees first where there is no recursion
  std::vector<bool> recursive;       ///< calls itself, directly or through others
  std::vector<std::uint32_t> calls;  ///< how many calls of the function the reachable functions contain
};

CallGraph make_call_graph(const Program& program);

/// Removes the functions that neither the entry nor a root can reach.
void remove_unreachable_functions(Program& program);

}  // namespace vcode::letform

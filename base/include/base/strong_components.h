#pragma once

#include <cstdint>
#include <vector>

namespace base {

/// The strongly connected components of the part of a graph that can be reached from `roots`, successors before
/// predecessors. successors[n] lists the successors of node n.
std::vector<std::vector<std::uint32_t>> strong_components(const std::vector<std::vector<std::uint32_t>>& successors,
                                                          const std::vector<std::uint32_t>& roots);

}  // namespace base

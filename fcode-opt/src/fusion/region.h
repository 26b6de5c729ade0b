#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fcode-opt/letform.h"
#include "fcode-opt/shapes.h"
#include "vcode/kernel_rules.h"

namespace fcode_opt {

namespace letform = vcode::letform;
using letform::Var;

inline constexpr std::uint32_t kNoNumber = UINT32_MAX;

/// A binding of a region. The number of a node is its index in the region.
struct Node {
  enum class Role : std::uint8_t {
    kKernel,  ///< can be a step of a kernel
    kFree,    ///< a scalar constant or a DIST: costs nothing, so every kernel that reads it makes its own
    kOther,
  };
  Role role = Role::kOther;
  vcode::Producer producer = vcode::Producer::kInput;
  std::uint32_t space = kNoNumber;  ///< of kKernel: nodes of equal number have equally many elements
  /// Of a reduction: the space of its results. An elementwise operation there can be an epilogue of it.
  std::uint32_t segments = kNoNumber;
  bool reads_spread = false;  ///< an operand is a DIST or an INDEX, which its kernel makes
  /// Elementwise, and could be over the segments of a reduction in the same kernel.
  bool can_be_epilogue() const { return producer == vcode::Producer::kMap && !reads_spread; }
  /// Elementwise, or an INDEX of one segment: may be recomputed in several kernels, if that is cheap. An INDEX of many
  /// segments is not cheap, especially if they are short.
  bool can_be_repeated = false;
  bool escapes = false;  ///< a result is used outside of the region, or by a nest
};

/// Node `to` needs what `from` yields.
struct Edge {
  std::uint32_t from, to;
  Var value = letform::kNoVar;     ///< kNoVar: only their order matters
  std::string_view obstacle = {};  ///< why they cannot be in one kernel; empty if they can
};

/// Consecutive bindings of a block with neither I/O nor calls nor conditionals in between, as a dependence graph. Only
/// bindings of one region can be fused. A reader of a free node has edges from the operands of that node.
struct Region {
  const letform::Function& function;
  const letform::Binding* bindings;  ///< of each node
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  /// Of each node that is a scan: the nodes whose scans or flags depend on it, which the same kernel cannot hold.
  std::vector<std::vector<bool>> waits_for;

  std::size_t size() const { return nodes.size(); }
  /// The node of the region that binds a value, or kNoNumber.
  std::uint32_t definer(Var v) const {
    const auto it = definers.find(v);
    return it == definers.end() ? kNoNumber : it->second;
  }
  std::unordered_map<Var, std::uint32_t> definers;
};

/// What limits the building of regions.
struct RegionRules {
  bool only_elementwise;  ///< only elementwise operations are kernel nodes, and only constants are free
  /// Of each binding of the block: whether its lengths agree for certain. A DIST is not free otherwise, as it might
  /// stop the program where no kernel makes its own.
  const std::vector<bool>& lengths_agree;
};

/// The region of bindings [begin, end) of a block. `uses` is how often each value of the function is used; `shapes` has
/// noted all of these bindings.
Region make_region(const letform::Program& program, const letform::Function& function, const letform::Block& block,
                   std::size_t begin, std::size_t end, const std::vector<std::uint32_t>& uses, letform::Shapes& shapes,
                   const RegionRules& rules);

/// Bytes of one element of a value.
int element_bytes(const letform::Function& function, Var v);

}  // namespace fcode_opt

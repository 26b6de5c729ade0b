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

/// A binding of a basic block. The number of a node is its index in the block.
struct Node {
  enum class Role : std::uint8_t {
    kKernel,  ///< can be a step of a kernel
    kFree,    ///< a scalar constant or a DIST: costs nothing, so every kernel that reads it computes it itself
    kOther,
  };
  Role role = Role::kOther;
  vcode::Producer producer = vcode::Producer::kInput;
  std::uint32_t space = kNoNumber;  ///< index space of a kKernel node: nodes with the same number have equally many
                                    ///< elements
  /// Index space of the results of a reduction. An elementwise operation over it can be an epilogue of the reduction.
  std::uint32_t segments = kNoNumber;
  bool reads_spread = false;  ///< an operand is a DIST or an INDEX, which the kernel computes itself
  /// Whether the operation is elementwise and could go over the segments of a reduction in the same kernel.
  bool can_be_epilogue() const { return producer == vcode::Producer::kMap && !reads_spread; }
  /// Whether several kernels may compute the operation, if it is cheap: it is elementwise, or an INDEX of one segment.
  /// An INDEX of many segments is not cheap, especially if they are short.
  bool can_be_repeated = false;
  bool escapes = false;  ///< a result is used outside of the basic block, or in a nest
};

/// A dependence: node `to` needs a result of node `from`.
struct Edge {
  std::uint32_t from, to;
  Var value = letform::kNoVar;     ///< kNoVar: only the order matters
  std::string_view obstacle = {};  ///< reason why they cannot be in one kernel; empty if they can
};

/// A basic block as a dependence graph: consecutive bindings without input, output, calls or conditionals. Only
/// bindings of one basic block can be fused. A reader of a free node has edges from the operands of that node.
struct BasicBlock {
  const letform::Function& function;
  const letform::Binding* bindings;  ///< of each node
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  /// Of each node that is a scan: the nodes whose scans or flags depend on it, which the same kernel cannot contain.
  std::vector<std::vector<bool>> waits_for;

  std::size_t size() const { return nodes.size(); }
  /// Node that binds a value, or kNoNumber if the value is bound outside of the basic block.
  std::uint32_t definer(Var v) const {
    const auto it = definers.find(v);
    return it == definers.end() ? kNoNumber : it->second;
  }
  std::unordered_map<Var, std::uint32_t> definers;
};

/// Restrictions on nodes of basic blocks.
struct BasicBlockRules {
  bool only_elementwise;  ///< only elementwise operations are kernel nodes, and only constants are free
  /// Of each binding of the block: whether its lengths certainly agree. A DIST whose lengths might disagree is not
  /// free, as it must run once even if no kernel needs it.
  const std::vector<bool>& lengths_agree;
};

/// Makes the dependence graph of bindings [begin, end) of a block. `uses` is the number of uses of each value of the
/// function; `shapes` has noted all of these bindings.
BasicBlock make_basic_block(const letform::Program& program, const letform::Function& function,
                            const letform::Block& block, std::size_t begin, std::size_t end,
                            const std::vector<std::uint32_t>& uses, letform::Shapes& shapes,
                            const BasicBlockRules& rules);

/// Bytes of one element of a value.
int element_bytes(const letform::Function& function, Var v);

}  // namespace fcode_opt

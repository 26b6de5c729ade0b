#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/tuning.h"
#include "cvl/backend.h"
#include "kernels/chain_kernels.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

/// What the tile engine finds out about a kernel before it sees any data: what is done in which traversal, and where
/// in a thread's memory each value lies while a tile is computed.
struct TilePlan final : KernelPlan {
  TilePlan(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths);

  /// An elementwise operation on the value before it in a chain.
  struct Link {
    ChainOp op = ChainOp::kTake;
    vcode::KernelVar operand = 0;
  };
  /// A step that goes through the index space.
  struct Step {
    const vcode::Kernel::Step* step = nullptr;
    vcode::Producer producer = vcode::Producer::kInput;
    bool after_scan = false;
    bool counts = false;  ///< a PACK, the first one with its flags and segments
    int cut = -1;         ///< its segments: index into `cuts`, or -1
    int number = -1;      ///< among the scans, the reductions, the scatters, the counts (of a PACK: that of its flags)
    int packed = -1;      ///< among the PACKs
    /// What is computed with the step in one go: its result, or if it folds, its operand; or that operand alone, if
    /// the step is in a group.
    std::vector<Link> chain = {};
    bool read = false;  ///< by other steps of the traversal, what the chain computes
    /// Of the first of a group of steps whose chains one call may run: how many they are; else 0.
    int group = 0;
    bool in_registers = false;  ///< what the chain takes first, left by the one before it in the group
    /// What the chain computes, or the result of a scan, is read by steps that do not find it in registers.
    bool read_elsewhere = false, result_read_elsewhere = false;
  };
  /// An elementwise step over segments.
  struct Epilogue {
    const vcode::Kernel::Step* step = nullptr;
    int cut = -1;  ///< over whose segments: index into `cuts`; -1 if it waits for reductions of several
  };
  struct Value {
    ElemType type = ElemType::kI32;
    int slot = -1;              ///< tile of a thread's memory it is computed in, or -1
    bool spread = false;        ///< DIST, which may have to be done but once
    bool wide = false;          ///< of what is spread: a reader needs a whole tile of it even if all elements are equal
    bool kept = false;          ///< from before the carries of a piece are known until afterwards
    bool materialised = false;  ///< needed as a vector when the traversal is over
    int segments_of = -1;       ///< computed behind the reductions of this cut only
    int epilogue = -1;          ///< by which of `epilogues`
  };
  /// What the chain of a step computes, if it has one.
  vcode::KernelVar computed(const Step& step) const;
  /// True if somebody reads a value element by element in a later step of the traversal.
  bool is_read_in_tiles(vcode::KernelVar v) const { return readers_[v] > 0; }
  /// True if a piece must know what earlier ones hand on.
  bool has_carries() const { return scans + counts > 0; }

  const vcode::Kernel& kernel;
  std::vector<Value> values;
  std::vector<vcode::KernelVar> cuts;  ///< the descriptors that cut the index space
  std::vector<Step> steps;             ///< in order
  std::vector<Step> before, after;     ///< the same where pieces wait for carries: until then, from then on
  std::vector<Step> scans_at_end;      ///< those of `after` that are done for the whole piece at once
  bool only_scans_before = true;       ///< `before` only finds out what the scans of a piece hand on
  std::vector<const vcode::Kernel::Step*> ordered_scatters;  ///< when all elements are there
  std::vector<Epilogue> epilogues;
  std::size_t most_links = 0;  ///< of a call
  int slots = 0, scans = 0, reductions = 0, counts = 0, packs = 0, scatters = 0;
  std::int64_t epilogue_bytes() const { return std::ssize(epilogues) * kEpilogueTile * 8; }
  std::int64_t tile = 0;       ///< elements of a tile: a power of two
  std::int64_t flat_tile = 0;  ///< the same if there is a single segment
  std::int64_t slot_bytes() const { return tile * 8; }
  std::int64_t piece_items = 0;  ///< elements plus segments of a piece

 private:
  void add_step(const vcode::Kernel::Step& step, const vcode::KernelFacts& facts);
  void add_epilogue(const vcode::Kernel::Step& step, const vcode::KernelFacts& facts);
  int cut_of(const vcode::Kernel::Step& step, vcode::Producer producer);
  void split(const vcode::KernelFacts& facts);
  int assign_slots();
  void take_scans_at_end(const vcode::KernelFacts& facts);
  void chain(std::vector<Step>& list);
  void group(std::vector<Step>& list);
  void make_group(std::span<Step> members);
  int other_readers(const Step& step) const;
  bool continues(const Step& last, const Step& step) const;
  bool needs_no_tiles(const std::vector<Step>& list) const;
  std::vector<Link> links(const Step& step) const;

  std::vector<int> readers_;  ///< steps of the traversal that read a value
};

/// The operand of a step that is the descriptor with as many elements as operand `like` (or result 0, if that is -1);
/// -1 if there is none.
int descriptor_like(const vcode::Kernel::Step& step, int like);

}  // namespace cvl::cpu

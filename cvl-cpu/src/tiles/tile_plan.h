#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cvl/backend.h"
#include "cvl/fold_order.h"
#include "regions/native_region.h"
#include "tuning/kernel_tuning.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

/// The plan of the tile engine for a kernel, made before there are data: which steps run in which traversal, where
/// in a thread's memory each value is while a tile is computed, and which steps native code computes together.
struct TilePlan {
  /// With `one_segment` it is the better plan where each descriptor that cuts the index space has one segment.
  TilePlan(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths, bool one_segment);

  /// A step that is computed element by element of the index space.
  struct PlannedStep {
    const vcode::Kernel::Step* step = nullptr;
    vcode::Producer producer = vcode::Producer::kInput;
    bool after_scan = false;
    bool counts = false;  ///< a PACK, the first one with its flags and segments
    int cut = -1;         ///< its segments: index into `cuts`, or -1
    int number = -1;      ///< among the scans, the reductions, the arg-reductions, the scatters, the counts (of a PACK:
                          ///< that of its flags)
    int packed = -1;      ///< among the PACKs
    int region = -1;  ///< for the first step of a region without gathers and scatters, its index in `regions`; else -1
    int gathering = -1;  ///< for the first step of a region with gathers or scatters, the same
    int folded_in = -1;  ///< of a reduction or a scan: the region with its operand, which may fold it; or -1. Of an
                         ///< arg-reduction the same, if that region goes across segments
  };
  /// An elementwise step over segments.
  struct Epilogue {
    const vcode::Kernel::Step* step = nullptr;
    int cut = -1;  ///< over whose segments: index into `cuts`; -1 if it waits for reductions of several
  };
  /// Who reads what a region of a list of steps computes.
  struct Reach {
    bool inside = false;  ///< nobody but the region
    bool folded = false;  ///< the region, and what folds it: reductions that follow upon the region, and its own scans
  };
  struct PlannedValue {
    ElemType type = ElemType::kI32;
    int slot = -1;                ///< tile of a thread's memory in which it is computed, or -1
    bool spread = false;          ///< the result of DIST, which need be filled only once if there is one segment
    bool read_elsewhere = false;  ///< by a step other than those of regions that fold nothing
    bool wide = false;            ///< of what is spread: a reader needs a whole tile even if all elements are equal
    bool in_registers = false;    ///< no region without gathers and scatters writes its tile
    bool kept = false;            ///< computed before the carries of a piece are known, and read afterwards
    bool materialised = false;    ///< needed as a vector after the traversal
    int segments_of = -1;         ///< depends on reductions of this cut only
    int epilogue = -1;            ///< which of `epilogues` computes it
  };
  /// The region that computes the whole kernel, but for what follows upon it over segments, with DISTs whose results
  /// are wanted nowhere else; -1 if there is none.
  int only_region() const;
  /// True if a later step of the traversal reads the value element by element.
  bool is_read_in_tiles(vcode::KernelVar v) const { return readers_[v] > 0; }
  /// True if the plan for one segment is another one: regions may then go by the segment and scan or pack as well.
  bool differs_for_one_segment() const {
    return (reads_segments_ && scans + packs > 0) || (scans_by_blocks_ && !one_segment_);
  }
  /// True of a reduction or a scan whose monoid rounds, which folds by blocks (see fold_order.h).
  bool is_by_blocks(const PlannedStep& step) const {
    return (step.producer == vcode::Producer::kReduce || step.producer == vcode::Producer::kScan) &&
           rounds(vcode::info(step.step->op).monoid, values[step.step->operands[0]].type);
  }
  /// True if there is such a step. Then no tile has parts of two blocks of a segment.
  bool by_blocks() const { return !block_cuts.empty(); }
  /// Tiles of a piece, at most. Two tiles that follow upon each other have more than a block.
  std::int64_t most_tiles() const { return by_blocks() ? 2 * (piece_items / kFoldBlock) + 4 : piece_items / tile + 2; }
  /// True if pieces need carries of earlier pieces.
  bool has_carries() const { return scans + counts > 0; }

  const vcode::Kernel& kernel;
  std::vector<PlannedValue> values;
  std::vector<vcode::KernelVar> cuts;  ///< the descriptors that cut the index space
  std::vector<int> block_cuts;         ///< those of steps that fold by blocks
  std::vector<PlannedStep> steps;      ///< in order
  std::vector<PlannedStep> before,
      after;  ///< where pieces wait for carries: the steps before and after the carries are known
  std::vector<PlannedStep> scans_at_end;  ///< scans that follow `after`, each for the whole piece at once
  bool only_scans_before = true;          ///< `before` only computes the carries of scans
  std::vector<const vcode::Kernel::Step*> ordered_scatters;  ///< with defaults: computed when all pieces are
  std::vector<Epilogue> epilogues;
  /// Of `steps`, `before` and `after`. Those with gathers or scatters compute what others compute, too: these are used
  /// where a table or a permuted vector has several segments.
  std::vector<Region> regions;
  std::size_t most_vectors = 0;  ///< of one region
  int slots = 0, scans = 0, reductions = 0, arg_reductions = 0, counts = 0, packs = 0, scatters = 0;
  std::int64_t epilogue_bytes() const { return std::ssize(epilogues) * kEpilogueTile * 8; }
  std::int64_t tile = 0;  ///< elements of a tile: a power of two
  /// Elements of a segment, on average over a tile, from which on regions go by segments.
  std::int64_t long_segment = kLongSegment;
  std::int64_t slot_bytes() const { return tile * 8; }
  /// Of a reduction or a scan, among both.
  int fold_number(const PlannedStep& step) const {
    return step.producer == vcode::Producer::kScan ? reductions + step.number : step.number;
  }
  std::int64_t piece_items = 0;  ///< elements plus segments of a piece

 private:
  void add_step(const vcode::Kernel::Step& step, const vcode::KernelFacts& facts);
  void add_epilogue(const vcode::Kernel::Step& step, const vcode::KernelFacts& facts);
  int cut_of(const vcode::Kernel::Step& step, vcode::Producer producer);
  static bool is_permutation(const PlannedStep& step);
  void split(const vcode::KernelFacts& facts);
  int assign_slots();
  void assign_region_slots(std::span<const PlannedStep> run, const std::vector<const vcode::Kernel::Step*>& last,
                           std::vector<int>& free);
  int take_slot(std::vector<int>& free);
  void order_for_regions();
  bool is_in_region(const std::vector<PlannedStep>& list, std::size_t k, bool gathers) const;
  std::size_t end_of_run(const std::vector<PlannedStep>& list, std::size_t k, bool gathers) const;
  std::vector<Reach> find_reach(const std::vector<PlannedStep>& list, bool gathers) const;
  void find_values_in_registers();
  const PlannedStep* spread_by(vcode::KernelVar v) const;
  Region::Input region_input(vcode::KernelVar v) const;
  void form_regions(std::vector<PlannedStep>& list);
  int form_region(std::span<const PlannedStep> run, std::span<const Reach> reach);
  void find_extremes();
  bool may_go_across(const Region& region) const;
  void take_scans_at_end(const vcode::KernelFacts& facts);

  std::vector<int> readers_;      ///< steps of the traversal that read a value
  bool one_segment_;              ///< for runs in which every descriptor has one
  bool scans_by_blocks_ = false;  ///< there is a scan that folds by blocks
  bool reads_segments_ = false;   ///< something is spread over segments, or made for them, from other than constants,
                                  ///< and there may be several
};

}  // namespace cvl::cpu

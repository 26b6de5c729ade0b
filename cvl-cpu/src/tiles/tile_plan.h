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

/// Plan of the tile engine for a kernel, made before the data are known: which steps run in which traversal, where in a
/// thread's memory each value is while a tile is computed, and which steps are compiled together.
struct TilePlan {
  /// With `one_segment`, makes the better plan for runs in which each descriptor of the index space is single.
  TilePlan(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths, bool one_segment);

  /// A step that is computed for the elements of the index space.
  struct PlannedStep {
    const vcode::Kernel::Step* step = nullptr;
    vcode::Producer producer = vcode::Producer::kInput;
    bool after_scan = false;
    bool counts = false;    ///< the first PACK with its flags and segments, which counts the flags
    int segmentation = -1;  ///< descriptor of its segments: index into `segmentations`, or -1
    int number = -1;  ///< index among the scans, reductions, arg-reductions, scatters or counts (a PACK has the number
                      ///< of the count of its flags)
    int packed = -1;  ///< index among the PACKs
    int region = -1;  ///< for the first step of a region without gathers and scatters: index in `regions`; otherwise -1
    int gathering = -1;  ///< for the first step of a region with gathers or scatters: index in `regions`; otherwise -1
    int folded_in = -1;  ///< reduction or scan: the region that computes or reads its operand and may fold it;
                         ///< arg-reduction: such a region that can compute one segment a lane; otherwise -1
  };
  /// An epilogue: an elementwise step over segments.
  struct Epilogue {
    const vcode::Kernel::Step* step = nullptr;
    int segmentation = -1;  ///< descriptor of the segments: index into `segmentations`; -1 if it depends on reductions
                            ///< of several descriptors
  };
  /// Readers of a value that a region computes.
  struct Reach {
    bool inside = false;  ///< only the region reads it
    bool folded = false;  ///< only the region and the folds that can be computed with it read it: reductions that
                          ///< follow the region, and its own scans
  };
  struct PlannedValue {
    ElemType type = ElemType::kI32;
    int slot = -1;                ///< number of the tile in a thread's memory in which it is computed, or -1
    bool spread = false;          ///< the result of a DIST: its tile is filled only once if there is one segment
    bool read_elsewhere = false;  ///< read by a step outside regions, or by a region that folds
    bool wide = false;            ///< of a result of DIST: a reader needs a whole tile even if all elements are equal
    bool in_registers = false;    ///< no region without gathers and scatters writes its tile
    bool kept = false;            ///< computed before the carries of a chunk are known, and read afterwards
    bool materialised = false;    ///< needed as a vector after the traversal
    int segments_of = -1;         ///< the only descriptor on whose reductions it depends
    int epilogue = -1;            ///< index into `epilogues` of the step that computes it
  };
  /// The region that computes the whole kernel, except reductions that follow it and results of DIST, INDEX and SLICE
  /// that nothing else needs; -1 if there is none.
  int only_region() const;
  /// True if a later step of the traversal reads the value element by element.
  bool is_read_in_tiles(vcode::KernelVar v) const { return readers_[v] > 0; }
  /// True if the plan for one segment is different: its regions may then have a loop nest over the segment and also
  /// scan or pack.
  bool differs_for_one_segment() const {
    return (reads_segments_ && scans + packs > 0) || (scans_by_blocks_ && !one_segment_);
  }
  /// True for a reduction or a scan whose monoid rounds: it folds by blocks (see fold_order.h).
  bool is_by_blocks(const PlannedStep& step) const {
    return (step.producer == vcode::Producer::kReduce || step.producer == vcode::Producer::kScan) &&
           rounds(vcode::info(step.step->op).monoid, values[step.step->operands[0]].type);
  }
  /// True if a step folds by blocks. No tile then has parts of two blocks of a segment.
  bool by_blocks() const { return !block_segmentations.empty(); }
  /// Most tiles of a chunk. With folds by blocks, two neighbouring tiles have more elements than a block.
  std::int64_t most_tiles() const { return by_blocks() ? 2 * (chunk_items / kFoldBlock) + 4 : chunk_items / tile + 2; }
  /// True if chunks need carries of earlier chunks.
  bool has_carries() const { return scans + counts > 0; }

  const vcode::Kernel& kernel;
  std::vector<PlannedValue> values;
  std::vector<vcode::KernelVar> segmentations;  ///< the descriptors of the index space; elsewhere a segmentation is an
                                                ///< index into this vector
  std::vector<int> block_segmentations;         ///< descriptors of steps that fold by blocks
  std::vector<PlannedStep> steps;               ///< in order
  std::vector<PlannedStep> before,
      after;  ///< steps before and after the carries are known, where chunks wait for carries
  std::vector<PlannedStep> scans_at_end;  ///< scans that follow `after`, each for a whole chunk at once
  bool only_scans_before = true;          ///< `before` computes nothing but the carries of scans
  std::vector<const vcode::Kernel::Step*> ordered_scatters;  ///< scatters with defaults: computed after all chunks
  std::vector<Epilogue> epilogues;
  /// Regions of `steps`, `before` and `after`. The steps of a region with gathers or scatters are also covered by
  /// regions without; the latter are used if a table or a permuted vector has several segments.
  std::vector<Region> regions;
  std::size_t most_vectors = 0;  ///< most vectors of a region
  int slots = 0, scans = 0, reductions = 0, arg_reductions = 0, counts = 0, packs = 0, scatters = 0;
  std::int64_t epilogue_bytes() const { return std::ssize(epilogues) * kEpilogueTile * 8; }
  std::int64_t tile = 0;  ///< elements of a tile: a power of two
  /// Average length of segments over a tile from which on regions use a loop nest over segments.
  std::int64_t long_segment = kLongSegment;
  std::int64_t slot_bytes() const { return tile * 8; }
  /// Number of a reduction or a scan among all of both.
  int fold_number(const PlannedStep& step) const {
    return step.producer == vcode::Producer::kScan ? reductions + step.number : step.number;
  }
  std::int64_t chunk_items = 0;  ///< elements plus segments of a chunk

 private:
  void add_step(const vcode::Kernel::Step& step, const vcode::KernelFacts& facts);
  void add_epilogue(const vcode::Kernel::Step& step, const vcode::KernelFacts& facts);
  int segmentation_of(const vcode::Kernel::Step& step, vcode::Producer producer);
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

  std::vector<int> readers_;      ///< by value: number of steps of the traversal that read it
  bool one_segment_;              ///< for runs in which every descriptor is single
  bool scans_by_blocks_ = false;  ///< a scan folds by blocks
  bool reads_segments_ = false;   ///< there may be several segments, and a result of DIST, INDEX or SLICE depends on
                                  ///< more than constants
};

}  // namespace cvl::cpu

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/loop.h"

namespace kernels {

/// The steps that a loop computes.
enum class Part : std::uint8_t {
  kAll,     ///< all steps, with the carries of earlier chunks
  kBefore,  ///< steps that do not need carries
  kAfter,   ///< steps that need carries
};

/// How a kernel is traversed, made before the data are known. One loop computes all steps over elements; where chunks
/// of the index space are computed side by side and need what earlier chunks pass on, two loops share the steps: one
/// before, one after these carries are known. Around the loop, whoever runs it does what depends on several chunks:
/// carries of scans, positions of PACKs, reductions of segments that several chunks have a part of, the turn to write to
/// targets that have defaults.
struct LoopPlan {
  /// The kernel must outlive the plan.
  LoopPlan(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths);
  LoopPlan(const LoopPlan&) = delete;
  LoopPlan& operator=(const LoopPlan&) = delete;

  /// A step that is computed for the elements of the index space.
  struct Step {
    const vcode::Kernel::Step* step = nullptr;
    vcode::Producer producer = vcode::Producer::kInput;
    bool after_scan = false;
    bool counts = false;    ///< the first PACK with its flags and segments, which counts the flags
    int segmentation = -1;  ///< descriptor of its segments: index into `segmentations`, or -1
    int number = -1;  ///< index among the scans, reductions, arg-reductions, scatters or counts (a PACK has the number
                      ///< of the count of its flags)
    int packed = -1;  ///< index among the PACKs
  };
  /// An epilogue: an elementwise step over segments.
  struct Epilogue {
    const vcode::Kernel::Step* step = nullptr;
    int segmentation = -1;  ///< descriptor of the segments: index into `segmentations`; -1 if it depends on reductions
                            ///< of several descriptors
  };
  struct Value {
    ElemType type = ElemType::kI32;  ///< of a descriptor: that of its lengths
    bool materialised = false;  ///< needed as a vector after the traversal
    bool kept = false;          ///< computed before the carries of a chunk are known, and read afterwards
    int slot = -1;              ///< index among the values for which a flat loop needs a tile in memory; -1: none
    int segments_of = -1;       ///< the only descriptor on whose reductions it depends
    int epilogue = -1;          ///< index into `epilogues` of the step that computes it
    std::uint32_t constant = vcode::Kernel::kNoConstant;  ///< index into Program::constants, if it is one
  };
  /// The steps of a part. Its loop computes those of is_in_loop(); the others are computed around it, on vectors of a
  /// tile.
  struct Stage {
    std::vector<Step> steps;
    Loop loop;
  };
  const Stage& stage(Part part) const { return part == Part::kAll ? whole : part == Part::kBefore ? *before : *after; }
  static bool is_in_loop(const Step& step, Part part);

  /// True for a reduction or a scan whose monoid rounds: it folds by blocks (docs/vcode.md).
  bool is_by_blocks(const Step& step) const;
  /// True if a step folds by blocks. No tile then has parts of two blocks of a segment.
  bool by_blocks() const { return !block_segmentations.empty(); }
  /// True if chunks need what earlier chunks pass on: carries, or the turn to write.
  bool has_carries() const { return scans + counts > 0 || in_order; }
  /// Whether a step is a scatter with defaults of which the last write to a target must win: not if it writes a constant.
  bool depends_on_order(const vcode::Kernel::Step& step) const;
  /// Operations of the kernel for each element.
  vcode::Work work() const;

  const vcode::Kernel& kernel;
  std::vector<Value> values;
  std::vector<vcode::KernelVar> segmentations;  ///< the descriptors of the index space; elsewhere a segmentation is an
                                                ///< index into this vector
  std::vector<int> block_segmentations;         ///< descriptors of steps that fold by blocks
  Stage whole;                                  ///< all steps
  std::optional<Stage> before, after;           ///< if chunks need carries; `after` only if it has steps
  bool only_scans_before = true;                ///< `before` computes nothing but the carries of scans
  std::vector<Epilogue> epilogues;
  int slots = 0, scans = 0, reductions = 0, arg_reductions = 0, counts = 0, packs = 0, scatters = 0;
  bool in_order = false;  ///< a scatter depends on the order of writes: chunks write one after the other
  std::int64_t kept_bytes = 0;  ///< of an element: what a chunk keeps until its carries are known

 private:
  void add_step(const vcode::Kernel::Step& step, const vcode::KernelFacts& facts);
  void add_epilogue(const vcode::Kernel::Step& step, const vcode::KernelFacts& facts);
  int segmentation_of(const vcode::Kernel::Step& step, vcode::Producer producer);
  void split(const vcode::KernelFacts& facts);
};

/// The first mistake in a plan, empty if there is none: whatever prints, compiles or runs plans relies on, from the
/// order of steps to the members of arguments and the bounds of an interior. Builds with checks verify each plan when
/// it is made, and end the process with the mistake.
std::string verify_plan(const LoopPlan& plan);

/// The plan as text: each stage with its loop and the struct of its arguments.
std::string to_text(const LoopPlan& plan);

}  // namespace kernels

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vcode/kernel.h"
#include "vcode/op.h"
#include "vcode/types.h"

namespace cvl::cpu {

/// Steps of a kernel that are compiled to one loop, with intermediate values in registers: elementwise steps, gathers,
/// scatters, scans and PACKs, and the reductions of their results. A region has a loop over elements, and may also have
/// a loop nest over segments or a loop that computes one segment a lane (see native_code.h).
struct Region {
  /// How a loop nest over segments generates an input from one value per segment, in place of loading the vector that a
  /// DIST, INDEX or SLICE computes.
  enum class Generated : std::uint8_t {
    kNot,
    kSpread,       ///< by DIST: one element for all elements of the segment
    kProgression,  ///< by INDEX: from the first element and the stride
    kSlice,        ///< by SLICE: from a part of the table
  };
  struct Input {
    vcode::KernelVar value = 0;
    Generated made = Generated::kNot;
    vcode::KernelVar segments = 0;  ///< the values per segment: the operand of DIST, the starts of INDEX and SLICE
    vcode::KernelVar stride = 0;    ///< strides of an INDEX
    vcode::KernelVar table = 0;     ///< table of a SLICE
    int segmentation = -1;          ///< descriptor of the segments: index into TilePlan::cuts
    /// Number of words of SegmentsFunction for this input besides the address of `segments`.
    std::size_t made_words() const;
  };
  struct Output {
    vcode::KernelVar value = 0;
    bool folded = false;    ///< needed in memory only by the folds
    bool only_out = false;  ///< not read again by this kernel, so it may be streamed
  };
  /// Vector that a gather reads. If it has several segments, the loop nest must go over the segments of the indices.
  struct Table {
    vcode::KernelVar value = 0;
    vcode::KernelVar segments = 0;  ///< its descriptor
    int segmentation = -1;          ///< descriptor of the indices: index into TilePlan::cuts
  };
  struct Scan {
    const vcode::Kernel::Step* step = nullptr;
    int number = 0;         ///< among the kernel's scans
    int segmentation = -1;  ///< descriptor: index into TilePlan::cuts
  };
  struct Pack {
    const vcode::Kernel::Step* step = nullptr;
    int number = 0;         ///< among the kernel's PACKs
    bool counts = false;    ///< the first PACK with its flags and segments, which counts the flags
    int segmentation = -1;  ///< descriptor: index into TilePlan::cuts
  };
  /// A permutation of a single segment.
  struct Scatter {
    const vcode::Kernel::Step* step = nullptr;
    int number = 0;  ///< among the kernel's scatters
  };
  struct Fold {
    const vcode::Kernel::Step* step = nullptr;  ///< the reduction, or the scan whose carry this fold computes
    int number = 0;                             ///< among the kernel's folds
    int segmentation = -1;                      ///< descriptor: index into TilePlan::cuts
    bool is_carry() const { return vcode::info(step->op).op_class == vcode::OpClass::kScan; }
  };
  /// An arg-reduction of a value that the region computes. If a region can compute one segment a lane, no other step
  /// outside the region reads its results.
  struct Extreme {
    const vcode::Kernel::Step* step = nullptr;
    int segmentation = -1;  ///< descriptor: index into TilePlan::cuts
  };
  std::vector<const vcode::Kernel::Step*> steps;  ///< in order
  std::vector<Input> inputs;                      ///< values that are read and not computed here
  std::vector<Output> outputs;                    ///< values that are computed here and needed in memory
  std::vector<Table> tables;                      ///< of the gathers among the steps, in order
  std::vector<Scan> scans;                        ///< among the steps, in order
  std::vector<Pack> packs;                        ///< among the steps, in order
  std::vector<Scatter> scatters;                  ///< among the steps, in order
  std::vector<Fold> folds;                        ///< of values read or computed here
  std::vector<Extreme> extremes;                  ///< only if one segment a lane is possible
  bool is_part = false;  ///< part of a region with gathers or scatters, used only where that region cannot be
  /// Whether it has a loop nest over segments (SegmentsFunction).
  bool goes_by_segments() const;
  /// Whether it can compute one segment a lane (AcrossFunction): all its inputs are generated from one value per
  /// segment, and nothing but arg-reductions reads its results.
  bool goes_across() const { return !extremes.empty(); }
  /// Positions of words in the argument `vectors` of its functions (see RegionFunction and SegmentsFunction).
  std::size_t stream_word() const { return inputs.size() + outputs.size(); }
  std::size_t first_table_word() const { return stream_word() + 1; }
  std::size_t first_scan_word() const { return first_table_word() + 4 * tables.size(); }
  std::size_t first_pack_word() const { return first_scan_word() + 3 * scans.size(); }
  std::size_t first_scatter_word() const { return first_pack_word() + 2 * packs.size(); }
  std::size_t first_fold_word() const { return first_scatter_word() + 3 * scatters.size(); }
  std::size_t first_extreme_word() const { return first_fold_word() + folds.size(); }
  std::size_t first_made_word() const { return first_extreme_word() + extremes.size(); }
  std::size_t bounds_word() const;
  /// Most words that any of its functions takes.
  std::size_t most_words() const { return bounds_word() + 3; }
  /// Most outputs that compiled code can write past the cache: the bits of a word.
  static constexpr std::size_t kMostStreamed = 64;
  /// Whether compiled code can write output k, of this type, past the cache.
  bool streams(std::size_t k, vcode::ElemType type) const {
    return k < kMostStreamed && outputs[k].only_out && type != vcode::ElemType::kB8;
  }
  /// Whether compiled code is faster than one loop per step.
  bool is_worth_compiling() const { return steps.size() > 1 || folds.size() > scans.size(); }
};

}  // namespace cvl::cpu

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vcode/kernel.h"
#include "vcode/op.h"
#include "vcode/types.h"

namespace cvl::cpu {

/// Elementwise steps, gathers, scatters, scans and PACKs of a kernel that one loop computes, with the values between
/// them in registers, and reductions of what they compute.
struct Region {
  /// What code that goes by segments has in place of a vector that DIST, INDEX or SLICE makes from an element for each.
  enum class Made : std::uint8_t {
    kNot,
    kSpread,       ///< of DIST: one element, which all are equal to
    kProgression,  ///< of INDEX: the first element and the stride
    kSlice,        ///< of SLICE: a part of the table
  };
  struct Input {
    vcode::KernelVar value = 0;
    Made made = Made::kNot;
    vcode::KernelVar segments = 0;  ///< what it is made from: the operand of DIST, the starts of INDEX and SLICE
    vcode::KernelVar stride = 0;    ///< of INDEX
    vcode::KernelVar table = 0;     ///< of SLICE
    int cut = -1;                   ///< whose segments: of TilePlan::cuts
    /// Words that tell of it besides the address of `segments`.
    std::size_t made_words() const;
  };
  struct Output {
    vcode::KernelVar value = 0;
    bool folded = false;    ///< wanted in memory only for the folds
    bool only_out = false;  ///< not read again by this kernel, so that it may be streamed
  };
  /// What a gather reads. Where it has several segments, the region must go by those of the indices.
  struct Table {
    vcode::KernelVar value = 0;
    vcode::KernelVar segments = 0;  ///< its descriptor
    int cut = -1;                   ///< of the indices: of TilePlan::cuts
  };
  struct Scan {
    const vcode::Kernel::Step* step = nullptr;
    int number = 0;  ///< among the kernel's scans
    int cut = -1;    ///< whose segments: of TilePlan::cuts
  };
  struct Pack {
    const vcode::Kernel::Step* step = nullptr;
    int number = 0;       ///< among the kernel's PACKs
    bool counts = false;  ///< the first one with its flags and segments
    int cut = -1;         ///< whose segments: of TilePlan::cuts
  };
  /// A permutation, which must be of one segment.
  struct Scatter {
    const vcode::Kernel::Step* step = nullptr;
    int number = 0;  ///< among the kernel's scatters
  };
  struct Fold {
    const vcode::Kernel::Step* step = nullptr;  ///< the reduction, or the scan, whose carry this is
    int number = 0;                             ///< among the kernel's folds
    int cut = -1;                               ///< whose segments: of TilePlan::cuts
    bool is_carry() const { return vcode::info(step->op).op_class == vcode::OpClass::kScan; }
  };
  /// An arg-reduction of a value computed here, as all uses outside of a region that goes across segments are.
  struct Extreme {
    const vcode::Kernel::Step* step = nullptr;
    int cut = -1;  ///< whose segments: of TilePlan::cuts
  };
  std::vector<const vcode::Kernel::Step*> steps;  ///< in order
  std::vector<Input> inputs;                      ///< read, and not computed here
  std::vector<Output> outputs;                    ///< computed here, and wanted in memory
  std::vector<Table> tables;                      ///< of the gathers among the steps, in order
  std::vector<Scan> scans;                        ///< among the steps, in order
  std::vector<Pack> packs;                        ///< the same
  std::vector<Scatter> scatters;                  ///< the same
  std::vector<Fold> folds;                        ///< of values read or computed here
  std::vector<Extreme> extremes;                  ///< if it goes across segments
  bool is_part = false;  ///< of a region with gathers or scatters, which computes its steps wherever it can
  /// Whether it goes by segments, so that there is a function for runs of segments.
  bool goes_by_segments() const;
  /// Whether it can go across segments, so that there is a function with a segment in each lane: all that it reads is
  /// made from an element for each segment, and nothing but arg-reductions reads what it computes.
  bool goes_across() const { return !extremes.empty(); }
  /// Where the words that its functions are handed have what they have: see RegionFunction and CompiledRegion.
  std::size_t stream_word() const { return inputs.size() + outputs.size(); }
  std::size_t first_table_word() const { return stream_word() + 1; }
  std::size_t first_scan_word() const { return first_table_word() + 4 * tables.size(); }
  std::size_t first_pack_word() const { return first_scan_word() + 3 * scans.size(); }
  std::size_t first_scatter_word() const { return first_pack_word() + 2 * packs.size(); }
  std::size_t first_fold_word() const { return first_scatter_word() + 3 * scatters.size(); }
  std::size_t first_extreme_word() const { return first_fold_word() + folds.size(); }
  std::size_t first_made_word() const { return first_extreme_word() + extremes.size(); }
  std::size_t bounds_word() const;
  /// How many words its functions are handed, at most.
  std::size_t most_words() const { return bounds_word() + 3; }
  /// Outputs that compiled code can write past the cache: the bits of a word.
  static constexpr std::size_t kMostStreamed = 64;
  /// Whether compiled code can write output k, of this type, past the cache.
  bool streams(std::size_t k, vcode::ElemType type) const {
    return k < kMostStreamed && outputs[k].only_out && type != vcode::ElemType::kB8;
  }
  /// Whether compiled code has an advantage over a loop for each step.
  bool is_worth_compiling() const { return steps.size() > 1 || folds.size() > scans.size(); }
};

}  // namespace cvl::cpu

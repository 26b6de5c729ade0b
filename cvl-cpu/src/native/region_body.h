#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/llvm_text.h"
#include "native/lower_elementwise.h"
#include "native/lower_folds.h"
#include "native/lower_gather.h"
#include "native/lower_made_input.h"
#include "native/lower_pack.h"
#include "native/lower_scan.h"
#include "native/lower_scatter.h"
#include "regions/lane_strides.h"
#include "regions/native_region.h"
#include "vcode/kernel.h"

namespace cvl::cpu {

/// Number of elements that a function of a region computes together: as many of the narrowest numbers as a register, or
/// a cache line, holds.
int region_lanes(const Region& region, std::span<const ElemType> types, bool by_segments, const NativeTarget& target);

/// Whether a step of a region divides integers by this value.
bool is_divisor(const Region& region, std::span<const ElemType> types, vcode::KernelVar v);

/// Appends the computation of a region for the elements in the lanes of a text: loads of inputs, the steps in order,
/// stores of outputs. region_code.cpp writes the loops around it. The loop-carried state consists of lanes at fault,
/// the accumulators of all folds, those of scans, the indices of the next kept elements of PACKs, and the sums of
/// scatters.
class RegionBody {
 public:
  using State = std::vector<LaneValue>;

  RegionBody(LlvmText& text, const vcode::Kernel& kernel, const Region& region, std::span<const ElemType> types,
             bool by_segments);

  /// Loads the words of the function's argument, except the starts of segments.
  void load_words();
  /// Sets the name of the end of the elements that the function computes.
  void set_range_end(std::string end) { range_end_ = std::move(end); }

  std::vector<std::string> state_types() const;
  /// The state before the first element; `faults` are those of earlier elements.
  State initial_state(const LaneValue& faults);
  /// Computes the elements from `e` on; if `mask` is not empty, only those in it.
  void compute(std::string_view e, const std::string& mask, State& state);
  /// Stores the final state of scans, PACKs and scatters at the addresses in the function's argument.
  void end_state(State& state);

  // For a loop nest over segments: segment `k`, which begins at element `start`, with its elements from `begin` to
  // `end`.

  /// Appends the part that does not change within the segment. Returns whether its slices are within their tables;
  /// empty if it has none.
  std::string enter_segment(const std::string& k, const std::string& start, const std::string& begin,
                            const std::string& end);
  /// Stores the results of folds for a segment without elements in the range; `is_empty`: it has no elements at all.
  void store_identity(const std::string& k, const std::string& is_empty);
  /// Stores the results of folds after `count` elements.
  void store_folds(const std::string& k, const State& state, const std::string& count);

 private:
  struct WholeTable {
    ElemType type, index;
    std::string address, elements, starts, step;
  };

  bool is_made(const Region::Input& input) const { return by_segments_ && input.made != Region::Generated::kNot; }
  bool may_stream(std::size_t k) const { return region_.streams(k, types_[region_.outputs[k].value]); }
  /// Whether the loop keeps the processor from loading far enough ahead. Where it does not, prefetching is slower.
  bool hides_what_is_next() const { return !region_.tables.empty() || !region_.scans.empty(); }

  std::string word(std::string_view type, std::size_t k) { return load_word(text_, type, k); }
  void position(vcode::KernelVar v, std::size_t k);
  void add_table(std::size_t k);
  void find_streamed();
  void add_made(const Region::Input& input);
  void enter_tables(const std::string& k);

  void load_inputs(std::string_view e, const std::string& mask);
  void store_outputs(std::string_view e, const std::string& mask);
  void fetch_inputs_ahead(std::string_view e);
  void fetch_gathered_ahead(const vcode::Kernel::Step& step, const GatherTable& table, std::string_view e);
  LoweredOperation map(const vcode::Kernel::Step& step);
  LoweredOperation gather(const vcode::Kernel::Step& step, const GatherTable& table, const std::string& mask);

  std::string sum_address(std::size_t fold, const std::string& k);
  std::string address(vcode::KernelVar v, std::string_view e) {
    return element_address(text_, types_[v], addresses_[v], e);
  }
  std::string combine(std::string_view instruction, const std::string& x, const std::string& y);
  std::span<LaneValue> sums(State& state) const { return std::span(state).subspan(1); }
  std::span<LaneValue> carries(State& state) const {
    return std::span(state).subspan(first_carry_, first_position_ - first_carry_);
  }
  std::span<LaneValue> positions(State& state) const {
    return std::span(state).subspan(first_position_, first_hash_ - first_position_);
  }
  std::span<LaneValue> hashes(State& state) const { return std::span(state).subspan(first_hash_); }

  LlvmText& text_;
  const vcode::Kernel& kernel_;
  const Region& region_;
  std::span<const ElemType> types_;
  bool by_segments_;
  FoldWriter folds_;  ///< the folds that this function computes
  ScanWriter scans_;
  PackWriter packs_;
  ScatterWriter scatters_;
  std::size_t first_carry_, first_position_, first_hash_;  ///< positions in a state
  std::vector<Strides> strides_;                           ///< strides of the kernel's values
  std::vector<LaneValue> values_;                          ///< values of the kernel, if they are in registers
  std::vector<std::string> addresses_;                     ///< addresses of inputs and outputs
  std::vector<std::string> sums_;                          ///< addresses of the results of folds
  std::vector<GatherTable> tables_;  ///< tables of the gathers among the steps, in order; in a loop nest over segments,
                                     ///< of the segment
  std::vector<WholeTable> whole_tables_;  ///< the same tables with all segments
  std::vector<MadeInputWriter> made_;     ///< the inputs that are generated per segment, in order
  std::size_t made_words_;                ///< position of the next word of generated inputs to be loaded
  std::string range_end_ = "%end";
};

}  // namespace cvl::cpu

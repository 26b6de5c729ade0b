#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jit/lower_folds.h"
#include "jit/lower_gather.h"
#include "jit/lower_interior.h"
#include "jit/lower_made_input.h"
#include "jit/lower_pack.h"
#include "jit/lower_scan.h"
#include "jit/lower_scatter.h"
#include "kernels/lane_strides.h"
#include "kernels/loop.h"
#include "lanes/llvm_text.h"
#include "lanes/lower_elementwise.h"
#include "vcode/kernel.h"

namespace cvl::cpu {

/// Number of elements that a function of a loop computes together: as many of the narrowest numbers as a register, or
/// a cache line, holds; or several times as many in a repeated kernel.
int lanes_of(const Loop& loop, std::span<const ElemType> types, bool by_segments, const NativeTarget& target);

/// Whether a step of a loop divides by this value and can use the results of lower_divisor().
bool is_divisor(const Loop& loop, std::span<const ElemType> types, vcode::KernelVar v, const NativeTarget& target);

/// Appends the computation of a loop for the elements in the lanes of a text: loads of inputs, the steps in order,
/// stores of outputs. loop_code.cpp writes the loops around it. The loop-carried state consists of lanes at fault,
/// the accumulators of all folds, those of scans, the indices of the next kept elements of PACKs, and the sums of
/// scatters.
class LoopBody {
 public:
  using State = std::vector<LaneValue>;

  LoopBody(LlvmText& text, const vcode::Kernel& kernel, const Loop& loop, std::span<const ElemType> types,
           bool by_segments);

  /// Loads the members of the function's argument, except the starts of segments.
  void load_members();
  /// Sets the name of the end of the elements that the function computes.
  void set_range_end(std::string end) { range_end_ = std::move(end); }

  std::vector<std::string> state_types() const;
  /// The state before element `begin`; `faults` are those of earlier elements.
  State initial_state(const LaneValue& faults, const std::string& begin);
  /// Computes the elements from `e` on; if `mask` is not empty, only those in it. `vector` is its number in a turn.
  void compute(std::string_view e, const std::string& mask, State& state, int vector = 0);
  /// Stores the final state of scans, PACKs and scatters at the addresses in the function's argument.
  void end_state(State& state);

  // For a loop nest over segments: segment `k`, which begins at element `start`, with its elements from `begin` to
  // `end`.

  /// Appends the part that does not change within the segment. Returns whether its slices are within their tables;
  /// empty if it has none.
  std::string enter_segment(const std::string& k, const std::string& start, const std::string& begin,
                            const std::string& end);
  bool has_interior() const { return by_segments_ && loop_.interior.has_value(); }
  /// Whether whole vectors outside of the interior have a loop of their own, and are not computed with masks.
  bool has_loop_outside() const { return !has_interior() || !has_many_gathers(); }
  /// Number of vectors that are computed by turns, one for each accumulator of folds, if that is little code; or 1.
  int vectors_in_turn() const { return vectors_in_turn_; }
  /// Appends the computation of the segment's interior, between `begin` and `end`.
  const InteriorWriter& enter_interior(const std::string& begin, const std::string& end);
  /// Whether compute() is for elements of the interior.
  void set_inside(bool inside, bool strided = false) {
    inside_ = inside;
    strided_ = strided;
  }
  /// Stores the results for a segment without elements in the range; `is_empty`: it has no elements at all.
  void store_nothing(const std::string& k, const std::string& is_empty);
  /// Stores the results of folds, and how many elements were kept, after `count` elements.
  void store_segment(const std::string& k, State& state, const std::string& count);

 private:
  struct WholeTable {
    ElemType type, index;
    std::string address, elements, bound, starts, step;
    std::string length = {};  ///< of the present segment, an i64
  };

  /// Most gathers that a function writes for several loops, each with a search for neighbours: they are much code.
  static constexpr std::size_t kMostGathersRepeated = 3;
  /// Most steps of a loop that computes vectors by turns.
  static constexpr std::size_t kMostStepsInTurn = 24;
  bool has_many_gathers() const { return loop_.gathers.size() > kMostGathersRepeated; }

  bool is_made(const Loop::Input& input) const { return by_segments_ && input.is_made(); }
  bool stores(const Loop::Output& output) const { return by_segments_ ? output.in_nest : output.in_flat; }
  /// Whether the loop keeps the processor from loading far enough ahead. Where it does not, prefetching is slower.
  bool hides_what_is_next() const { return !loop_.gathers.empty() || !loop_.scans.empty() || !loop_.scatters.empty(); }

  void load_tables();
  void load_made(const Loop::Input& input);
  void lower_divisor_of(MadeInputWriter& made);
  void enter_tables(const std::string& k);
  std::pair<GatherTable, std::string> restrict_table(std::size_t table, const std::string& k);

  void load_inputs(std::string_view e, const std::string& mask);
  void store_outputs(std::string_view e, const std::string& mask);
  bool only_folds() const;
  /// A loop over the steps of a repeated kernel that is being written.
  struct Rounds {
    int number = 0;
    std::size_t position = 0;          ///< of its first block in the text
    std::string before;                ///< the block in front of it
    std::vector<std::string> initial;  ///< of the values of the kernel's loop, and of the lanes at fault
  };
  Rounds begin_rounds(State& state);
  void end_rounds(const Rounds& rounds, const std::string& mask, State& state);
  void fetch_inputs_ahead(std::string_view e);
  void fetch_gathered_ahead(const vcode::Kernel::Step& step, const GatherTable& table, std::string_view e);
  LoweredOperation map(const vcode::Kernel::Step& step);
  template <class Lower>
  LoweredOperation unless_none(const std::string& flags, Lower&& lower);
  bool is_read_inside(vcode::KernelVar result) const;
  static bool reads(const std::vector<Loop::Interior::Gather>& gathers, vcode::KernelVar result);
  const LaneValue* flags_of(const vcode::Kernel::Step& gather) const;
  std::optional<LoweredOperation> compute_inside(const vcode::Kernel::Step& step, std::string_view e);
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
  const Loop& loop_;
  std::span<const ElemType> types_;
  bool by_segments_;
  FoldWriter folds_;  ///< the folds that this function computes
  const int vectors_in_turn_;
  ScanWriter scans_;
  PackWriter packs_;
  ScatterWriter scatters_;
  std::size_t first_carry_, first_position_, first_hash_;  ///< positions in a state
  std::vector<Strides> strides_;                           ///< strides of the kernel's values
  std::vector<LaneValue> values_;                          ///< values of the kernel, if they are in registers
  std::vector<std::string> addresses_;                     ///< addresses of inputs
  std::vector<std::string> results_;                       ///< addresses of outputs
  std::vector<std::string> sums_;                          ///< addresses of the results of folds
  std::vector<GatherTable> tables_;       ///< those of the loop; in a nest over segments, of the segment
  std::vector<WholeTable> whole_tables_;  ///< the same tables with all segments
  std::string is_segmented_;              ///< an i1: whether a table has several segments
  std::vector<MadeInputWriter> made_;     ///< the inputs that are made from values per segment, in order
  std::optional<InteriorWriter> interior_;
  bool inside_ = false, strided_ = false;
  std::string range_end_ = "%end";
};

}  // namespace cvl::cpu

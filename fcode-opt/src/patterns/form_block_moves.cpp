#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fcode-opt/passes.h"
#include "patterns/pattern_finder.h"

namespace vcode::letform {
namespace {

class RangeFinder : public PatternFinder {
 public:
  using PatternFinder::PatternFinder;

 private:
  /// A PACK of the numbers 0, 1, 2, … of all elements of a single segment: the indices of elements with true flags.
  struct Chosen {
    Var flags, descriptor;
  };
  /// DPERMUTE b q (DPERMUTE a p d s1 s3) s2 s3: a scatter whose defaults are the result of a scatter.
  struct TwoScatters {
    Var a, p, s1, b, q, s2, s3, first;
  };

  void rewrite(Binding& binding) override {
    switch (binding.op) {
      case Op::kPack:
        note_chosen(binding);
        break;
      case Op::kLength:
        ask_descriptor(binding);
        break;
      case Op::kSumScan:
        ask_offsets(binding);
        break;
      case Op::kBpermute:
        slice(binding);
        break;
      case Op::kMinReduce:
        find_first_extreme(binding);
        break;
      case Op::kDpermute:
        if (const std::optional<TwoScatters> both = two_scatters(binding)) join(binding, *both);
        break;
      default:
        break;
    }
  }

  // --- facts ----------------------------------------------------------------------------------------------------

  /// Segment length of a descriptor made of one constant, or -1.
  std::int64_t uniform_length(Var descriptor) const {
    return is(descriptor, Op::kMakeSegdes) ? uniform(operands(descriptor)[0]) : -1;
  }
  /// Whether each segment of `descriptor` is as long as the segment of `all` minus that of `part`, by the way it was
  /// made.
  bool is_difference(Var descriptor, Var all, Var part) {
    if (!is(descriptor, Op::kMakeSegdes) || !is(operands(descriptor)[0], Op::kSubtract)) return false;
    const auto& lengths = operands(operands(descriptor)[0]);
    return shapes_.are_lengths_of(lengths[0], all) && shapes_.are_lengths_of(lengths[1], part);
  }
  /// Whether each segment of s3 is as long as the segments of s1 and s2 together.
  bool is_sum(Var s3, Var s1, Var s2) {
    if (uniform_length(s2) == 0 && shapes_.same_descriptor(s3, s1)) return true;
    if (uniform_length(s1) == 0 && shapes_.same_descriptor(s3, s2)) return true;
    if (is_difference(s1, s3, s2) || is_difference(s2, s3, s1)) return true;
    if (const std::int64_t both = uniform_length(s3); both >= 0)
      return uniform_length(s1) >= 0 && uniform_length(s2) >= 0 && uniform_length(s1) + uniform_length(s2) == both;
    if (!is(s3, Op::kMakeSegdes) || !is(operands(s3)[0], Op::kAdd)) return false;
    const Var x = operands(operands(s3)[0])[0], y = operands(operands(s3)[0])[1];
    return (shapes_.are_lengths_of(x, s1) && shapes_.are_lengths_of(y, s2)) ||
           (shapes_.are_lengths_of(x, s2) && shapes_.are_lengths_of(y, s1));
  }

  // --- operations that query a descriptor ---------------------------------------------------------------------------

  /// Rewrites LENGTH of a vector that an operation made over a descriptor as ELEMENTS of the descriptor.
  void ask_descriptor(Binding& binding) {
    const Definitions::Definition& made = definitions_.of(binding.operands[0]);
    if (made.form != Binding::Form::kOp) return;
    const Signature& signature = info(made.op).signature;
    for (std::size_t k = 0; k < static_cast<std::size_t>(signature.operand_count); ++k)
      if (signature.operands[k].type == RoleType::kSegdes &&
          signature.operands[k].length == signature.results[0].length)
        return become(binding, Op::kElements, {made.operands[k]});
  }

  /// Rewrites +_SCAN of all lengths of a descriptor as OFFSETS.
  void ask_offsets(Binding& binding) {
    if (binding.suffix != Suffix::kInt || !shapes_.is_single(binding.operands[1])) return;
    const Var descriptor = shapes_.descriptor_of(binding.operands[0]);
    if (descriptor != kNoVar) become(binding, Op::kOffsets, {descriptor});
  }

  /// Operand of the innermost of the DISTs that made a value; `v` itself if no DIST did.
  Var spread_from(Var v) const {
    while (is(v, Op::kDist)) v = operands(v)[0];
    return v;
  }

  // --- indices of extremes ------------------------------------------------------------------------------------------

  /// Whether each element equals the length of its segment.
  bool is_length_of_segment(Var v, Var descriptor) {
    if (const std::int64_t known = uniform_length(descriptor); known >= 0 && uniform(v) == known) return true;
    if (is(descriptor, Op::kMakeSegdes) && shapes_.is_single(spread_from(v)) &&
        spread_from(v) == spread_from(operands(descriptor)[0]))
      return true;
    if (!is(v, Op::kDist) || !shapes_.same_elements(v, descriptor)) return false;
    const Var of_segment = operands(v)[0], over = operands(v)[1];
    const bool same = shapes_.same_descriptor(over, descriptor);
    if (is(of_segment, Op::kElements))
      return same && shapes_.is_single(descriptor) && shapes_.same_descriptor(operands(of_segment)[0], descriptor);
    return same && shapes_.are_lengths_of(of_segment, descriptor);
  }

  /// Rewrites the smallest index of the elements that equal the maximum or minimum of their segment.
  void find_first_extreme(Binding& binding) {
    const Var chosen = binding.operands[0], s = binding.operands[1];
    if (binding.suffix != Suffix::kInt || !is(chosen, Op::kSelect)) return;
    const Var equal = operands(chosen)[0], indices = operands(chosen)[1], otherwise = operands(chosen)[2];
    if (!is(equal, Op::kEqual) || !counts_up(indices, s) || !is_length_of_segment(otherwise, s)) return;
    for (const bool turned : {false, true}) {
      const Var x = operands(equal)[turned ? 1 : 0], spread = operands(equal)[turned ? 0 : 1];
      if (!is(spread, Op::kDist) || !shapes_.same_descriptor(operands(spread)[1], s)) continue;
      const Var extreme = operands(spread)[0];
      const bool largest = is(extreme, Op::kMaxReduce);
      if (!largest && !is(extreme, Op::kMinReduce)) continue;
      if (operands(extreme)[0] != x || !shapes_.same_descriptor(operands(extreme)[1], s)) continue;
      binding.suffix = definitions_.of(extreme).suffix;
      return become(binding, largest ? Op::kMaxIndex : Op::kMinIndex, {x, s});
    }
  }

  // --- operations that move blocks ------------------------------------------------------------------------------

  void note_chosen(const Binding& binding) {
    const Var numbers = binding.operands[0], flags = binding.operands[1], descriptor = binding.operands[2];
    if (shapes_.is_single(descriptor) && counts_up(numbers, descriptor))
      chosen_.insert_or_assign(binding.results[0], Chosen{flags, descriptor});
  }

  /// Rewrites a gather from all of a vector through an INDEX of stride 1 as SLICE.
  void slice(Binding& binding) {
    const Var indices = binding.operands[1];
    if (!is(indices, Op::kIndex) || uniform(operands(indices)[1]) != 1) return;
    if (!shapes_.is_single(binding.operands[2]) || !shapes_.is_single(binding.operands[3])) return;
    become(binding, Op::kSlice, {binding.operands[0], operands(indices)[0], operands(indices)[2]});
    if (cannot_fail(binding)) faultless_.push_back(binding.results[0]);
  }

  std::optional<TwoScatters> two_scatters(const Binding& binding) {
    const Var first = binding.operands[2];
    if (!is(first, Op::kDpermute)) return {};
    const auto& inner = operands(first);
    if (!shapes_.same_descriptor(inner[4], binding.operands[4])) return {};
    return TwoScatters{inner[0],
                       inner[1],
                       inner[3],
                       binding.operands[0],
                       binding.operands[1],
                       binding.operands[3],
                       binding.operands[4],
                       first};
  }

  void join(Binding& binding, const TwoScatters& both) {
    if (!append(binding, both) && !merge(binding, both) && !merge_segments(binding, both)) return;
    faultless_.push_back(both.first);
    if (cannot_fail(binding)) faultless_.push_back(binding.results[0]);
  }

  /// Rewrites two scatters as APPEND: each segment of a goes to the beginning of the result's segment, each of b after
  /// it.
  bool append(Binding& binding, const TwoScatters& both) {
    if (!counts_up(both.p, both.s1) || !is_range(both.q, both.s2)) return false;
    const Var behind = operands(both.q)[0];
    const std::int64_t known = uniform_length(both.s1);
    if (!shapes_.are_lengths_of(behind, both.s1) && !(known >= 0 && uniform(behind) == known)) return false;
    if (!is_sum(both.s3, both.s1, both.s2)) return false;
    become(binding, Op::kAppend, {both.a, both.b, both.s1, both.s2, both.s3});
    return true;
  }

  /// Flags that are true for the elements `p` and false for the elements `q`; `swapped`: true for `q` and false for
  /// `p`.
  struct Flags {
    Var flags = kNoVar, descriptor = kNoVar;
    bool swapped = false;
  };
  std::optional<Flags> complementary(Var p, Var q) {
    const auto of_p = chosen_.find(p), of_q = chosen_.find(q);
    if (of_p == chosen_.end() || of_q == chosen_.end()) return {};
    const Chosen &first = of_p->second, &second = of_q->second;
    if (!shapes_.same_descriptor(first.descriptor, second.descriptor)) return {};
    if (is(second.flags, Op::kNot) && operands(second.flags)[0] == first.flags)
      return Flags{first.flags, first.descriptor, false};
    if (is(first.flags, Op::kNot) && operands(first.flags)[0] == second.flags)
      return Flags{second.flags, first.descriptor, true};
    return {};
  }

  /// Rewrites two scatters as MERGE: elements of a where a flag is true, of b where it is false.
  bool merge(Binding& binding, const TwoScatters& both) {
    const std::optional<Flags> by = complementary(both.p, both.q);
    if (!by || !shapes_.same_descriptor(by->descriptor, both.s3)) return false;
    become(binding, Op::kMerge,
           by->swapped ? std::vector{by->flags, both.b, both.a} : std::vector{by->flags, both.a, both.b});
    return true;
  }

  bool is_merge_of_lengths(Var to, Var flags, Var of_a, Var of_b) {
    if (!is(to, Op::kMakeSegdes) || !is(operands(to)[0], Op::kMerge)) return false;
    const auto& merged = operands(operands(to)[0]);
    return merged[0] == flags && shapes_.are_lengths_of(merged[1], of_a) && shapes_.are_lengths_of(merged[2], of_b);
  }

  /// Rewrites two scatters of segments as MERGE_SEGS: `p` counts up from the offsets of the segments of a in the
  /// result.
  bool merge_segments(Binding& binding, const TwoScatters& both) {
    if (!is(both.p, Op::kIndex) || !is(both.q, Op::kIndex) || !shapes_.is_single(both.s3)) return false;
    const Var of_a = operands(both.p)[2], of_b = operands(both.q)[2];
    if (uniform(operands(both.p)[1]) != 1 || uniform(operands(both.q)[1]) != 1) return false;
    const Var first = operands(both.p)[0], second = operands(both.q)[0];
    if (!is(first, Op::kBpermute) || !is(second, Op::kBpermute)) return false;
    const Var offsets = operands(first)[0];
    if (operands(second)[0] != offsets || !is(offsets, Op::kOffsets)) return false;
    const Var to = operands(offsets)[0];
    const std::optional<Flags> by = complementary(operands(first)[1], operands(second)[1]);
    if (!by || !shapes_.same_elements(to, both.s3)) return false;
    std::vector<Var> joined{by->flags, both.a, both.b, of_a, of_b, to};
    if (by->swapped) {
      std::swap(joined[1], joined[2]);
      std::swap(joined[3], joined[4]);
    }
    if (!is_merge_of_lengths(to, by->flags, joined[3], joined[4])) return false;
    faultless_.push_back(first);
    faultless_.push_back(second);
    become(binding, Op::kMergeSegments, std::move(joined));
    return true;
  }

  std::unordered_map<Var, Chosen> chosen_;
};

}  // namespace

/// Pass "block-moves": replaces operations on index vectors whose elements are consecutive by operations that move
/// blocks or find indices.
///   before:  i = INDEX start 1 s   b = BPERMUTE a i t u                  (t and u of one segment)
///            p = INDEX 0 1 s1   q = INDEX (LENGTHS s1) 1 s2   s3 = MAKE_SEGDES (+ (LENGTHS s1) (LENGTHS s2))
///            c = DPERMUTE y q (DPERMUTE x p d s1 s3) s2 s3
///            j = PACK n f t   k = PACK n (NOT f) t   e = DPERMUTE y k (DPERMUTE x j d v t) w t      (n: 0 1 2 …)
///            m = LENGTH i   o = +_SCAN (LENGTHS s) v
///            h = MIN_REDUCE (SELECT (= x (DIST (MAX_REDUCE x s) s)) (INDEX 0 1 s) (DIST (LENGTHS s) s)) s
///   after:   b = SLICE a start s   c = APPEND x y s1 s2 s3   e = MERGE f x y   m = ELEMENTS s   o = OFFSETS s
///            h = MAX_INDEX x s
/// MERGE_SEGS replaces scatters of segments to the offsets of the merged lengths. In these patterns the inner scatters
/// and the gathers of offsets cannot fault, so they are removed if nothing else reads their results. O(n log n).
void form_block_moves(Program& program) { find_patterns<RangeFinder>(program); }

}  // namespace vcode::letform

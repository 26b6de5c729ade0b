#include <algorithm>
#include <optional>
#include <vector>

#include "fcode-opt/passes.h"
#include "ir/walk.h"
#include "patterns/pattern_finder.h"

namespace vcode::letform {
namespace {

class PartMerger : public PatternFinder {
 public:
  using PatternFinder::PatternFinder;

 private:
  void rewrite(Binding& binding) override {
    if (binding.op == Op::kMakeSegdes)
      sum_lengths(binding);
    else if ((binding.op == Op::kAppend || binding.op == Op::kAppend3) && cannot_fail(binding))
      merge(binding);
  }

  /// A number of one of the sequences of a nested sequence, whose outer descriptor has a common length.
  struct Extracted {
    Var inner, outer;    ///< descriptors: of all sequences, and of those that belong together
    std::int64_t index;  ///< among those that belong together
  };
  /// `of` is LENGTHS or OFFSETS.
  std::optional<Extracted> extracted(Var v, Op of) {
    if (!is(v, Op::kExtract) || !is(operands(v)[0], of)) return std::nullopt;
    const Extracted found{operands(operands(v)[0])[0], operands(v)[2], uniform(operands(v)[1])};
    if (found.index < 0 || found.index >= uniform_length(found.outer)) return std::nullopt;
    faultless_.push_back(v);
    return found;
  }
  bool belong_together(const Extracted& a, const Extracted& b) {
    return shapes_.same_descriptor(a.inner, b.inner) && shapes_.same_descriptor(a.outer, b.outer);
  }

  /// Sums the lengths of all parts of a nested sequence by a reduction.
  void sum_lengths(Binding& binding) {
    std::vector<Var> terms, others;
    add_terms(binding.operands[0], terms);
    std::vector<Extracted> parts;
    for (const Var term : terms) {
      const std::optional<Extracted> part = extracted(term, Op::kLengths);
      if (part && (parts.empty() || belong_together(*part, parts[0])))
        parts.push_back(*part);
      else
        others.push_back(term);
    }
    if (parts.empty() || !are_all(parts, false)) return;
    const Var lengths = add(Op::kLengths, Suffix::kNone, {parts[0].inner});
    Var sum = add(Op::kSumReduce, Suffix::kInt, {lengths, parts[0].outer});
    for (const Var other : others) sum = add(Op::kAdd, Suffix::kInt, {sum, other});
    binding.operands = {sum};
  }
  void add_terms(Var v, std::vector<Var>& terms) const {
    constexpr std::size_t kMost = 8;
    if (!is(v, Op::kAdd) || terms.size() >= kMost) return terms.push_back(v);
    for (int k = 0; k < 2; ++k) add_terms(operands(v)[static_cast<std::size_t>(k)], terms);
  }
  /// Whether each index occurs once; in ascending order, if that is required.
  bool are_all(std::vector<Extracted> parts, bool in_order) {
    if (!in_order) std::ranges::sort(parts, {}, &Extracted::index);
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (parts[k].index != static_cast<std::int64_t>(k)) return false;
    return static_cast<std::int64_t>(parts.size()) == uniform_length(parts[0].outer);
  }

  /// Merges an APPEND of slices that are all parts of a nested sequence, in order, and of one other sequence.
  void merge(Binding& append) {
    const std::size_t n = append.op == Op::kAppend ? 2 : 3;
    std::vector<Extracted> parts;
    Var all = kNoVar;
    std::size_t other = n;
    for (std::size_t k = 0; k < n; ++k) {
      const std::optional<Extracted> part = slice(append.operands[k], append.operands[n + k]);
      const bool is_next =
          part && (parts.empty() || (belong_together(*part, parts[0]) && operands(append.operands[k])[0] == all));
      if (is_next) {
        parts.push_back(*part);
        all = operands(append.operands[k])[0];
      } else if (std::exchange(other, k) != n) {
        return;
      }
    }
    if (other == n || parts.empty() || !are_all(parts, true)) return;
    if (!shapes_.same_elements(all, parts[0].inner)) {
      // The vector begins with the sequences. If nothing lies behind them, this copies nothing.
      const Var whole = add(Op::kMakeSegdes, Suffix::kNone, {add(Op::kElements, Suffix::kNone, {parts[0].inner})});
      all = add(Op::kSlice, append.suffix, {all, add_number(0), whole});
    }
    const Var one = append.operands[other], of_one = append.operands[n + other];
    const Var triples =
        add(Op::kMakeSegdes, Suffix::kNone, {for_each_segment(add_number(static_cast<int>(n)), of_one)});
    const Var first = for_each_segment(add_number(0), of_one), step = for_each_segment(add_number(1), of_one);
    const Var place = for_each_segment(add_number(static_cast<int>(other)), of_one);
    const Var is_part =
        add(Op::kNotEqual, Suffix::kInt,
            {add(Op::kIndex, Suffix::kNone, {first, step, triples}), add(Op::kDist, Suffix::kInt, {place, triples})});
    const Var lengths =
        add(Op::kMerge, Suffix::kInt,
            {is_part, add(Op::kLengths, Suffix::kNone, {parts[0].inner}), add(Op::kLengths, Suffix::kNone, {of_one})});
    const Var merged = add(Op::kMakeSegdes, Suffix::kNone, {lengths});
    for (std::size_t k = 0; k < n; ++k)
      if (k != other) faultless_.push_back(append.operands[k]);
    become(append, Op::kMergeSegments, {is_part, all, one, parts[0].inner, of_one, merged});
  }
  /// The part of a nested sequence that a SLICE is, with these segments.
  std::optional<Extracted> slice(Var v, Var segments) {
    if (!is(v, Op::kSlice) || !shapes_.same_descriptor(operands(v)[2], segments)) return std::nullopt;
    const Var s = operands(v)[2];
    if (!is(s, Op::kMakeSegdes)) return std::nullopt;
    const std::optional<Extracted> start = extracted(operands(v)[1], Op::kOffsets),
                                   length = extracted(operands(s)[0], Op::kLengths);
    const bool is_part = start && length && belong_together(*start, *length) && start->index == length->index;
    return is_part ? start : std::nullopt;
  }
};

/// Whether a function appends slices.
bool appends_slices(const Function& function) {
  bool appends = false, slices = false;
  for_each_binding(function.body, [&](const Binding& binding) {
    if (binding.form != Binding::Form::kOp) return;
    appends = appends || binding.op == Op::kAppend || binding.op == Op::kAppend3;
    slices = slices || binding.op == Op::kSlice;
  });
  return appends && slices;
}

}  // namespace

/// Pass "part-merging": appends the parts of a nested sequence, such as the results of recursive calls, and another
/// sequence in between, where they are.
///   before:  l = LENGTHS d   o = OFFSETS d   s = MAKE_SEGDES (EXTRACT l 0 e)   t = MAKE_SEGDES (EXTRACT l 1 e)
///            u = MAKE_SEGDES (+ (+ (EXTRACT l 0 e) (LENGTHS b)) (EXTRACT l 1 e))
///            r = APPEND3 (SLICE v (EXTRACT o 0 e) s) x (SLICE v (EXTRACT o 1 e) t) s b t u
///   after:   f = T F T T F T …   u = MAKE_SEGDES (+ (LENGTHS b) (+_REDUCE l e))
///            r = MERGE_SEGS f v x d b (MAKE_SEGDES (MERGE f l (LENGTHS b)))         (segments of e have two elements)
/// Each element is moved once instead of twice, and nobody need know how long the parts are. Best after
/// merge_appends(). O(n log n).
void merge_parts(Program& program) {
  if (std::ranges::any_of(program.functions, appends_slices)) find_patterns<PartMerger>(program);
}

}  // namespace vcode::letform

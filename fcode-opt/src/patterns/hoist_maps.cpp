#include <algorithm>
#include <unordered_map>

#include "base/check.h"
#include "fcode-opt/passes.h"
#include "patterns/pattern_finder.h"

namespace vcode::letform {
namespace {

/// Fewest arithmetic operations of a map that is worth a vector of its own: a square root. Cheaper maps are hoisted
/// only as operands of such a map.
constexpr int kFewestFlops = 8;
/// Most operations that are hoisted with a map.
constexpr int kMostOperations = 16;

class MapHoister : public PatternFinder {
 public:
  using PatternFinder::PatternFinder;

 private:
  void rewrite(Binding& binding) override {
    if (!is_map(binding.op, binding.suffix) || info(binding.op).flops < kFewestFlops) return;
    slice_ = kNoVar;
    operations_ = 0;
    needs_descriptor_ = false;
    if (!std::ranges::all_of(binding.operands, [&](Var v) { return is_of_copies(v); }) || slice_ == kNoVar) return;
    const Var starts = operands(slice_)[1], segments = operands(slice_)[2];
    if (needs_descriptor_) whole_ = whole_table(operands(slice_)[0], starts, segments);
    made_.clear();
    Binding hoisted = binding;
    for (Var& v : hoisted.operands) v = of_table(v, binding);
    const Kind kind = function_.values[binding.results[0]].kind;
    hoisted.results = {new_value(kind)};
    without_nest(hoisted);
    without_nest(binding);
    binding.suffix = suffix_of(kind);
    become(binding, Op::kSlice, {hoisted.results[0], starts, segments});
    put(std::move(hoisted));
  }

  static bool is_map(Op op, Suffix suffix) {
    const OpInfo& row = info(op);
    return row.op_class == OpClass::kElementwise && !row.checks() && !row.can_fault(suffix);
  }

  /// The table may have no segments at which the operation would have been.
  static void without_nest(Binding& binding) {
    binding.nest.clear();
    binding.outermost = false;
    binding.location_only = binding.site != kNoSite;
  }

  /// Whether a value is computed element by element from copies of whole sequences, the same ones for all its operands.
  bool is_of_copies(Var v) {
    if (is(v, Op::kDist) && shapes_.is_single(operands(v)[0])) return needs_descriptor_ = true;
    if (is(v, Op::kSlice)) {
      if (slice_ == kNoVar && copies_wholes(operands(v)[0], operands(v)[1], operands(v)[2])) slice_ = v;
      return slice_ != kNoVar && operands(v)[1] == operands(slice_)[1] && operands(v)[2] == operands(slice_)[2] &&
             shapes_.same_elements(operands(v)[0], operands(slice_)[0]);
    }
    const Definitions::Definition& made = definitions_.of(v);
    if (made.form != Binding::Form::kOp || !is_map(made.op, made.suffix) || ++operations_ > kMostOperations)
      return false;
    const auto count = static_cast<std::size_t>(info(made.op).signature.operand_count);
    return std::all_of(made.operands.begin(), made.operands.begin() + count, [&](Var w) { return is_of_copies(w); });
  }

  /// Whether SLICE copies whole segments of a table, or the whole table, into each of its segments.
  bool copies_wholes(Var table, Var starts, Var segments) {
    if (!is(segments, Op::kMakeSegdes) || !is(operands(segments)[0], Op::kDist)) return false;
    const Var length = operands(operands(segments)[0])[0];
    if (uniform(starts) == 0) return shapes_.is_single(length) && shapes_.add_up_to(length, table);
    if (!is(starts, Op::kDist) || !is(operands(starts)[0], Op::kOffsets)) return false;
    const Var descriptor = operands(operands(starts)[0])[0];
    return shapes_.same_elements(table, descriptor) && shapes_.are_lengths_of(length, descriptor) &&
           shapes_.same_descriptor(operands(starts)[1], operands(operands(segments)[0])[1]);
  }

  /// A descriptor of one segment, which is as long as the table of a SLICE.
  Var whole_table(Var table, Var starts, Var segments) {
    if (const Var known = shapes_.single_descriptor(table); known != kNoVar) return known;
    const Var length = uniform(starts) == 0 ? operands(operands(segments)[0])[0]
                                            : add(Op::kElements, Suffix::kNone, {operands(operands(starts)[0])[0]});
    return add(Op::kMakeSegdes, Suffix::kNone, {length});
  }

  /// The value for the elements of the tables.
  Var of_table(Var v, const Binding& reader) {
    if (const auto known = made_.find(v); known != made_.end()) return known->second;
    const Definitions::Definition made = definitions_.of(v);
    if (made.op == Op::kSlice) return made.operands[0];
    Binding hoisted{.op = made.op, .suffix = made.suffix, .site = reader.site, .inlined = reader.inlined};
    if (made.op == Op::kDist) {
      hoisted.operands = {made.operands[0], whole_};
    } else {
      const auto count = static_cast<std::size_t>(info(made.op).signature.operand_count);
      for (std::size_t k = 0; k < count; ++k) hoisted.operands.push_back(of_table(made.operands[k], reader));
    }
    const Var result = new_value(function_.values[v].kind);
    hoisted.results = {result};
    without_nest(hoisted);
    put(std::move(hoisted));
    return made_[v] = result;
  }

  Var slice_ = kNoVar;  ///< the first SLICE that an operand is computed from
  int operations_ = 0;
  bool needs_descriptor_ = false;
  Var whole_ = kNoVar;  ///< a descriptor of one segment as long as the tables
  std::unordered_map<Var, Var> made_;
};

}  // namespace

/// Pass "map-hoisting": computes costly maps of a sequence once, and not for each of its copies in an apply-to-each
/// whose body reads the whole sequence.
///   before:  s = MAKE_SEGDES (DIST (LENGTHS d) t)   x = SLICE a (DIST 0 t) s   y = COS (* x (DIST c u))
///   after:   y = SLICE (COS (* a (DIST c d))) (DIST 0 t) s
/// The same for copies of the segments of a nested sequence. Only maps that cannot fault are hoisted. Best after
/// eliminate_permutations(), which makes DISTs of gathers. O(n log n).
void hoist_maps(Program& program) { find_patterns<MapHoister>(program); }

}  // namespace vcode::letform

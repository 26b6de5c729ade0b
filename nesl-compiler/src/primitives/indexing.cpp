// Indexing, and slices: sequences that lie inside a nested sequence and are used without a copy.
#include "indexing.h"

#include "base/check.h"
#include "levels/fetch.h"

namespace nesl {

ValuePtr Indexing::element(const ValuePtr& sequence, const ValuePtr& index, const char* message) {
  const int here = levels_.depth();
  const bool copy = !levels_.in_branch() || !context_.target().has_asserts();
  if (sequence->kind == FlatValue::Kind::kSlice && sequence->level == 0 && here > 0 && copy)
    return element(levels_.copied(sequence), index, message);
  const Var targets = levels_.lift_here(index)->var;
  Location where = levels_.location(message);
  ValuePtr found;
  if (sequence->kind == FlatValue::Kind::kSlice)
    found = element_of_slice(*sequence, targets, where);
  else if (sequence->level == here)
    found = fetch_lazily(emit(), sequence->parts[0],
                         {Op::kExtract, targets, sequence->var, letform::kNoVar, &where, levels_.single(here)});
  else if (sequence->level > 0 && context_.target().has_asserts() && emit().is_from_index(targets))
    found = element_of_slice(*levels_.all_of(*sequence), targets, where);
  else
    found = fetch_lazily(
        emit(), sequence->parts[0],
        {Op::kBpermute, targets, sequence->var, levels_.grouping(sequence->level, here), &where, levels_.single(here)});
  return with_level(found, here);
}

ValuePtr Indexing::element_of_slice(const FlatValue& slice, Var index, const Location& where) {
  const int here = levels_.depth();
  const Var length = levels_.lift_scalar(slice.var, slice.level, here);
  const Var start = levels_.lift_scalar(slice.starts, slice.level, here);
  if (context_.target().has_asserts())
    index = emit().op(Op::kBound, Suffix::kNone, {length, index}, &where);
  else
    check_indices(index, length, where);
  const ValuePtr& elements = slice.parts[0];
  const Var location = emit().op(Op::kAdd, Suffix::kInt, {start, index});
  const Op op = here == 0 ? Op::kExtract : Op::kBpermute;
  return fetch_lazily(
      emit(), elements,
      {op, location, single_over(emit(), *elements), levels_.single(here), nullptr, levels_.single(here)});
}

void Indexing::check_indices(Var indices, Var lengths, const Location& where) {
  const int here = levels_.depth();
  const Var zero = levels_.lift_scalar(emit().integer(0), 0, here);
  const Var not_low = emit().op(Op::kGreaterEqual, Suffix::kInt, {indices, zero});
  const Var not_high = emit().op(Op::kLess, Suffix::kInt, {indices, lengths});
  const Var inside = emit().op(Op::kAnd, Suffix::kBool, {not_low, not_high});
  const Var good = here == 0 ? inside : emit().op(Op::kAndReduce, Suffix::kBool, {inside, levels_.single(here)});
  auto report = [&] {
    // Provoke the error with EXTRACT from zeros: the first instance at fault gets as many zeros as its sequence has
    // elements, all others get one.
    Var length = lengths, index = indices;
    if (here > 0) {
      const Var wrong = emit().op(Op::kNot, Suffix::kBool, {inside});
      const Var ones = levels_.lift_scalar(emit().integer(1), 0, here);
      const Var before = emit().op(Op::kOrScan, Suffix::kBool, {wrong, levels_.single(here)});
      const Var first = emit().op(Op::kAnd, Suffix::kBool, {wrong, emit().op(Op::kNot, Suffix::kBool, {before})});
      length = emit().op(Op::kSelect, Suffix::kInt, {first, lengths, ones});
      index = emit().op(Op::kSelect, Suffix::kInt, {first, indices, zero});
    }
    const Var segments = emit().op(Op::kMakeSegdes, Suffix::kNone, {length});
    emit().op(Op::kExtract, Suffix::kInt, {emit().op(Op::kDist, Suffix::kInt, {zero, segments}), index, segments},
              &where);
    return std::vector<Var>{};
  };
  emit().conditional(
      good, [] { return std::vector<Var>{}; }, report);
}

ValuePtr Indexing::get(const ValuePtr& sequence, const ValuePtr& indices, const char* message) {
  ValuePtr targets = levels_.lift_here(indices);
  levels_.push_elements(targets->var, targets->parts[0].get());
  ValuePtr found = levels_.copied(element(sequence, with_level(targets->parts[0], levels_.depth()), message));
  levels_.pop_level();
  return sequence_value(targets->var, found, levels_.depth());
}

ValuePtr Indexing::subsequence(const FlatValue& sequence, const ValuePtr& start, const ValuePtr& length) {
  const int here = levels_.depth();
  Var begin = sequence.kind == FlatValue::Kind::kSequence ? levels_.all_of(sequence)->starts : sequence.starts;
  begin = emit().op(Op::kAdd, Suffix::kInt,
                    {levels_.lift_scalar(begin, sequence.level, here), levels_.lift_here(start)->var});
  return slice_value(levels_.lift_here(length)->var, begin, sequence.parts[0], here);
}

}  // namespace nesl

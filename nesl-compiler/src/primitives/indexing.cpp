// Indexing, and slices: sequences that lie inside a nested sequence and are used without a copy.
#include "indexing.h"

#include "base/check.h"
#include "levels/fetch.h"

namespace nesl {

ValuePtr Indexing::element(const ValuePtr& sequence, const ValuePtr& index, const char* message) {
  const int here = levels_.depth();
  const bool copy = !levels_.in_branch() || !context_.fuses();
  if (sequence->kind == FlatValue::Kind::kSlice && sequence->level == 0 && here > 0 && copy)
    return element(levels_.copied(sequence), index, message);
  const Var targets = levels_.lift_here(index)->var;
  Location where = levels_.location(message);
  ValuePtr found;
  if (sequence->kind == FlatValue::Kind::kSlice)
    found = element_of_slice(*sequence, targets, where);
  else if (sequence->level == here)
    found = fetch_lazily(emit(), sequence->parts[0], {Op::kExtract, targets, sequence->var, letform::kNoVar, &where});
  else if (sequence->level > 0 && context_.fuses() && emit().is_from_index(targets))
    found = element_of_slice(*levels_.all_of(*sequence), targets, where);
  else
    found = fetch_lazily(emit(), sequence->parts[0],
                         {Op::kBpermute, targets, sequence->var, levels_.grouping(sequence->level, here), &where});
  return with_level(found, here);
}

ValuePtr Indexing::element_of_slice(const FlatValue& slice, Var index, const Location& where) {
  const int here = levels_.depth();
  const Var length = levels_.lift_scalar(slice.var, slice.level, here);
  const Var start = levels_.lift_scalar(slice.starts, slice.level, here);
  index = emit().op(Op::kBound, Suffix::kNone, {length, index}, &where);
  const ValuePtr& elements = slice.parts[0];
  const Var location = emit().op(Op::kAdd, Suffix::kInt, {start, index});
  const Op op = here == 0 ? Op::kExtract : Op::kBpermute;
  return fetch_lazily(emit(), elements, {op, location, single_over(emit(), *elements), levels_.single(here), nullptr});
}

ValuePtr Indexing::get(const ValuePtr& sequence, const ValuePtr& indices, const char* message) {
  ValuePtr targets = levels_.lift_here(indices);
  levels_.push_elements(targets->var);
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

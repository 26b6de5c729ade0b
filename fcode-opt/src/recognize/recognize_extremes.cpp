// MAX_INDEX and MIN_INDEX: the smallest index of the elements that equal the maximum or minimum.
#include "recognize/recognizer.h"

namespace vcode::letform {

bool Recognizer::is_length_of_segment(Var v, Var descriptor) {
  // The operand of the innermost of the DISTs that made a value.
  const auto spread_from = [&](Var value) {
    while (is(value, Op::kDist)) value = operands(value)[0];
    return value;
  };
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

/// before:  m = MAX_REDUCE x s
///          i = MIN_REDUCE (SELECT (= x (DIST m s)) (INDEX 0 1 s) (DIST (LENGTHS s) s)) s
/// after:   i = MAX_INDEX x s
/// Likewise MIN_INDEX with MIN_REDUCE.
bool Recognizer::extreme_index(Binding& minimum) {
  const Var chosen = minimum.operands[0], s = minimum.operands[1];
  if (minimum.suffix != Suffix::kInt || !is(chosen, Op::kSelect)) return false;
  const Var equal = operands(chosen)[0], indices = operands(chosen)[1], otherwise = operands(chosen)[2];
  if (!is(equal, Op::kEqual) || !counts_up(indices, s) || !is_length_of_segment(otherwise, s)) return false;
  for (const bool turned : {false, true}) {
    const Var x = operands(equal)[turned ? 1 : 0], spread = operands(equal)[turned ? 0 : 1];
    if (!is(spread, Op::kDist) || !shapes_.same_descriptor(operands(spread)[1], s)) continue;
    const Var extreme = operands(spread)[0];
    const bool largest = is(extreme, Op::kMaxReduce);
    if (!largest && !is(extreme, Op::kMinReduce)) continue;
    if (operands(extreme)[0] != x || !shapes_.same_descriptor(operands(extreme)[1], s)) continue;
    minimum.suffix = definitions_.of(extreme).suffix;
    become(minimum, largest ? Op::kMaxIndex : Op::kMinIndex, {x, s});
    return true;
  }
  return false;
}

}  // namespace vcode::letform

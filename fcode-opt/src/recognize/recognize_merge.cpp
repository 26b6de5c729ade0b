// MERGE and MERGE_SEGS: two scatters to complementary places.
#include "recognize/recognizer.h"

namespace vcode::letform {

void Recognizer::note_chosen(const Binding& pack) {
  const Var numbers = pack.operands[0], flags = pack.operands[1], descriptor = pack.operands[2];
  if (shapes_.is_single(descriptor) && counts_up(numbers, descriptor))
    chosen_.insert_or_assign(pack.results[0], Chosen{flags, descriptor});
}

std::optional<Recognizer::Flags> Recognizer::complementary(Var p, Var q) {
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

/// before:  j = PACK n f t   k = PACK n (NOT f) t           (n: 0 1 2 …; t of one segment)
///          c = DPERMUTE b k (DPERMUTE a j d v t) w t
/// after:   c = MERGE f a b
/// The places j and k are all places once.
bool Recognizer::merge(Binding& scatter) {
  const std::optional<TwoScatters> both = two_scatters(scatter);
  if (!both) return false;
  const std::optional<Flags> by = complementary(both->p, both->q);
  if (!by || !shapes_.same_descriptor(by->descriptor, both->s3)) return false;
  join(scatter, *both, Op::kMerge,
       by->swapped ? std::vector{by->flags, both->b, both->a} : std::vector{by->flags, both->a, both->b});
  return true;
}

Recognizer::Spread Recognizer::spread_segments(Var descriptor) {
  if (!is(descriptor, Op::kMakeSegdes) || !is(operands(descriptor)[0], Op::kDpermute)) return {};
  const Var scatter = operands(descriptor)[0];
  const auto& written = operands(scatter);
  if (uniform(written[2]) != 0 || !shapes_.is_single(written[4])) return {};
  return {shapes_.descriptor_of(written[0]), written[1], scatter};
}

/// before:  j = PACK n f t   k = PACK n (NOT f) t   s3 = MAKE_SEGDES (MERGE f (LENGTHS s1) (LENGTHS s2))
///          u1 = MAKE_SEGDES (DPERMUTE (LENGTHS s1) j 0 v t)   u2 = MAKE_SEGDES (DPERMUTE (LENGTHS s2) k 0 w t)
///          p = INDEX 0 1 u1   q = INDEX (LENGTHS u1) 1 u2   c = DPERMUTE b q (DPERMUTE a p d u1 s3) u2 s3
/// after:   c = MERGE_SEGS f a b s1 s2 s3
/// Each segment of s3 is as long as one of u1 or of u2, where the other one is empty.
bool Recognizer::merge_segments(Binding& scatter) {
  const std::optional<TwoScatters> both = two_scatters(scatter);
  if (!both || !are_consecutive(*both)) return false;
  const Spread of_a = spread_segments(both->s1), of_b = spread_segments(both->s2);
  if (of_a.segments == kNoVar || of_b.segments == kNoVar) return false;
  const std::optional<Flags> by = complementary(of_a.places, of_b.places);
  const Var to = both->s3;
  if (!by || !is(to, Op::kMakeSegdes) || !is(operands(to)[0], Op::kMerge)) return false;
  const auto& merged = operands(operands(to)[0]);
  const Var first = by->swapped ? of_b.segments : of_a.segments, second = by->swapped ? of_a.segments : of_b.segments;
  if (merged[0] != by->flags || !shapes_.are_lengths_of(merged[1], first) || !shapes_.are_lengths_of(merged[2], second))
    return false;
  faultless_.push_back(of_a.scatter);
  faultless_.push_back(of_b.scatter);
  const Var a = by->swapped ? both->b : both->a, b = by->swapped ? both->a : both->b;
  join(scatter, *both, Op::kMergeSegments, {by->flags, a, b, first, second, to});
  return true;
}

}  // namespace vcode::letform

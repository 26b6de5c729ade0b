// APPEND: two scatters, to the front and to the rest of each segment.
#include "recognize/recognizer.h"

namespace vcode::letform {

std::optional<Recognizer::TwoScatters> Recognizer::two_scatters(const Binding& binding) {
  const Var first = binding.operands[2];
  if (!is(first, Op::kDpermute)) return {};
  const auto& inner = operands(first);
  if (!shapes_.same_descriptor(inner[4], binding.operands[4])) return {};
  return TwoScatters{.a = inner[0],
                     .p = inner[1],
                     .s1 = inner[3],
                     .b = binding.operands[0],
                     .q = binding.operands[1],
                     .s2 = binding.operands[3],
                     .s3 = binding.operands[4],
                     .first = first};
}

void Recognizer::join(Binding& binding, const TwoScatters& both, Op op, std::vector<Var> operands) {
  become(binding, op, std::move(operands));
  faultless_.push_back(both.first);
}

bool Recognizer::are_consecutive(const TwoScatters& both) {
  if (!counts_up(both.p, both.s1) || !is_range(both.q, both.s2)) return false;
  const Var behind = operands(both.q)[0];
  const std::int64_t known = uniform_length(both.s1);
  return shapes_.are_lengths_of(behind, both.s1) || (known >= 0 && uniform(behind) == known);
}

/// before:  p = INDEX 0 1 s1   q = INDEX (LENGTHS s1) 1 s2   s3 = MAKE_SEGDES (+ (LENGTHS s1) (LENGTHS s2))
///          c = DPERMUTE b q (DPERMUTE a p d s1 s3) s2 s3
/// after:   c = APPEND a b s1 s2 s3
/// Each place of a segment is written once, because the segments of s3 are as long as those of s1 and s2 together; so
/// no default is left, and no index is outside.
bool Recognizer::append(Binding& scatter) {
  const std::optional<TwoScatters> both = two_scatters(scatter);
  if (!both || !are_consecutive(*both) || !is_sum(both->s3, both->s1, both->s2)) return false;
  join(scatter, *both, Op::kAppend, {both->a, both->b, both->s1, both->s2, both->s3});
  return true;
}

}  // namespace vcode::letform

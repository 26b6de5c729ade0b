#include "expression.h"

#include <utility>

#include "base/check.h"

namespace vcode::letform {

Expression expression_of(const Binding& binding) {
  VC_CHECK(binding.blocks.empty());
  Expression result{binding.form, binding.op, binding.suffix, binding.target, binding.operands};
  if (binding.form == Binding::Form::kOp && info(binding.op).commutes() && binding.operands[0] > binding.operands[1])
    std::swap(result.operands[0], result.operands[1]);
  return result;
}

std::size_t ExpressionHash::operator()(const Expression& e) const {
  std::size_t hash =
      static_cast<std::size_t>(e.form) << 16 | static_cast<std::size_t>(e.op) << 8 | static_cast<std::size_t>(e.suffix);
  // Multiplicative hashing with 2^64 divided by the golden ratio: Knuth, The Art of Computer Programming 3 (1973), 6.4.
  auto mix = [&](std::uint64_t more) { hash = (hash ^ more) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29; };
  mix(e.target);
  for (Var v : e.operands) mix(v);
  return hash;
}

}  // namespace vcode::letform

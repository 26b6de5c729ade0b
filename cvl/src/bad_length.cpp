#include "cvl/bad_length.h"

#include "cvl/dispatch.h"
#include "cvl/integer_at.h"

namespace cvl {

Fault find_bad_length(const Operand& lengths) {
  std::int64_t total = 0;
  for (std::int64_t k = 0; k < lengths.length; ++k) {
    const std::int64_t length = integer_at(lengths, k);
    if (length < 0) return {FaultKind::kNegativeLength, 0, k, length, 0};
    if (__builtin_add_overflow(total, length, &total)) return {FaultKind::kLengthOverflow, 0, k, length, 0};
  }
  return {};
}

}  // namespace cvl

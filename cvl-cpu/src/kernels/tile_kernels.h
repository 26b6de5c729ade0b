#pragma once

#include <cstddef>
#include <cstdint>

#include "cvl/backend.h"

namespace cvl::cpu {

struct TileKernels {
  /// result[e] = row(operands…) for n elements, where row is a row of ops.def. True if an element is at fault. The
  /// result may overwrite an operand.
  using Run = bool(const void* const* operands, void* result, std::int64_t n);
  /// Number of forms. A form has a bit for each operand that is a single element; never are all bits set.
  static constexpr int kForms = 7;
  /// Indexed by form, operation, storage of the last operand (which determines the others') and of the result.
  Run* run[kForms][vcode::kOps][vcode::kElemTypes][vcode::kElemTypes] = {};

  Run*& at(int form, Op op, ElemType operand, ElemType result) {
    return run[form][static_cast<int>(op)][static_cast<int>(operand)][static_cast<int>(result)];
  }
  Run* at(int form, Op op, ElemType operand, ElemType result) const {
    return run[form][static_cast<int>(op)][static_cast<int>(operand)][static_cast<int>(result)];
  }

  /// Copies by non-temporal stores. Other threads may read the copy only after fence().
  void (*stream)(void* to, const void* from, std::size_t bytes) = nullptr;
  void (*fence)() = nullptr;
};

}  // namespace cvl::cpu

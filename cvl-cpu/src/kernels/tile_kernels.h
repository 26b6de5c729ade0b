#pragma once

#include <cstddef>
#include <cstdint>

#include "cvl/backend.h"

namespace cvl::cpu {

struct TileKernels {
  /// result[e] = row(operands…) for n elements. True if an element is at fault. The result may be an operand.
  using Run = bool(const void* const* operands, void* result, std::int64_t n);
  /// Forms say which operands are single elements, a bit for each operand; never all of them.
  static constexpr int kForms = 7;
  /// Indexed by form, operation, storage of the last operand (which determines the others') and of the result.
  Run* run[kForms][vcode::kOps][vcode::kElemTypes][vcode::kElemTypes] = {};

  Run*& at(int form, Op op, ElemType operand, ElemType result) {
    return run[form][static_cast<int>(op)][static_cast<int>(operand)][static_cast<int>(result)];
  }
  Run* at(int form, Op op, ElemType operand, ElemType result) const {
    return run[form][static_cast<int>(op)][static_cast<int>(operand)][static_cast<int>(result)];
  }

  /// Copies by non-temporal stores. Other threads may read the copy after fence().
  void (*stream)(void* to, const void* from, std::size_t bytes) = nullptr;
  void (*fence)() = nullptr;
};

}  // namespace cvl::cpu

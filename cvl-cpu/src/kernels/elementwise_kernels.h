#pragma once

#include <cstdint>
#include <span>

#include "cvl/backend.h"

namespace cvl::cpu {

/// The first fault in a range of elements; kind kNone if there is none.
struct ElementFault {
  FaultKind kind = FaultKind::kNone;
  std::int64_t position = 0;
  std::int64_t value = 0;
  std::int64_t bound = 0;
};

struct ElementwiseKernels {
  /// Computes elements [begin, end) of a row, up to the first fault, which it returns. `begin` is a multiple of 64.
  /// With `stream` the result is written by non-temporal stores. The result may be one of the operands.
  using Run = ElementFault(const void* const* operands, void* result, std::int64_t begin, std::int64_t end,
                           bool stream);

  /// Indexed by operation, storage of the last operand (which determines the others') and of the result.
  Run* run[vcode::kOps][vcode::kElemTypes][vcode::kElemTypes] = {};

  Run*& at(Op op, ElemType operand, ElemType result) {
    return run[static_cast<int>(op)][static_cast<int>(operand)][static_cast<int>(result)];
  }
  Run* at(Op op, ElemType operand, ElemType result) const {
    return run[static_cast<int>(op)][static_cast<int>(operand)][static_cast<int>(result)];
  }
};

}  // namespace cvl::cpu

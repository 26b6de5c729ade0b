#pragma once

#include <memory>
#include <span>

#include "cvl/backend.h"

namespace cvl::conformance {

/// The addresses that an oracle accepts: only blocks that it allocated, like a device, or all that the host can read,
/// like unified memory (in which scalars, for example, stay where they are).
enum class Addresses { kOwnOnly, kAnyHost };

/// A backend that computes everything sequentially, one element at a time, straight from the definitions in backend.h:
/// the reference for other backends. Also checks how it is used (addresses, sizes, double frees, results that overlap
/// operands), and aborts with a message on misuse.
std::unique_ptr<Backend> make_oracle(const BackendOptions& options, Addresses addresses = Addresses::kOwnOnly);

/// Computes element `e` of an elementwise row for fixed element types; returns the fault of its operands.
using ElementFn = FaultKind (*)(std::span<const Operand> operands, const Result& result, std::int64_t e);

/// The function for a row with these operand and result types; null if the row does not allow them.
ElementFn find_element_fn(Op op, std::span<const Operand> operands, ElemType result);

}  // namespace cvl::conformance

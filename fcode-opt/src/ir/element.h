#pragma once

#include <optional>

#include "vcode/fault_kind.h"
#include "vcode/op.h"

namespace vcode::letform {

/// One element of an INT, BYTE, BOOL or FLOAT vector; `kind` says which member holds it.
struct Element {
  Kind kind = Kind::kInt;
  std::int64_t i = 0;
  double f = 0;
  bool b = false;
};

/// Result of an elementwise operation on one element of each operand.
struct ElementResult {
  Element value;
  FaultKind fault = FaultKind::kNone;
};

/// Evaluates an operation as it is at run time, by the table's own expression. `operands` has the number and kinds of
/// elements that the signature demands, representable in these widths.
ElementResult evaluate(Op op, Suffix suffix, Widths widths, const Element* operands);

/// Whether a reduction yields this element for an empty segment, for this element alone, and for any number of copies
/// of it.
bool is_identity(Op reduction, Suffix suffix, Widths widths, const Element& element);

/// Whether two elements are equal to the last bit; all NaN are equal.
bool is_same(const Element& a, const Element& b);

/// The second operand that leaves every first operand unchanged, by the table's VC_RIGHT_IDENTITY row.
std::optional<Element> find_right_identity(Op op, Suffix suffix, Widths widths);

/// Whether an elementwise operation can fault if this element is its last operand, by the table's VC_FAULT row.
bool is_risk(Op op, Suffix suffix, Widths widths, const Element& last);

}  // namespace vcode::letform

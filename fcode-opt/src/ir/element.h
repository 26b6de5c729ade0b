#pragma once

#include <vector>

#include "vcode/ops.h"

namespace vcode::letform {

/// One element of an Int, Bool or Float vector; `kind` says which member holds it.
struct Element {
  Kind kind = Kind::kInt;
  std::int64_t i = 0;
  double f = 0;
  bool b = false;
};

/// The result of an elementwise operation on one element of each operand.
struct ElementResult {
  Element value;
  FaultKind fault = FaultKind::kNone;
};

/// What the operation does at run time, computed by the table's own expression. `operands` has as many elements as
/// the signature, of the kinds it says, and representable in these widths.
ElementResult evaluate(Op op, Suffix suffix, Widths widths, const Element* operands);

/// Whether a reduction yields this element if there is no element, if there is just this one, and if there are many
/// of it.
bool is_identity(Op reduction, Suffix suffix, Widths widths, const Element& element);

/// Whether they are the same to the last bit; all NaN are one.
bool is_same(const Element& a, const Element& b);

/// Values that tell operations apart: the zeros, ends and non-numbers that faults and exceptions are about, and some
/// others. All are representable in these widths.
std::vector<Element> sample_elements(Kind kind, Widths widths);

}  // namespace vcode::letform

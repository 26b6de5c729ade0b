#pragma once

/// The functions of vcode/functions.h on several elements at once.

#include "isa/isa.h"
#include "vcode/op_semantics.h"

namespace cvl::cpu::CVL_ISA {

template <class Row>
inline constexpr bool kIsFunction = vcode::row_of(Row::kOp).is_function();

/// result[e] = function(a[e]) or function(a[e], b[e]) for n elements. An operand whose bit in kSingle is set has one
/// element, used for all e. For a function of one operand, `b` equals `a`. The result may overwrite an operand. Row is
/// a row of VC_FUNCTIONS; vector_math.cpp instantiates it for double and float.
template <class Row, int kSingle, class T>
void apply_function(T* result, const T* a, const T* b, int64_t n);

}  // namespace cvl::cpu::CVL_ISA

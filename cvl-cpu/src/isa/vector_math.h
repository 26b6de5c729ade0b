#pragma once

/// The functions of vcode/functions.h, of several elements at once.

#include "isa/isa.h"
#include "vcode/op_semantics.h"

namespace cvl::cpu::CVL_ISA {

template <class Row>
inline constexpr bool kIsFunction = vcode::row_of(Row::kOp).is_function();

/// result[e] = function(a[e]) or function(a[e], b[e]), for n elements; an operand whose bit of kSingle is set is one
/// element for all. A function of one operand has `b` = `a`. Result and operands may be the same vector. Row is one of
/// VC_FUNCTIONS, for which vector_math.cpp has it, for double and float.
template <class Row, int kSingle, class T>
void apply_function(T* result, const T* a, const T* b, int64_t n);

}  // namespace cvl::cpu::CVL_ISA

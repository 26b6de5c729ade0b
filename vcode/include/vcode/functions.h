#pragma once

/// The mathematical functions that the expressions of ops.def are written with. Each has one value for a number, to the
/// last bit, wherever it is computed: of a scalar or in a vector, on every instruction set and on a device. Errors are
/// below 4 ulp of doubles; floats are computed as doubles, and rounded.

#include "vcode/arith.h"

/// F(Row, name) of each row of ops.def with one operand, F2(Row, name) with two.
#define VC_FUNCTIONS(F, F2) \
  F(Log, log)               \
  F(Exp, exp)               \
  F2(Power, power)          \
  F(Sin, sin)               \
  F(Cos, cos)               \
  F(Tan, tan)               \
  F(Asin, asin)             \
  F(Acos, acos)             \
  F(Atan, atan)             \
  F2(Atan2, atan2)          \
  F2(Hypot, hypot)          \
  F(Sinh, sinh)             \
  F(Cosh, cosh)             \
  F(Tanh, tanh)

/// How they are defined where their bodies are: in functions.cpp otherwise.
#if !defined(VC_FUNCTION_IS)
#define VC_FUNCTION_IS VC_HD inline
#endif

#if defined(__CUDACC__)
#include "vcode/lanes/function_bodies.h"
#else
namespace vcode {

#define VC_FUNCTION(Row, name) \
  double name##_of(double a);  \
  float name##_of(float a);
#define VC_FUNCTION2(Row, name)         \
  double name##_of(double a, double b); \
  float name##_of(float a, float b);
VC_FUNCTIONS(VC_FUNCTION, VC_FUNCTION2)
#undef VC_FUNCTION
#undef VC_FUNCTION2

}  // namespace vcode
#endif

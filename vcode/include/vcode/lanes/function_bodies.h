#pragma once

/// The functions of functions.h for numbers one by one.

#include "vcode/lanes/angles.h"
#include "vcode/lanes/exponentials.h"
#include "vcode/lanes/large_angles.h"

namespace vcode {

#define VC_FUNCTION(Row, name)                                                         \
  VC_FUNCTION_IS double name##_of(double a) { return lanes::name##_lanes<double>(a); } \
  VC_FUNCTION_IS float name##_of(float a) {                                            \
    return static_cast<float>(lanes::name##_lanes<float>(static_cast<double>(a)));     \
  }
#define VC_FUNCTION2(Row, name)                                                                            \
  VC_FUNCTION_IS double name##_of(double a, double b) { return lanes::name##_lanes<double>(a, b); }        \
  VC_FUNCTION_IS float name##_of(float a, float b) {                                                       \
    return static_cast<float>(lanes::name##_lanes<float>(static_cast<double>(a), static_cast<double>(b))); \
  }
VC_FUNCTIONS(VC_FUNCTION, VC_FUNCTION2)
#undef VC_FUNCTION
#undef VC_FUNCTION2

}  // namespace vcode

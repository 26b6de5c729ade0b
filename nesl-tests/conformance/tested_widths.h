#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "vcode/types.h"

namespace vcode {
/// Makes GoogleTest print widths.
inline void PrintTo(const Widths& widths, std::ostream* out) {
  *out << elem_name(widths.int_type) << '_' << elem_name(widths.float_type);
}
}  // namespace vcode

namespace cvl::conformance {

/// Both widths of INT and of FLOAT, as parameters of tests of kernels.
inline auto tested_widths() {
  using vcode::ElemType;
  return testing::Values(vcode::Widths{ElemType::kI32, ElemType::kF64}, vcode::Widths{ElemType::kI64, ElemType::kF32});
}
inline std::string name_of_widths(const testing::TestParamInfo<vcode::Widths>& info) {
  return testing::PrintToString(info.param);
}

}  // namespace cvl::conformance

#pragma once

#include <string_view>

namespace cvl::cuda {

/// vcode/arith.h, which the expressions of ops.def are written with, without its `#pragma once`.
std::string_view arithmetic_text();
/// kernel_prelude.h.
std::string_view prelude_text();

}  // namespace cvl::cuda

#pragma once

#include <string_view>

namespace cvl::cuda {

// Headers as text, without `#pragma once` and without the includes of other headers of the project.

/// vcode/fault_kind.h and vcode/arith.h, which the expressions of ops.def use.
std::string_view arithmetic_text();
/// vcode/functions.h, with the functions themselves.
std::string_view functions_text();
/// base/atomics.h.
std::string_view atomics_text();
/// base/device_faults.h.
std::string_view faults_text();
/// kernel_threads.h and kernel_prelude.h.
std::string_view prelude_text();
/// kernel_sums.h.
std::string_view sums_text();
/// nvrtc_standard.h.
std::string_view standard_text();

}  // namespace cvl::cuda

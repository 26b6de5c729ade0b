#pragma once

#include <memory>

#include "cvl/backend.h"

namespace cvl::conformance {

/// The oracle behind the memory rules of a device: its addresses are disguised, so that a host access to
/// them crashes, and so does handing it a host address. Tests with it show that the evaluator moves data
/// where it is needed.
std::unique_ptr<Backend> make_separate_memory(const BackendOptions& options);

}  // namespace cvl::conformance

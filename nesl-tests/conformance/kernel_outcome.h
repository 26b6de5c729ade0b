#pragma once

#include <string>
#include <vector>

#include "cvl/backend.h"
#include "host_vector.h"
#include "random_kernel.h"

namespace cvl::conformance {

/// The outputs of a run, with descriptors as their lengths; or the reason why there are none.
struct KernelOutcome {
  std::vector<HostVector> outputs;
  std::string failure;
  std::uint32_t failed_step = 0;
  bool late = false;
};

/// Runs a kernel as the evaluator does: by the backend if it plans kernels, else step by step.
KernelOutcome run(Backend& backend, vcode::Widths widths, const KernelCase& tried);

/// The steps of a kernel, for messages.
std::string describe(const KernelCase& tried);

}  // namespace cvl::conformance

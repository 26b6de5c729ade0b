#pragma once

#include <memory>

#include "cvl/backend.h"

namespace cvl::conformance {

/// A backend behind the memory rules of a device. Its addresses are disguised: the host crashes if it accesses one, and
/// the backend crashes if it gets a host address without Operand::on_host. Its faults are not visible until the host
/// waits for a result. Tests with this backend show that the evaluator moves data to the right memory and handles late
/// faults.
struct SeparateMemoryOptions {
  int lost_at = 0;     ///< number of the operation at which the device is lost; 0: none
  int stopped_at = 0;  ///< number of the download during which the host is requested to stop; 0: none
};
std::unique_ptr<Backend> make_separate_memory(std::unique_ptr<Backend> backend, SeparateMemoryOptions options = {});

}  // namespace cvl::conformance

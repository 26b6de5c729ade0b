#pragma once

#include <memory>

#include "cvl/backend.h"

namespace cvl::conformance {

/// A backend behind the memory rules of a device. Its addresses are disguised: the host crashes when it accesses one,
/// and so does the backend when it gets a host address without Operand::on_host. Its faults are not visible until the
/// host waits for a result. Tests with it show that the evaluator moves data where they are needed and copes with late
/// faults.
struct SeparateMemoryOptions {
  int lost_at = 0;     ///< the device is lost at the operation of this number; 0: at none
  int stopped_at = 0;  ///< the host is asked to stop while it waits for the download of this number; 0: for none
};
std::unique_ptr<Backend> make_separate_memory(std::unique_ptr<Backend> backend, SeparateMemoryOptions options = {});

}  // namespace cvl::conformance

#pragma once

#include <memory>

#include "cvl/backend.h"

namespace cvl::conformance {

/// A backend behind the memory rules of a device. Its addresses are disguised: the host crashes when it accesses one,
/// and so does the backend when it gets a host address without Operand::on_host. Its faults are not visible until the
/// host waits for a result. Tests with it show that the evaluator moves data where they are needed and copes with late
/// faults. With `lost_at`, the device is lost at the operation of that number.
std::unique_ptr<Backend> make_separate_memory(std::unique_ptr<Backend> backend, int lost_at = 0);

}  // namespace cvl::conformance

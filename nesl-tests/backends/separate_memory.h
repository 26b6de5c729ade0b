#pragma once

#include <memory>

#include "cvl/backend.h"

namespace cvl::conformance {

/// A backend behind the memory rules of a device: its addresses are disguised, so that a host access to them crashes,
/// and so does handing it a host address where no Operand::on_host says so; and what it finds
/// wrong with the data is not known until somebody waits. Tests with it show that the evaluator moves data where it is
/// needed and copes with faults that are late. With `lost_at` the device is lost at that operation.
std::unique_ptr<Backend> make_separate_memory(std::unique_ptr<Backend> backend, int lost_at = 0);

}  // namespace cvl::conformance

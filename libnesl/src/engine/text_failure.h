#pragma once

#include "base/diagnostics.h"
#include "failure.h"
#include "vcode-interp/run.h"

namespace nesl_c {

/// Throws Failed if a text has errors: with the first error, and a report of all of them.
void throw_errors(const base::Source& source, const base::Diagnostics& diagnostics);

/// The failure of a run whose status is not 0.
Failure failure_of(const interp::RunResult& result);

}  // namespace nesl_c

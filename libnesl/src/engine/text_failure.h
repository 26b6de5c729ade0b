#pragma once

#include "base/diagnostics.h"
#include "failure.h"
#include "vcode-interp/run.h"

namespace nesl_c {

/// Throws the errors in a text, if there are any, as one failure: the first one, and a report of all.
void throw_errors(const base::Source& source, const base::Diagnostics& diagnostics);

/// Why a run has not ended.
Failure failure_of(const interp::RunResult& result);

}  // namespace nesl_c

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/run_error.h"
#include "machine/machine.h"
#include "vcode-interp/run_failure.h"

namespace interp {

/// A run that has failed, at the instruction where the machine stands, which may be that of a piece.
struct FailedRun {
  const base::Source& source;
  const vcode::Program& program;
  const Machine& machine;
  const RunOptions& options;
};

/// Why a run failed.
struct ErrorReport {
  std::string text;  ///< in lines
  RunFailure failure;
};

/// Where the program was compiled from another language and says so (see
/// vcode::InstructionSite) in terms of that: place, offending values, element and callers there; otherwise the
/// instruction, the stack and the calling functions.
ErrorReport report_error(const FailedRun& run, const RunError& error);

/// The same for a check of the program's own, which has said itself what is wrong: an EXIT that has a site, or an
/// ASSERT in its place (vcode::Site::said), of which `element` is the first false one.
ErrorReport report_exit(const FailedRun& run);
ErrorReport report_check(const FailedRun& run, std::optional<std::int64_t> element);

}  // namespace interp

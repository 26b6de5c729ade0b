#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/run_error.h"
#include "machine/machine.h"
#include "vcode-interp/run_failure.h"

namespace interp {

/// A failed run. `machine` stands at the failed instruction; it may be the machine of a piece.
struct FailedRun {
  const base::Source& source;
  const vcode::Program& program;
  const Machine& machine;
  const RunOptions& options;
};

/// The cause of a failed run, as text and in parts.
struct ErrorReport {
  std::string text;  ///< one or several lines
  RunFailure failure;
};

/// Reports a failed instruction. If the program has sites of a source language (vcode::InstructionSite): location,
/// values at fault, element and callers in the source. Otherwise: the instruction, the stack and the calling functions.
ErrorReport report_error(const FailedRun& run, const RunError& error);

/// A warning at the present instruction, with its callers: one or several lines.
std::string report_warning(const FailedRun& run, const std::string& message);

/// Report a failed check of the program, whose message the program has written itself: an EXIT with a site, or an
/// ASSERT that replaces one (vcode::Site::said). `element` is the first false element.
ErrorReport report_exit(const FailedRun& run);
ErrorReport report_check(const FailedRun& run, std::optional<std::int64_t> element);

}  // namespace interp

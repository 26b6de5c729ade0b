#pragma once

#include <string>
#include <vector>

#include "cvl/backend.h"
#include "runtime/value.h"
#include "vcode/types.h"

namespace property {

/// The results of a run of a program.
struct RunResult {
  int status = 0;
  std::string output;
  std::string errors;
};

/// Reads, validates and runs a program on a backend, in this process. `strict` as for vcode::validate,
/// `host_limit` as in interp::RunOptions.
RunResult run_text(const std::string& text, cvl::Backend& backend, vcode::Widths widths, std::uint64_t seed,
                   bool strict = false, std::int64_t host_limit = runtime::kShortLimit);

}  // namespace property

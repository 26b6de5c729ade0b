#pragma once

#include <string>
#include <vector>

#include "cvl/backend.h"
#include "vcode/types.h"

namespace property {

/// What a run of a program left behind.
struct RunResult {
  int status = 0;
  std::string output;
  std::string errors;
};

/// Reads, validates and runs a program on a backend, in this process. `strict` as for vcode::validate.
RunResult run_text(const std::string& text, cvl::Backend& backend, vcode::Widths widths, std::uint64_t seed,
                   bool strict = false);

}  // namespace property

#pragma once

#include <string>
#include <vector>

#include "nesl-compiler/slow_idiom.h"
#include "vcode-interp/profile.h"

namespace nesl_cli {

/// The place of a slow idiom and the advice for it.
std::string idiom_line(const nesl::SlowIdiom& idiom);
/// The slow idioms of a program after a run, each with what its line has taken: the most expensive first, without those
/// that the run has not reached. Empty if there are none.
std::string idiom_costs(const std::vector<nesl::SlowIdiom>& idioms, const interp::Profile& profile);

}  // namespace nesl_cli

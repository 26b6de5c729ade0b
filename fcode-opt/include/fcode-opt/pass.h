#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fcode-opt/optimize.h"

namespace fcode_opt {

/// The options of a pass and its results besides the program.
struct PassContext {
  const OptimizeOptions& options;
  std::string& explanation;  ///< lines for --explain
  std::string& dot;          ///< see OptimizeResult
};

/// Let-form to let-form.
struct Pass {
  std::string_view name;
  std::string_view summary;  ///< one line, for --list-passes
  void (*run)(vcode::letform::Program&, PassContext&);
};

/// All passes. From their names come the values of --passes, --disable-pass, --print-before and --print-after.
const std::vector<Pass>& all_passes();
/// Null if there is none of that name.
const Pass* find_pass(std::string_view name);
/// The names of the passes of an optimization level, in the order in which they run.
std::vector<std::string> passes_of_level(int level);

}  // namespace fcode_opt

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fcode-opt/optimize.h"

namespace fcode_opt {

/// Options of a pass, and its results besides the program.
struct PassContext {
  const OptimizeOptions& options;
  std::string& explanation;                      ///< lines for --explain
  std::string& dot;                              ///< see OptimizeResult
  std::vector<KeptApart>* kept_apart = nullptr;  ///< see OptimizeResult; may be null
};

/// A transformation of let-form to let-form.
struct Pass {
  std::string_view name;
  std::string_view summary;  ///< one line, for --list-passes
  void (*run)(vcode::letform::Program&, PassContext&);
};

/// All passes. Their names are the values of --passes, --disable-pass, --print-before and --print-after.
const std::vector<Pass>& all_passes();
/// The pass with a name; null if there is none.
const Pass* find_pass(std::string_view name);
/// Names of the passes of an optimization level, in the order in which they run.
std::vector<std::string> passes_of_level(int level);
/// Names of the passes that these options choose, those that are disabled included.
std::vector<std::string> passes_of(const OptimizeOptions& options);

}  // namespace fcode_opt

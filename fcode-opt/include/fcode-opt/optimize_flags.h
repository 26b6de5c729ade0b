#pragma once

#include "fcode-opt/optimize.h"

namespace CLI {
class App;
}

namespace fcode_opt {

/// Adds the options of the optimizer: -O, --passes, --disable-pass, --print-before, --print-after, --inline-limit,
/// --inline-metric, --fusion and --without. All programs that have these options share their meaning.
void add_optimize_flags(CLI::App& app, OptimizeOptions& options);

/// Text of --list-passes: each pass with its summary, and the pipeline of each level.
std::string list_passes();

}  // namespace fcode_opt

#pragma once

#include "fcode-opt/optimize.h"

namespace CLI {
class App;
}

namespace fcode_opt {

/// Adds the options that say how programs are optimized: -O, --passes, --disable-pass, --print-before, --print-after,
/// --inline-limit, --inline-metric and --fusion. They mean the same in every program that has them.
void add_optimize_flags(CLI::App& app, OptimizeOptions& options);

/// The passes with what they do, and the pipeline of each level, for --list-passes.
std::string list_passes();

}  // namespace fcode_opt

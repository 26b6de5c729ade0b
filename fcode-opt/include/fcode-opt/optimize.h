#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fcode-opt/letform.h"
#include "fcode-opt/passes.h"

namespace fcode_opt {

/// How the fusion pass chooses what becomes one kernel.
enum class Fusion { kIlp, kGreedy, kPaper, kNone };

struct OptimizeOptions {
  int level = 2;                                        ///< 0: no passes, 1: all but fusion, 2: all
  std::optional<std::vector<std::string>> passes = {};  ///< these, in this order, in place of those of the level
  std::vector<std::string> disabled = {};               ///< passes that do not run
  std::vector<std::string> print_before = {}, print_after = {};  ///< passes around which the let-form is printed
  std::size_t inline_limit = 48;
  vcode::letform::SizeMetric inline_metric = vcode::letform::SizeMetric::kBindings;
  Fusion fusion = Fusion::kGreedy;
  bool explain = false;  ///< tell what fusion did and why not more
  bool dot = false;      ///< draw the data-flow graph
};

/// Whether these options make kernels of more than elementwise operations.
bool fuses(const OptimizeOptions& options);

struct OptimizeResult {
  vcode::Program program;   ///< meaningless if there is an error
  std::string error;        ///< not empty: a pass has made a mistake
  std::string printed;      ///< let-form, as print_before and print_after asked
  std::string times;        ///< a table of passes and milliseconds
  std::string explanation;  ///< for --explain
  std::string dot;          ///< the data-flow graph, if asked for
};

/// Optimizes a program that validate() accepts. One with kernels is returned unchanged, as the explanation says.
/// `source` names places in the explanation.
OptimizeResult optimize(const vcode::Program& program, const base::Source& source, const OptimizeOptions& options);

/// The same for what the NESL compiler makes.
OptimizeResult optimize(vcode::letform::Program program, const OptimizeOptions& options);

}  // namespace fcode_opt

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fcode-opt/letform.h"
#include "fcode-opt/passes.h"
#include "fcode-opt/target.h"

namespace fcode_opt {

/// Algorithm by which the fusion pass chooses kernels.
enum class Fusion { kIlp, kGreedy, kPaper, kNone };

struct OptimizeOptions {
  int level = 2;                                        ///< 0: no passes, 1: all but fusion, 2: all
  std::optional<std::vector<std::string>> passes = {};  ///< passes to run, in this order, instead of those of the level
  std::vector<std::string> disabled = {};               ///< passes that do not run
  std::vector<std::string> print_before = {}, print_after = {};  ///< passes around which the let-form is printed
  std::size_t inline_limit = 48;
  vcode::letform::SizeMetric inline_metric = vcode::letform::SizeMetric::kBindings;
  Fusion fusion = Fusion::kGreedy;
  vcode::letform::Target target = vcode::letform::Target::all();  ///< operations that the result may have
  bool explain = false;  ///< report what fusion did, and why it did not fuse more
  bool dot = false;      ///< draw the data-flow graph
};

/// Whether these options make kernels of more than elementwise operations.
bool fuses(const OptimizeOptions& options);

/// Two operations of which one reads the vector that the other makes, and which are not in one kernel.
struct KeptApart {
  vcode::Site maker, reader;     ///< locations in the source; without a file if unknown
  std::string made_by, read_by;  ///< the operations, as in "PACK INT"
  std::string reason;
};

struct OptimizeResult {
  vcode::Program program;             ///< meaningless if there is an error
  std::string error;                  ///< not empty: a pass has made a mistake
  std::string printed;                ///< let-form around the passes in print_before and print_after
  std::string times;                  ///< a table of passes and milliseconds
  std::string explanation;            ///< for --explain
  std::vector<KeptApart> kept_apart;  ///< if OptimizeOptions::explain is set
  /// Remarks for :explain: how conditionals and loops of the NESL compiler are computed.
  std::vector<std::string> remarks;
  std::string dot;  ///< the data-flow graph, if OptimizeOptions::dot is set
};

/// Optimizes a program that validate() accepts. A program that has kernels already is returned unchanged, and the
/// explanation says so. `source` names locations in the explanation.
OptimizeResult optimize(const vcode::Program& program, const base::Source& source, const OptimizeOptions& options);

/// Optimizes the output of the NESL compiler.
OptimizeResult optimize(vcode::letform::Program program, const OptimizeOptions& options);

}  // namespace fcode_opt

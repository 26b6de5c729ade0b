#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "runtime/evaluator.h"
#include "vcode-interp/run_failure.h"
#include "vcode-interp/run_options.h"
#include "vcode/program.h"

namespace interp {

class StreamTable;
struct LinkedProgram;

/// The outcome of a run.
struct RunResult {
  int status = 0;     ///< 0, or 1 after a failure, or 130 after an interrupt
  bool ended = true;  ///< false after EXIT and after a failure
  /// What the program left, the deepest first, if it ended.
  std::vector<runtime::Value> stack;
  std::string report;  ///< what went wrong and where, in lines; empty if the status is 0
  RunFailure failure;  ///< the same, if the status is not 0
};

/// A program that an interpreter has made ready, for any number of runs.
class PreparedProgram {
 public:
  ~PreparedProgram();
  PreparedProgram(const PreparedProgram&) = delete;

 private:
  friend class Interpreter;
  struct Parts;
  explicit PreparedProgram(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

/// Runs programs one after the other with one vector library, so that values left by one, and numbers of streams it has
/// opened, can be passed to the next. The backend must outlive the interpreter, and the interpreter all values.
class Interpreter {
 public:
  Interpreter(cvl::Backend& backend, const RunOptions& options);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;

  /// Runs a program that the validator has accepted, or that was made by a compiler. It finds the values of
  /// `initial` on its stack, the last one on top. Random numbers start anew from the seed. What the program
  /// prints has been written when this returns.
  RunResult run(const base::Source& source, const vcode::Program& program, std::vector<runtime::Value> initial = {});
  /// The same in two parts, for programs that run often. The interpreter must outlive what it prepares. Null if that is
  /// impossible, with the reason in `error`.
  std::unique_ptr<PreparedProgram> prepare(vcode::Program program, std::string& error);
  RunResult run(const PreparedProgram& program, std::vector<runtime::Value> initial = {});

  /// May be changed between runs, except for widths, host_limit and standard_files.
  RunOptions& options() { return options_; }
  /// True if what programs last wrote to their standard output did not end its line.
  bool is_mid_line() const;
  /// For reading values and making new ones.
  runtime::Evaluator& evaluator() { return evaluator_; }

 private:
  RunResult run_linked(const base::Source& source, const vcode::Program& program, const LinkedProgram& linked,
                       std::vector<runtime::Value> initial);
  RunResult run_and_report(const base::Source& source, const vcode::Program& program, const LinkedProgram& linked,
                           std::vector<runtime::Value> initial);
  friend int run_program(const base::Source&, const vcode::Program&, cvl::Backend&, const RunOptions&);
  RunOptions options_;
  runtime::Evaluator evaluator_;
  std::unique_ptr<StreamTable> streams_;
};

/// Runs a program that the validator has accepted and prints the stack it leaves. Returns the exit status:
/// as in RunResult; a failure is explained on the stream for errors.
int run_program(const base::Source& source, const vcode::Program& program, cvl::Backend& backend,
                const RunOptions& options);

}  // namespace interp

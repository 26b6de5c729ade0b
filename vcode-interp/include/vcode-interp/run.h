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
  /// The values that the program left, the deepest first; empty unless `ended`.
  std::vector<runtime::Value> stack;
  std::string report;  ///< error message of several lines, with the location; empty if the status is 0
  RunFailure failure;  ///< the error in parts; meaningless if the status is 0
};

/// A linked program, for any number of runs by the interpreter that prepared it.
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

/// Runs programs one after the other with one vector library. Values that one program left, and numbers of streams that
/// it opened, are valid in the next program. The backend must outlive the interpreter, and the interpreter all values.
class Interpreter {
 public:
  Interpreter(cvl::Backend& backend, const RunOptions& options);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;

  /// Runs a program that the validator has accepted or a compiler has made. The stack initially holds the values of
  /// `initial`, the last one on top. Random numbers start anew from the seed. Output is flushed before this returns.
  RunResult run(const base::Source& source, const vcode::Program& program, std::vector<runtime::Value> initial = {});
  /// Links a program, for programs that run often. The interpreter must outlive the result. Null if linking fails, with
  /// the reason in `error`.
  std::unique_ptr<PreparedProgram> prepare(vcode::Program program, std::string& error);
  RunResult run(const PreparedProgram& program, std::vector<runtime::Value> initial = {});

  /// May be changed between runs, except for widths, host_limit and standard_files.
  RunOptions& options() { return options_; }
  /// True if the last character that programs wrote to standard output was no newline.
  bool is_mid_line() const;
  /// The evaluator of the interpreter, for reading values and making new ones.
  runtime::Evaluator& evaluator() { return evaluator_; }

 private:
  RunResult run_linked(const base::Source& source, const vcode::Program& program, const LinkedProgram& linked,
                       std::vector<runtime::Value> initial);
  RunResult run_and_report(const base::Source& source, const vcode::Program& program, const LinkedProgram& linked,
                           std::vector<runtime::Value> initial);
  friend int run_program(const base::Source&, const vcode::Program&, cvl::Backend&, const RunOptions&, RunResult*);
  RunOptions options_;
  runtime::Evaluator evaluator_;
  std::unique_ptr<StreamTable> streams_;
};

/// Runs a program that the validator has accepted and prints the stack that it leaves. Returns the exit status, as in
/// RunResult; after a failure, the report goes to the stream for errors. The result, without the stack, goes to
/// `outcome`, which may be null.
int run_program(const base::Source& source, const vcode::Program& program, cvl::Backend& backend,
                const RunOptions& options, RunResult* outcome = nullptr);

}  // namespace interp

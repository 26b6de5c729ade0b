#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/evaluator.h"
#include "vcode/program.h"

namespace interp {

class Profile;
class StreamTable;

/// What `-d stack`, `-d values` and so on print to standard error while a program runs.
struct TraceOptions {
  bool commands = false;  ///< each instruction before it runs
  bool stack = false;     ///< length and type of every value, before each instruction
  bool values = false;    ///< the values too
  bool calls = false;     ///< calls and returns
  bool memory = false;    ///< bytes live and held, before each instruction

  bool any() const { return commands || stack || values || calls || memory; }
};

struct RunOptions {
  vcode::Widths widths;
  std::uint64_t seed = 0;
  bool strict = false;  ///< IF demands a Bool of length 1
  bool allow_spawn = false;
  bool sandbox = false;  ///< refuse FOPEN and SPAWN
  /// Print and write FLOATs with the fewest digits that are read back as the same FLOAT, not with 15.
  bool shortest_floats = false;
  std::uint64_t call_limit = 0;                    ///< stop after this many calls; 0: no limit
  std::int64_t host_limit = runtime::kShortLimit;  ///< see runtime::Locations
  std::size_t stack_limit = 0;                     ///< bytes for calls and values on the stack; 0: 1/4 of the memory
  std::array<int, 3> standard_files = {0, 1, 2};   ///< descriptors of input, output, errors
  TraceOptions trace;
  Profile* profile = nullptr;  ///< filled if not null
  /// The text of a line of a source file, for the reports of run-time errors; may be empty, and so may its result.
  std::function<std::string(const std::string& file, std::uint32_t line)> source_line;
};

/// The outcome of a run.
struct RunResult {
  int status = 0;     ///< 0, or 1 after a failure, or 130 after an interrupt
  bool ended = true;  ///< false after EXIT and after a failure
  /// What the program left, the deepest first, if it ended.
  std::vector<runtime::Value> stack;
  std::string report;  ///< what went wrong and where, in lines; empty if the status is 0
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
  RunResult run(const vcode::Source& source, const vcode::Program& program, std::vector<runtime::Value> initial = {});

  /// May be changed between runs, except for widths, host_limit and standard_files.
  RunOptions& options() { return options_; }
  /// True if what programs last wrote to their standard output did not end its line.
  bool is_mid_line() const;
  /// For reading values and making new ones.
  runtime::Evaluator& evaluator() { return evaluator_; }

 private:
  RunResult run_and_report(const vcode::Source& source, const vcode::Program& program,
                           std::vector<runtime::Value> initial);
  friend int run_program(const vcode::Source&, const vcode::Program&, cvl::Backend&, const RunOptions&);
  RunOptions options_;
  runtime::Evaluator evaluator_;
  std::unique_ptr<StreamTable> streams_;
};

/// Runs a program that the validator has accepted and prints the stack it leaves. Returns the exit status:
/// as in RunResult; a failure is explained on the stream for errors.
int run_program(const vcode::Source& source, const vcode::Program& program, cvl::Backend& backend,
                const RunOptions& options);

}  // namespace interp

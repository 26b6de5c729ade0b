#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluator.h"
#include "vcode-interp/interrupt.h"
#include "vcode/program.h"

namespace interp {

class Profile;
class StreamTable;
struct LinkedProgram;

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
  static constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

  vcode::Widths widths;
  std::uint64_t seed = 0;
  bool strict = false;  ///< IF demands a Bool of length 1
  bool allow_spawn = false;
  bool sandbox = false;                ///< refuse FOPEN, FOPEN_AS, GETENV and SPAWN
  std::vector<std::string> arguments;  ///< what ARGUMENTS gives
  /// Print and write FLOATs with the fewest digits that are read back as the same FLOAT, not with 15.
  bool shortest_floats = false;
  std::uint64_t call_limit = 0;                    ///< stop after this many calls; 0: no limit
  std::int64_t host_limit = runtime::kShortLimit;  ///< see runtime::Locations
  /// Calls of functions with pieces (vcode/cuts.h) run a range of their index space at a time, so that the vectors of
  /// each range take about so many bytes; 0: they run as a whole. Nothing: kPieceBytes; or, on a device, which short
  /// vectors use badly, as much as there is, so that they run as a whole as long as that fits.
  std::optional<std::size_t> piece_bytes = {};
  std::size_t stack_limit = 0;                    ///< bytes for calls and values on the stack; 0: 1/4 of the memory
  std::array<int, 3> standard_files = {0, 1, 2};  ///< descriptors of input, output, errors
  int message_file = -1;  ///< descriptor of what WRITE writes, and checks of the program's own say; -1: the errors
  /// What a run writes to its standard error is printed at its end, or, if it fails, is in RunFailure::said instead.
  bool keep_errors = false;
  const InterruptFlag* interrupt = &process_interrupt();  ///< asked often; not null
  TraceOptions trace;
  Profile* profile = nullptr;  ///< filled if not null
  /// The text of a line of a source file, for the reports of run-time errors; may be empty, and so may its result.
  std::function<std::string(const std::string& file, std::uint32_t line)> source_line;
};

/// What went wrong in a run, in parts. RunResult::report has them as text.
struct RunFailure {
  enum class Kind : std::uint8_t {
    kProgram,       ///< the program or its data
    kSurroundings,  ///< what it runs on: memory, time, a device, a stream
    kStopped,       ///< an interrupt
  };
  Kind kind = Kind::kProgram;
  std::string message = {};             ///< without the place, but with the values at fault
  vcode::Site place = {};               ///< in the source; line 0 if it is not known
  std::vector<std::int64_t> path = {};  ///< of the element in the sequences around it, the outermost first
  bool path_complete = false;           ///< its first is of the outermost apply-to-each
  std::string said = {};                ///< see RunOptions::keep_errors
};

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
  RunResult run(const vcode::Source& source, const vcode::Program& program, std::vector<runtime::Value> initial = {});
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
  RunResult run_linked(const vcode::Source& source, const vcode::Program& program, const LinkedProgram& linked,
                       std::vector<runtime::Value> initial);
  RunResult run_and_report(const vcode::Source& source, const vcode::Program& program, const LinkedProgram& linked,
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

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluator.h"
#include "vcode-interp/interrupt.h"
#include "vcode/types.h"

namespace cvl {
class RankJob;
}

namespace interp {

class Profile;
class Progress;

/// When standard error shows how far a run has come.
enum class ProgressLine : std::uint8_t { kOff, kOnTerminal, kAlways };

/// Traces on standard error while a program runs: `-d stack`, `-d values` and so on.
struct TraceOptions {
  bool commands = false;  ///< each instruction before it runs
  bool stack = false;     ///< length and type of every value, before each instruction
  bool values = false;    ///< like `stack`, with the elements
  bool calls = false;     ///< calls and returns
  bool memory = false;    ///< bytes in use and bytes held, before each instruction

  bool any() const { return commands || stack || values || calls || memory; }
};

/// A device besides that of the backend of a run, and a backend that computes on it.
struct OtherDevice {
  int number = 0;  ///< among the devices of the backend's library
  std::shared_ptr<cvl::Backend> backend;
};

struct RunOptions {
  static constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

  vcode::Widths widths;
  std::uint64_t seed = 0;
  bool strict = false;  ///< IF demands a Bool of length 1
  bool allow_spawn = false;
  bool sandbox = false;                ///< refuse FOPEN, FOPEN_AS, GETENV and SPAWN
  std::vector<std::string> arguments;  ///< result of ARGUMENTS
  /// Print FLOATs with the fewest digits that are parsed as the same FLOAT; false: with 15 digits.
  bool shortest_floats = false;
  std::uint64_t call_limit = 0;                    ///< stop after this many calls; 0: no limit
  std::int64_t host_limit = runtime::kShortLimit;  ///< see runtime::Locations
  /// Bytes of vectors that one piece of a call in pieces (vcode/piece_operands.h) may take, approximately; 0: calls run
  /// as a whole. Default: kPieceBytes; on a device, which needs long vectors to be busy, all memory, so that calls run
  /// as a whole if their vectors fit.
  std::optional<std::size_t> piece_bytes = {};
  std::size_t stack_limit = 0;                    ///< bytes for calls and values on the stack; 0: 1/4 of the memory
  std::array<int, 3> standard_files = {0, 1, 2};  ///< descriptors of input, output, errors
  /// File descriptor for the output of WRITE and the messages of failed checks; -1: that of errors.
  int message_file = -1;
  /// Collect the output to `message_file` and print it at the end of the run; after a failure, RunFailure::said has it.
  bool keep_errors = false;
  const InterruptFlag* interrupt = &process_interrupt();  ///< read often during a run; not null
  TraceOptions trace;
  /// Called before each call in the program that is no call in pieces, with the number of the called function
  /// (Program::functions) and the end of the stack, on top of which the operands are. May be unset.
  std::function<void(std::uint32_t function, const runtime::Value* top)> watch_calls;
  Profile* profile = nullptr;  ///< filled if not null
  ProgressLine progress_line = ProgressLine::kOff;
  Progress* progress = nullptr;  ///< set by the interpreter while a program runs
  /// Devices on which pieces of calls run, too (docs/fcode.md). Those of the backend's library, without a job.
  std::vector<OtherDevice> other_devices = {};
  /// The job of which this process is one of several ranks; null if it is none. Rank 0 alone reads and writes streams.
  cvl::RankJob* job = nullptr;
  /// Gives the text of a line of a source file, for error reports; an empty result if unknown. May be unset.
  std::function<std::string(const std::string& file, std::uint32_t line)> source_line;
};

}  // namespace interp

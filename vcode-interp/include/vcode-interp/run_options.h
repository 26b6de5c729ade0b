#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluator.h"
#include "vcode-interp/interrupt.h"
#include "vcode/types.h"

namespace interp {

class Profile;

/// Traces on standard error while a program runs: `-d stack`, `-d values` and so on.
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
  std::vector<std::string> arguments;  ///< result of ARGUMENTS
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
  int message_file = -1;  ///< descriptor of WRITE's output and of failed checks' messages; -1: that of errors
  /// Standard error of a run is collected and printed at its end; after a failure it is in RunFailure::said instead.
  bool keep_errors = false;
  const InterruptFlag* interrupt = &process_interrupt();  ///< asked often; not null
  TraceOptions trace;
  Profile* profile = nullptr;  ///< filled if not null
  /// The text of a line of a source file, for the reports of run-time errors; may be empty, and so may its result.
  std::function<std::string(const std::string& file, std::uint32_t line)> source_line;
};

}  // namespace interp

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vcode/program.h"

namespace interp {

/// The cause of a failed run, in parts. RunResult::report has them as text.
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

}  // namespace interp

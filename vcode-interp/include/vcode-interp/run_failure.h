#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vcode/program.h"

namespace interp {

/// The cause of a failed run, in parts. RunResult::report has them as text.
struct RunFailure {
  enum class Kind : std::uint8_t {
    kProgram,       ///< an error of the program or its data
    kSurroundings,  ///< a failure of the environment: memory, time, a device, a stream
    kStopped,       ///< an interrupt
  };
  Kind kind = Kind::kProgram;
  std::string message = {};             ///< with the values at fault, without the location
  vcode::Site location = {};            ///< location in the source; line 0 if unknown
  std::vector<std::int64_t> path = {};  ///< index of the faulty element in each enclosing sequence, the outermost first
  bool path_complete = false;           ///< path[0] is the index in the outermost apply-to-each
  std::string said = {};                ///< the program's messages; see RunOptions::keep_errors
};

}  // namespace interp

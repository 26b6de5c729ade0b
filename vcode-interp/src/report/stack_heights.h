#pragma once

#include <optional>
#include <unordered_map>

#include "machine/link.h"
#include "vcode/effects.h"

namespace interp {

/// How high the stack was in the functions that are being run, found out from the program's text once a run has
/// failed: so that calls need not note it.
class StackHeights {
 public:
  StackHeights(const vcode::Program& program, bool strict);

  /// Values that a function has on the stack before an instruction, more than when it was entered. Nothing if
  /// that depends on the data.
  std::optional<std::int64_t> before(LinkedProgram::Origin origin);
  /// How many of the values it finds a function looks at, moves or takes: those below stay as they are.
  std::optional<std::int64_t> reach(std::uint32_t function) const;

 private:
  using Heights = std::vector<std::optional<std::int64_t>>;  // before each instruction of a function
  Heights measure(const vcode::Function& function) const;

  const vcode::Program& program_;
  const vcode::ProgramEffects effects_;
  std::unordered_map<std::uint32_t, Heights> heights_;
};

}  // namespace interp

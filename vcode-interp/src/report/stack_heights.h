#pragma once

#include <optional>
#include <unordered_map>

#include "machine/link.h"
#include "vcode/stack_effects.h"

namespace interp {

/// The heights of the stack in the functions being run, computed from the program after a failure, so that calls need
/// not record them.
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
  const vcode::StackEffects effects_;
  std::unordered_map<std::uint32_t, Heights> heights_;
};

}  // namespace interp

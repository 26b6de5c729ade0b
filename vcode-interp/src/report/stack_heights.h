#pragma once

#include <optional>
#include <unordered_map>

#include "machine/link.h"
#include "vcode/stack_effects.h"

namespace interp {

/// The heights of the operand stack at instructions. They are computed from the program after a failure, so that calls
/// need not record them.
class StackHeights {
 public:
  StackHeights(const vcode::Program& program, bool strict);

  /// Height of the stack before an instruction, relative to the entry of the function. Nothing if it depends on the
  /// data.
  std::optional<std::int64_t> before(LinkedProgram::Origin origin);
  /// Number of values, from the top at entry, that a function reads, moves or consumes; deeper values are unchanged.
  std::optional<std::int64_t> reach(std::uint32_t function) const;

 private:
  using Heights = std::vector<std::optional<std::int64_t>>;  // before each instruction of a function
  Heights measure(const vcode::Function& function) const;

  const vcode::Program& program_;
  const vcode::StackEffects effects_;
  std::unordered_map<std::uint32_t, Heights> heights_;
};

}  // namespace interp

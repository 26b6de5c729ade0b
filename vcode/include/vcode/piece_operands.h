#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vcode {

struct Program;

/// The part of one operand that a piece of a call takes. A function with pieces is a map over an index space: its
/// result for a range of that space is the same range of its result for the whole space.
struct PieceOperand {
  enum class How : std::uint8_t {
    kShared,  ///< the whole operand
    kEach,    ///< the elements (of a descriptor, the segments) that belong to the piece's elements of `of`, one to each
    kWhole,   ///< a descriptor of one segment: that of the piece's elements of `of`
  };
  How how = How::kShared;
  /// kIndexSpace, or the number of an earlier operand that is kEach: a descriptor, which stands for its elements.
  std::uint32_t of = UINT32_MAX;
  friend bool operator==(const PieceOperand&, const PieceOperand&) = default;
};
inline constexpr std::uint32_t kIndexSpace = UINT32_MAX;

/// The parts of all operands of a function, the deepest first. Empty for a function without pieces.
using PieceOperands = std::vector<PieceOperand>;

/// The first rule that `piece_operands` breaks, or an empty string.
std::string complaint_about(const PieceOperands& piece_operands);

/// For each function of a program whether it, or a function that it calls, has effects: input and output, drawing
/// random numbers, EXIT. Functions with effects have no pieces.
std::vector<bool> functions_that_act(const Program& program);

}  // namespace vcode

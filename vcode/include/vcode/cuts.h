#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vcode {

struct Program;

/// What a piece of a call has of one operand. A function with pieces is a map over an index space: what it returns for
/// a range of the elements of that space is that range of what it returns for all of them.
struct Cut {
  enum class How : std::uint8_t {
    kShared,  ///< all of it
    kEach,    ///< the elements (of a descriptor, the segments) that belong to the piece's elements of `of`, one to each
    kWhole,   ///< a descriptor of one segment: the one that has the piece's elements of `of`
  };
  How how = How::kShared;
  /// kIndexSpace, or an operand before this one that is kEach: a descriptor, which stands for its elements.
  std::uint32_t of = UINT32_MAX;
  friend bool operator==(const Cut&, const Cut&) = default;
};
inline constexpr std::uint32_t kIndexSpace = UINT32_MAX;

/// The cuts of all operands of a function, the deepest first. Empty: it has no pieces.
using Cuts = std::vector<Cut>;

/// The first rule that cuts break, or an empty string.
std::string complaint_about(const Cuts& cuts);

/// For each function of a program whether it, or a function it calls, does something else than compute a value from
/// its operands: input and output, drawing random numbers, EXIT. What does has no pieces.
std::vector<bool> functions_that_act(const Program& program);

}  // namespace vcode

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace evaluator {

/// A type of the random programs.
struct SourceType {
  enum class Kind : std::uint8_t { kInt, kFloat, kBool, kChar, kSequence, kPair };
  Kind kind = Kind::kInt;
  std::vector<SourceType> parts{};  ///< one of a sequence, two of a pair
  friend bool operator==(const SourceType&, const SourceType&) = default;
};
std::string to_text(const SourceType& type);

/// NESL text with the expressions inside it: pieces[0] children[0] pieces[1] children[1] … pieces[n].
struct SourceTree {
  SourceType type;
  std::vector<std::string> pieces;
  std::vector<SourceTree> children;
  bool replaceable = true;  ///< false if it is not an expression
};
std::string to_text(const SourceTree& tree);

/// A well-typed program: some functions, then one expression. The same seed gives the same program.
SourceTree random_program(std::uint64_t seed);
/// A program whose choices are read from `choices`, one byte each; when these end, constants and variables follow.
SourceTree random_program(std::span<const std::uint8_t> choices);

/// The smallest program found for which `fails` holds, as it does for `program`. Shrinks by replacing expressions with
/// parts of them or with constants.
SourceTree shrink(SourceTree program, const std::function<bool(const std::string&)>& fails);

}  // namespace evaluator

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluator.h"
#include "runtime/value.h"

namespace nesl_cli {

/// So many files may be loading each other: without a limit some never end.
inline constexpr int kDeepestLoad = 50;

/// What `load FILE, print := t` asks for.
struct LoadCommand {
  std::string name;        ///< the file, if it is written as a string
  std::string expression;  ///< otherwise: what has its name as value
  bool print = false;      ///< show the replies
  std::string error;       ///< what is wrong with the command; it is of no use then

  bool again() const { return name.empty() && expression.empty(); }  ///< the file loaded before is meant
};
LoadCommand parse_load(const std::string& text);

/// The string that a program of type [char] has left on the stack. Nothing if memory runs out.
std::optional<std::string> string_left(const std::vector<runtime::Value>& stack, runtime::Evaluator& evaluator);

}  // namespace nesl_cli

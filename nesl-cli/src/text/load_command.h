#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluator.h"
#include "runtime/value.h"

namespace nesl_cli {

/// How deep files may load each other: a file that loads itself would not end.
inline constexpr int kDeepestLoad = 50;

/// What `load FILE, print := t` asks for.
struct LoadCommand {
  std::string name;        ///< the file, if it is written as a string
  std::string expression;  ///< otherwise: the expression whose value is the name
  bool print = false;      ///< show the replies
  std::string error;       ///< why the command is wrong; if not empty, the other members mean nothing

  bool again() const { return name.empty() && expression.empty(); }  ///< the file loaded before is meant
};
LoadCommand parse_load(const std::string& text);

/// The file that a program means: it is looked for beside the one that loads it, and its name may lack .nesl.
std::string loaded_name(const std::string& name, const std::string& loader);

/// The string that a program of type [char] has left on the stack. Nothing if memory runs out.
std::optional<std::string> string_left(const std::vector<runtime::Value>& stack, runtime::Evaluator& evaluator);

}  // namespace nesl_cli

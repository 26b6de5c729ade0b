#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/evaluator.h"
#include "runtime/value.h"

namespace nesl_cli {

/// Deepest nesting of files that load each other; stops a file that loads itself.
inline constexpr int kDeepestLoad = 50;

/// A parsed command such as `load FILE, print := t`.
struct LoadCommand {
  std::string name;        ///< name of the file, if it is written as a string
  std::string expression;  ///< otherwise: the expression whose value is the name
  bool print = false;      ///< show the replies
  std::string error;       ///< error of the command; if not empty, the other members are meaningless

  bool again() const { return name.empty() && expression.empty(); }  ///< load the last file again
};
LoadCommand parse_load(const std::string& text);

/// Finds the file of a load command: in the folder of the loading file; the name may lack .nesl.
std::string loaded_name(const std::string& name, const std::string& loader);

/// The result of a program of type [char], from its stack. Nothing if memory runs out.
std::optional<std::string> string_left(const std::vector<runtime::Value>& stack, runtime::Evaluator& evaluator);

}  // namespace nesl_cli

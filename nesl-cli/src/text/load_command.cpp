#include "load_command.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "base/check.h"
#include "command_words.h"
#include "cvl/dispatch.h"
#include "cvl/integer_at.h"

namespace nesl_cli {

namespace {

// Options of NESL 3.1 without effect here: compiling prints nothing, and every file can be loaded again.
constexpr std::array<std::string_view, 2> kIgnored = {"verbose", "save_filename"};

}  // namespace

LoadCommand parse_load(const std::string& text) {
  LoadCommand command;
  constexpr std::size_t kWord = std::string_view("load").size();
  VC_CHECK(text.size() >= kWord);
  const std::vector<std::string> parts = parts_of(text.substr(kWord));
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const std::vector<std::string> words = words_of(parts[k]);
    const std::optional<bool> on = words.size() == 3 ? truth_of(words[2]) : std::nullopt;
    if (words.size() != 3 || words[1] != ":=" || !on)
      command.error = fmt::format("load: '{}' is no option; print := t shows the replies", parts[k]);
    else if (words[0] == "print")
      command.print = *on;
    else if (std::find(kIgnored.begin(), kIgnored.end(), words[0]) == kIgnored.end())
      command.error = fmt::format("load has no option {}; print := t shows the replies", words[0]);
  }
  const std::string& file = parts.front();
  if (is_string(file))
    command.name = words_of(file)[0];
  else
    command.expression = file;
  return command;
}

std::string loaded_name(const std::string& name, const std::string& loader) {
  std::filesystem::path path(name);
  if (path.is_relative()) path = std::filesystem::path(loader).parent_path() / path;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) && std::filesystem::exists(path.string() + ".nesl", ignored))
    path += ".nesl";
  return path.string();
}

std::optional<std::string> string_left(const std::vector<runtime::Value>& stack, runtime::Evaluator& evaluator) {
  VC_CHECK(!stack.empty());
  const runtime::Value& characters = stack.back();
  const cvl::Operand codes{characters.type(), characters.length(), evaluator.heap().host_data(characters)};
  if (codes.data == nullptr && codes.length > 0) return std::nullopt;
  std::string text;
  for (std::int64_t k = 0; k < codes.length; ++k) text += static_cast<char>(cvl::integer_at(codes, k));
  return text;
}

}  // namespace nesl_cli

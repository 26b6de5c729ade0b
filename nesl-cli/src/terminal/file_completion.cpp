#include "file_completion.h"

#include <algorithm>
#include <filesystem>
#include <string>

namespace nesl_cli {

namespace {

struct Location {
  std::string_view path;   ///< the typed part of the path
  bool in_string = false;  ///< the path is in a string, which a quote ends
};

std::optional<Location> location_of_file(std::string_view before) {
  const std::size_t word = before.find(' ');
  if (before.starts_with(":l") && word != before.npos &&
      std::string_view(":load").starts_with(before.substr(0, word))) {
    const std::size_t begin = before.find_first_not_of(" \"", word);
    return Location{begin == before.npos ? "" : before.substr(begin)};
  }
  std::size_t quote = before.npos;  // position of the quote that begins the current string
  for (std::size_t at = 0; at < before.size(); ++at) {
    if (before[at] == '`' && quote == before.npos)
      ++at;
    else if (before[at] == '\\' && quote != before.npos)
      ++at;
    else if (before[at] == '"')
      quote = quote == before.npos ? at : before.npos;
  }
  if (quote == before.npos) return std::nullopt;
  return Location{before.substr(quote + 1), true};
}

}  // namespace

std::optional<Completion> complete_file(std::string_view before) {
  const std::optional<Location> location = location_of_file(before);
  if (!location) return std::nullopt;
  const std::size_t slash = location->path.rfind('/');
  const std::string folder(slash == location->path.npos ? "." : location->path.substr(0, slash + 1));
  const std::string_view prefix = slash == location->path.npos ? location->path : location->path.substr(slash + 1);
  Completion result;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix) || (prefix.empty() && name.starts_with('.'))) continue;
    std::error_code unknown;
    if (entry->is_directory(unknown)) name += '/';
    result.choices.push_back(std::move(name));
  }
  settle(result, prefix.size());
  if (result.choices.empty() && !result.insert.empty() && !result.insert.ends_with('/') && location->in_string)
    result.insert += '"';
  return result;
}

}  // namespace nesl_cli

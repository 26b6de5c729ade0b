#include "trial_files.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "base/diagnostics.h"

namespace nesl_cli {

namespace {

/// Adds the programs below a folder. Hidden folders are passed over, as are folders that cannot be read.
void add_folder(const std::filesystem::path& folder, std::vector<std::string>& files) {
  std::error_code error;
  std::vector<std::string> found;
  std::filesystem::recursive_directory_iterator at(folder, std::filesystem::directory_options::skip_permission_denied,
                                                   error);
  for (const auto end = std::filesystem::end(at); !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    if (name.starts_with('.')) at.disable_recursion_pending();
    if (at->path().extension() == ".nesl" && at->is_regular_file(error)) found.push_back(at->path().lexically_normal());
  }
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

}  // namespace

std::optional<std::vector<std::string>> nesl_files(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  if (names.empty()) add_folder(".", files);
  bool good = true;
  for (const std::string& name : names) {
    std::error_code error;
    if (name == "-" || !std::filesystem::is_directory(name, error)) {
      if (name != "-" && !std::filesystem::exists(name, error)) {
        fmt::print(stderr, "nesl: cannot open {}: No such file or directory\n", base::printable(name));
        good = false;
      }
      files.push_back(name);
    } else {
      add_folder(name, files);
    }
  }
  return good ? std::optional(std::move(files)) : std::nullopt;
}

int trial_problem(const std::string& message) {
  fmt::print(stderr, "nesl: {}\n", message);
  return 1;
}

}  // namespace nesl_cli

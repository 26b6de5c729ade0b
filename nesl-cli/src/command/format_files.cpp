#include "format_files.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "base/files.h"
#include "nesl-compiler/format.h"
#include "trials/trial_files.h"

namespace nesl_cli {

namespace {

/// Replaces a file, whose permissions stay the same.
bool replace(const std::string& file, const std::string& text) {
  std::error_code ignored;
  const std::filesystem::perms permissions = std::filesystem::status(file, ignored).permissions();
  std::string error;
  if (!base::write_file(file, text, error)) return trial_problem(error) == 0;
  if (permissions != std::filesystem::perms::unknown) std::filesystem::permissions(file, permissions, ignored);
  return true;
}

bool format_file(const std::string& file, bool check) {
  std::string text, error;
  if (!base::read_file(file, text, error)) return trial_problem(error) == 0;
  const base::Source source(file == "-" ? "<stdin>" : file, std::move(text));
  base::Diagnostics diagnostics;
  const std::optional<std::string> formatted = nesl::format(source, diagnostics);
  if (!formatted) {
    fmt::print(stderr, "{}", base::render(source, diagnostics));
    return false;
  }
  const bool is_same = *formatted == source.text();
  if (check) {
    if (!is_same) fmt::print("{}\n", base::printable(source.name()));
    return is_same;
  }
  if (file == "-") {
    fmt::print("{}", *formatted);
    return true;
  }
  return is_same || replace(file, *formatted);
}

}  // namespace

int format_files(const std::vector<std::string>& names, bool check) {
  const std::optional<std::vector<std::string>> files = nesl_files(names);
  if (!files) return 1;
  bool good = true;
  for (const std::string& file : *files) good = format_file(file, check) && good;
  return good ? 0 : 1;
}

}  // namespace nesl_cli

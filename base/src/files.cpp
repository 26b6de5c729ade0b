#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "base/diagnostics.h"

namespace base {
namespace {

std::string failure(const char* what, const std::string& name) {
  return fmt::format("cannot {} {}: {}", what, printable(name), strerror(errno));
}

/// Whether a text of this size exceeds the limit of a Source.
bool is_too_large(std::uint64_t bytes) { return bytes >= UINT32_MAX; }

/// Creates a file beside `name`, to be renamed to it: name.part, or name.part2 and so on where there is one already.
/// Null with errno on failure.
std::FILE* create_beside(const std::string& name, std::string& created) {
  constexpr int kMostTried = 100;
  int fd = -1;
  for (int k = 1; k <= kMostTried; ++k) {
    created = k == 1 ? name + ".part" : fmt::format("{}.part{}", name, k);
    fd = open(created.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) break;
  }
  return fd < 0 ? nullptr : fdopen(fd, "wb");
}

bool write_all(std::FILE* file, const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
}

}  // namespace

bool read_file(const std::string& name, std::string& text, std::string& error) {
  const int fd = name == "-" ? 0 : open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    error = failure("open", name);
    return false;
  }
  // Too large a regular file is not read at all; of other files, nothing beyond the limit is read.
  struct stat status = {};
  const bool is_known = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  bool too_large = is_known && is_too_large(static_cast<std::uint64_t>(status.st_size));
  char buffer[1 << 16];
  ssize_t n = 0;
  while (!too_large && (n = read(fd, buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(n));
    too_large = is_too_large(text.size());
  }
  if (n < 0)
    error = failure("read", name == "-" ? "standard input" : name);
  else if (too_large)
    error = fmt::format("{} is too large: a program may have 4 GiB", printable(name));
  if (fd != 0) close(fd);
  return error.empty();
}

bool write_file(const std::string& name, const std::string& text, std::string& error) {
  if (name == "-") {
    if (!write_all(stdout, text)) error = failure("write", "standard output");
    return error.empty();
  }
  // A link, a pipe or a device is written through; only a regular file can be replaced by a new one.
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(name, ignored);
  const bool is_special = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  std::string written = name;
  std::FILE* file = is_special ? std::fopen(name.c_str(), "wb") : create_beside(name, written);
  if (!file) {
    error = failure("write", name);
    return false;
  }
  if (!write_all(file, text)) error = failure("write", name);
  if (std::fclose(file) != 0 && error.empty()) error = failure("write", name);
  if (is_special) return error.empty();
  if (error.empty() && std::rename(written.c_str(), name.c_str()) != 0) error = failure("write", name);
  if (!error.empty()) std::remove(written.c_str());
  return error.empty();
}

}  // namespace base

#include "vcode/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

namespace vcode {
namespace {

std::string failure(const char* what, const std::string& name) {
  return fmt::format("cannot {} {}: {}", what, name, strerror(errno));
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
  char buffer[1 << 16];
  ssize_t n;
  while ((n = read(fd, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<std::size_t>(n));
  if (n < 0)
    error = failure("read", name == "-" ? "standard input" : name);
  else if (text.size() >= UINT32_MAX)
    error = fmt::format("{} is too large: a program may have 4 GiB", name);
  if (fd != 0) close(fd);
  return error.empty();
}

bool write_file(const std::string& name, const std::string& text, std::string& error) {
  if (name == "-") {
    if (!write_all(stdout, text)) error = failure("write", "standard output");
    return error.empty();
  }
  // What is no ordinary file (a link, a pipe, a device) cannot be replaced by one.
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(name, ignored);
  const bool is_special = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  const std::string written = is_special ? name : name + ".part";
  std::FILE* file = std::fopen(written.c_str(), "wb");
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

}  // namespace vcode

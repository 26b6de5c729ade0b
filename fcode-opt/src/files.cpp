#include "files.h"

#include <errno.h>
#include <string.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

namespace fcode_opt {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::string failure(const char* what, const std::string& name) {
  return fmt::format("cannot {} {}: {}", what, name, strerror(errno));
}

bool write_all(std::FILE* file, const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
}

}  // namespace

std::string read_file(const std::string& name, std::string& text) {
  const bool is_stdin = name == "-";
  const File file(is_stdin ? stdin : std::fopen(name.c_str(), "rb"),
                  [](std::FILE* f) { return f == stdin ? 0 : std::fclose(f); });
  if (!file) return failure("open", name);
  char buffer[1 << 16];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, file.get())) text.append(buffer, n);
  if (std::ferror(file.get())) return failure("read", name);
  if (text.size() >= UINT32_MAX) return fmt::format("{} is too large: a program may have 4 GiB", name);
  return {};
}

std::string write_file(const std::string& name, const std::string& text) {
  if (name == "-") return write_all(stdout, text) ? "" : failure("write", "standard output");
  std::error_code error;
  const auto status = std::filesystem::status(name, error);
  const bool is_special = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  const std::string written = is_special ? name : name + ".part";
  std::FILE* file = std::fopen(written.c_str(), "wb");
  if (!file) return failure("write", name);
  const bool done = write_all(file, text);
  std::string message = done ? "" : failure("write", name);
  std::fclose(file);
  if (is_special) return message;
  if (done && std::rename(written.c_str(), name.c_str()) != 0) message = failure("write", name);
  if (!message.empty()) std::remove(written.c_str());
  return message;
}

}  // namespace fcode_opt

#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

/// A file without a name, for standard streams of programs that run in this process: either to be read from its
/// beginning, with a given text, or to collect output.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& text = "") : descriptor_(memfd_create("memory_file", MFD_CLOEXEC)) {
    if (descriptor_ < 0 || pwrite(descriptor_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
      std::abort();
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }
  /// Everything in the file. The position of the next read or write does not change.
  std::string content() const {
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = pread(descriptor_, buffer, sizeof buffer, static_cast<off_t>(text.size()))) != 0;) {
      if (n < 0) std::abort();
      text.append(buffer, static_cast<std::size_t>(n));
    }
    return text;
  }
  void clear() {
    if (ftruncate(descriptor_, 0) != 0 || lseek(descriptor_, 0, SEEK_SET) != 0) std::abort();
  }

 private:
  int descriptor_;
};

#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

/// A file without a name that collects what is written to it.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("captured", MFD_CLOEXEC)) {
    if (descriptor_ < 0) std::abort();
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::string content() const {
    std::string text(static_cast<std::size_t>(lseek(descriptor_, 0, SEEK_END)), '\0');
    for (std::size_t at = 0; at < text.size();) {
      ssize_t n = pread(descriptor_, text.data() + at, text.size() - at, static_cast<off_t>(at));
      if (n <= 0) std::abort();
      at += static_cast<std::size_t>(n);
    }
    return text;
  }
  void clear() {
    if (ftruncate(descriptor_, 0) != 0 || lseek(descriptor_, 0, SEEK_SET) != 0) std::abort();
  }

 private:
  int descriptor_;
};

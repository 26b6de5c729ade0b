#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "../frame/huge_buffer.h"

namespace program_peers {

/// Opens a file of the current folder; throws if that fails.
inline std::unique_ptr<std::FILE, int (*)(std::FILE*)> open_file(const char* name, const char* mode) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name, mode), std::fclose);
  if (!file) throw std::runtime_error(std::string("cannot open ") + name);
  return file;
}

inline void write_file(const char* name, const char* text, std::int64_t size) {
  const auto file = open_file(name, "w");
  if (std::fwrite(text, 1, std::size_t(size), file.get()) != std::size_t(size))
    throw std::runtime_error(std::string("cannot write ") + name);
}

/// Reads a file into a buffer that has room for it; returns the file's size.
inline std::int64_t read_file(const char* name, const Buffer<char>& text) {
  return std::int64_t(std::fread(text.data(), 1, std::size_t(text.size()), open_file(name, "r").get()));
}

/// Length of a file, and sum of its characters.
struct FileSums {
  std::int64_t size = 0, characters = 0;
};

inline FileSums sums_of_file(const char* name, std::int64_t most) {
  const Buffer<char> text(most);
  FileSums sums{read_file(name, text), 0};
  for (std::int64_t i = 0; i < sums.size; ++i) sums.characters += static_cast<unsigned char>(text[i]);
  return sums;
}

}  // namespace program_peers

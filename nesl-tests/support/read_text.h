#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

/// The whole content of a file. Throws std::runtime_error, with the name, if it cannot be read.
inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error(path.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(stream), {}};
}

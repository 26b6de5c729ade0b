#pragma once

#include <string>

namespace base {

/// Reads a file, or standard input if its name is "-". Returns false and a message in `error` on failure.
bool read_file(const std::string& name, std::string& text, std::string& error);
/// Writes a file, or standard output if its name is "-". A file is replaced as a whole or stays unchanged. Returns
/// false and a message in `error` on failure.
bool write_file(const std::string& name, const std::string& text, std::string& error);

}  // namespace base

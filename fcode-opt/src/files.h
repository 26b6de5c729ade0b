#pragma once

#include <string>

namespace fcode_opt {

/// Reads a file, or standard input if its name is "-". Returns a sentence if that is impossible, else nothing.
std::string read_file(const std::string& name, std::string& text);
/// Writes a file, or standard output if its name is "-". A file gets its new content at once or not at all. Returns a
/// sentence if that is impossible, else nothing.
std::string write_file(const std::string& name, const std::string& text);

}  // namespace fcode_opt

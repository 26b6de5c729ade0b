#pragma once

#include <string>

namespace base {

/// Reads a file, or standard input if its name is "-". False, with a sentence, if that is impossible.
bool read_file(const std::string& name, std::string& text, std::string& error);
/// Writes a file, or standard output if its name is "-". A file gets its new content at once or not at all. False, with
/// a sentence, if that is impossible.
bool write_file(const std::string& name, const std::string& text, std::string& error);

}  // namespace base

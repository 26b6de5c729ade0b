#pragma once

#include <span>
#include <string>
#include <string_view>

#include "files/file_value.h"

namespace interp {

/// All bytes of the file of a request. Throws FileError.
FileBytes read_whole_file(const FileRequest& request);

/// Writes a file under a temporary name beside it, and gives it its name once it is complete: whoever opens `name`
/// finds what was there before, or all of the new content. What is no regular file, such as a device, is written
/// directly. Throws FileError, with a regular file unchanged.
void write_whole_file(const std::string& name, const FileContent& content);

/// Bytes as vectors of numbers and back, for formats that have them in the order of the processor.
template <class T>
std::string_view bytes_of(std::span<const T> elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size_bytes()};
}

}  // namespace interp

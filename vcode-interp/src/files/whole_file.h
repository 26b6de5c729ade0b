#pragma once

#include <span>
#include <string>
#include <string_view>

#include "files/file_value.h"

namespace interp {

/// All bytes of the file of a request. Throws FileError.
FileBytes read_whole_file(const FileRequest& request);

/// Writes a temporary file in the same folder and renames it when it is complete, so that `name` has the old or the
/// whole new content at any time. A file that is not regular, such as a device, is written directly. Throws FileError;
/// a regular file is then unchanged.
void write_whole_file(const std::string& name, const FileContent& content);

/// Creates a file with a name of its own, `temporary`, in the folder of the file `name`, and returns its descriptor;
/// -1, and errno, on failure.
int create_temporary(const std::string& name, std::string& temporary);

/// Throws the FileError of a failed system call: "NAME: cannot be `what`: ERROR".
[[noreturn]] void fail_system(const std::string& name, const char* what, int error);
/// Whether a failed system call should not be repeated.
bool is_final(int error);

/// The bytes of elements in memory, for formats with the byte order of the processor.
template <class T>
std::string_view bytes_of(std::span<const T> elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size_bytes()};
}

}  // namespace interp

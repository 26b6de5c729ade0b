#pragma once

#include <span>
#include <string>
#include <string_view>

#include "files/file_value.h"

namespace interp {

/// Appends the vectors of an array to a value. `type` is the demanded type: [int], [[int]], or the same of floats or
/// bools. `bytes` is the content of an .npy file. Throws FileError.
void append_npy(const FileRequest& request, std::string_view type, std::string_view bytes, FileValue& value);

/// The .npy file of a value of such a type, which is the first npy_columns() elements of `columns`. Throws FileError.
FileContent npy_file(const FileRequest& request, std::string_view type, std::span<const FileColumn> columns);

/// Everything that comes before the elements of an array of ints, floats or bools: "int", "float" or "bool". `shape`:
/// the lengths of its dimensions in the notation of a tuple of Python.
std::string npy_header(std::string_view element, std::string_view shape);

/// Number of vectors of a value of such a type. Throws FileError for any other type.
std::size_t npy_columns(const FileRequest& request, std::string_view type);

}  // namespace interp

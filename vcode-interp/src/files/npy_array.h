#pragma once

#include <span>
#include <string_view>

#include "files/file_value.h"

namespace interp {

/// Adds the vectors of an array to a value: `type` is what it is to be, [int], [[int]] or the same of floats or bools;
/// `bytes` are those of an .npy file. Throws FileError.
void append_npy(const FileRequest& request, std::string_view type, std::string_view bytes, FileValue& value);

/// The .npy file of a value of such a type, whose vectors the columns begin with. Throws FileError.
FileContent npy_file(const FileRequest& request, std::string_view type, std::span<const FileColumn> columns);

/// The vectors of a value of such a type. Throws FileError if `type` is another one.
std::size_t npy_columns(const FileRequest& request, std::string_view type);

}  // namespace interp

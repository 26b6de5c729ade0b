#pragma once

#include "io/file_value.h"

namespace interp {

/// Reads the file of a request. Formats:
///   lines   [[char]]: its lines, without their ends (LF or CR LF)
///   binary  [char] (bytes), [int] and [float] (8 bytes each, in the order of the processor)
///   csv     a sequence of int, float, bool or [char], or of tuples of them: a row for each; or of sequences of numbers
///   npy     one or two dimensions of int, float or bool, as NumPy writes them
///   mtx     [[(int, float)]]: the rows of a matrix in a file of Matrix Market, columns counted from 0
/// Throws FileError if the file cannot be read, is no such file, or its content is of another type.
FileValue read_file_value(const FileRequest& request);

/// Writes a value. Formats as above, but for lines, and
///   mtx     ([[(int, float)]], int): with the number of columns
///   png     [[int]] (grey) or [[(int, int, int)]] (red, green, blue), 0 to 255: the rows of an image from the top
/// Throws FileError; then there is no new file and an old one is unchanged.
void write_file_value(const FileRequest& request, const FileValue& value);

// One format each; the types that it cannot have are refused.
FileValue read_csv(const FileRequest& request);
FileValue read_npy(const FileRequest& request);
FileValue read_matrix_market(const FileRequest& request);
std::string csv_text(const FileRequest& request, const FileValue& value);
std::string npy_bytes(const FileRequest& request, const FileValue& value);
std::string matrix_market_text(const FileRequest& request, const FileValue& value);
std::string png_bytes(const FileRequest& request, const FileValue& value);

/// Throws a FileError about the file as a whole.
[[noreturn]] void fail_file(const FileRequest& request, const std::string& message);
/// Throws a FileError if a file promises a sequence of so many elements and there is no memory for them: 8 bytes each,
/// and as many again for the value that is made of them.
void require_memory(const FileRequest& request, std::size_t elements);
/// Says that values of the request's type are not in files of its format.
[[noreturn]] void refuse_type(const FileRequest& request);

}  // namespace interp

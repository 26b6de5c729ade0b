#pragma once

#include "files/file_value.h"

namespace interp {

/// Reads the file of a request. Formats:
///   lines   [[char]]: its lines, without their ends (LF or CR LF)
///   binary  [char] (bytes), [int] and [float] (8 bytes each, in the order of the processor)
///   csv     a sequence of int, float, bool or [char], or of tuples of them: a row for each; or of sequences of
///   numbers.
///           The names of the request are options: "separator=;", "skip=1" (rows), "missing=NA" (of a float: nan)
///   named-csv  the same, below a line with the names of the columns: those of the request, or any if it has none
///   npy     one or two dimensions of int, float or bool, as NumPy writes them, of any width and byte order
///   npz     arrays as in npy, or a tuple of them, each with its name
///   mtx     [[(int, float)]]: the rows of a matrix in a file of Matrix Market, columns counted from 0; of the format
///           array, what is not 0
/// Throws FileError if the file cannot be read, is no such file, or its content is of another type.
FileValue read_file_value(const FileRequest& request);

/// Writes a value. Formats as above, but for lines, and
///   npz-compressed  as npz, but deflated
///   mtx     ([[(int, float)]], int): with the number of columns
///   png     [[int]] (grey) or [[(int, int, int)]] (red, green, blue), 0 to 255: the rows of an image from the top
///   plot, scatter, histogram  see plot_file.cpp
/// Throws FileError; then there is no new file and an old one is unchanged.
void write_file_value(const FileRequest& request, const FileColumns& value);

// One format each; the types that it cannot have are refused.
FileValue read_csv(const FileRequest& request);
FileValue read_named_csv(const FileRequest& request);
FileValue read_npy(const FileRequest& request);
FileValue read_npz(const FileRequest& request);
FileValue read_matrix_market(const FileRequest& request);
FileContent csv_content(const FileRequest& request, const FileColumns& value);
FileContent named_csv_content(const FileRequest& request, const FileColumns& value);
FileContent npy_content(const FileRequest& request, const FileColumns& value);
FileContent npz_content(const FileRequest& request, const FileColumns& value);
FileContent compressed_npz_content(const FileRequest& request, const FileColumns& value);
FileContent matrix_market_content(const FileRequest& request, const FileColumns& value);
FileContent png_content(const FileRequest& request, const FileColumns& value);
FileContent plot_content(const FileRequest& request, const FileColumns& value);

/// Throws a FileError about the file as a whole.
[[noreturn]] void fail_file(const FileRequest& request, const std::string& message);
/// Says that values of the request's type are not in files of its format.
[[noreturn]] void refuse_type(const FileRequest& request);

}  // namespace interp

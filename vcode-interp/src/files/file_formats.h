#pragma once

#include "files/file_part.h"
#include "files/file_value.h"

namespace interp {

/// Reads the file of a request. Formats:
///   lines   [[char]]: the lines of the file, without line ends (LF or CR LF)
///   binary  [char] (bytes), [int] and [float] (8 bytes each, in the byte order of the processor)
///   csv     a sequence of int, float, bool or [char], or of tuples of them, one row an element; or of sequences of
///           numbers. The names of the request are options: "separator=;", "skip=1" (rows), "missing=NA" (read as nan),
///           "column=price" (read by its name, which the first row has; once for each field)
///   named-csv  like csv, below a line with the column names; the columns that the request names, or all if it names
///   none npy     one or two dimensions of int, float or bool, as NumPy writes them, of any width and byte order npz
///   arrays as in npy, or a tuple of them, each with its name mtx     [[(int, float)]]: the rows of a matrix in a
///   Matrix Market file, columns counted from 0; of the format
///           array, the elements that are not 0
/// Throws FileError if the file cannot be read, has another format, or its content has another type.
FileValue read_file_value(const FileRequest& request);

/// The way in which several ranks read parts of files of a format; for kMatrix see matrix_market.h.
enum class PartKind : std::uint8_t { kNone, kElements, kLines, kMatrix };
PartKind part_kind(const FileRequest& request);

/// Reads the part of a file of the kind kElements: the elements that part_of() gives. The vectors of a value are those
/// of all parts, one after the other, but for the first one, whose number is the sum of theirs. Throws FileError as
/// read_file_value() does, and NotInParts.
FileValue read_elements(const FileRequest& request, const SharedFile& file, const PartOf& part_of);
/// Reads the lines of a part of a file of the kind kLines; else as read_elements().
FileValue read_text_part(const FileRequest& request, TextPart part);

/// Writes a value. Formats: those of read_file_value() except lines, and
///   npz-compressed  like npz, deflated
///   mtx     ([[(int, float)]], int): with the number of columns
///   png     [[int]] (grey) or [[(int, int, int)]] (red, green, blue), 0 to 255: the rows of an image from the top
///   plot, scatter, histogram  see plot_file.cpp
/// Throws FileError; then no file is created, and an existing file is unchanged.
void write_file_value(const FileRequest& request, const FileColumns& value);

// Readers and writers of one format each. They throw FileError for types that the format cannot represent.
FileValue read_csv(const FileRequest& request);
FileValue read_named_csv(const FileRequest& request);
FileValue parse_csv(const FileRequest& request, TextPart part);
FileValue read_npy(const FileRequest& request);
FileValue read_npy_part(const FileRequest& request, const SharedFile& file, const PartOf& part_of);
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
/// Throws a FileError: the format of the request cannot represent values of its type.
[[noreturn]] void refuse_type(const FileRequest& request);

}  // namespace interp

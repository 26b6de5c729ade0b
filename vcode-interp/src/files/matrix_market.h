#pragma once

#include <cstddef>
#include <cstdint>

#include "files/file_part.h"
#include "files/file_value.h"

namespace interp {

/// An element of a matrix; row and column count from 0.
struct MatrixEntry {
  std::int64_t row, column;
  double x;
};

/// The contents of the first lines of a Matrix Market file.
struct MatrixHead {
  /// Files of symmetric matrices have no entries above the diagonal.
  enum class Symmetry : std::uint8_t { kGeneral, kSymmetric, kSkew };

  std::int64_t rows = 0, columns = 0;
  std::int64_t promised = 0;  ///< entries of the file; numbers of an array, which come column by column
  bool is_array = false;
  bool has_numbers = true;  ///< false: a pattern
  Symmetry symmetry = Symmetry::kGeneral;

  /// The numbers of an array.
  std::int64_t numbers() const;
  /// The row of the first one in a column.
  std::int64_t first_row(std::int64_t column) const;
};

/// The lines of a Matrix Market file that one of several ranks reads.
class MatrixPart {
 public:
  /// Reads part number `part` of `parts`. Throws FileError for mistakes, whose location counts from the part, and
  /// NotInParts if an entry might lie in several of them.
  MatrixPart(const FileRequest& request, const SharedFile& file, std::size_t part, std::size_t parts);

  const MatrixHead& head() const { return head_; }
  /// Entries, or numbers of an array, in these lines. Those of all parts must be as many as the head promises.
  std::int64_t count() const { return static_cast<std::int64_t>(entries_.size() + numbers_.size()); }
  /// The elements of the matrix, in the order of the file. `first`: the sum of count() of the parts before. Once.
  FileElements<MatrixEntry> take_entries(std::int64_t first);

 private:
  MatrixHead head_;
  FileElements<MatrixEntry> entries_;
  FileElements<double> numbers_;  ///< of an array
};

/// The rows from `begin` to before `end` as a value of type [[(int, float)]]; all entries lie in them.
FileValue matrix_by_rows(const FileRequest& request, FileElements<MatrixEntry> entries, std::int64_t begin,
                         std::int64_t end);

}  // namespace interp

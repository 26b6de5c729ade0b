#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "vcode/ops.h"

namespace interp {

/// One vector of a value in a file. Which of the members has the elements is what `kind` says.
struct FileVector {
  vcode::Suffix kind = vcode::Suffix::kInt;  ///< kInt, kFloat, kBool; kSegdes: `ints` has the lengths of the segments
  std::vector<std::int64_t> ints = {};       ///< characters, too: their codes, 0 to 255
  std::vector<double> floats = {};
  std::vector<std::uint8_t> bools = {};
};

/// A value of NESL as its vectors, in the order in which read_object and write_object have them: of a sequence the
/// lengths and then the elements, of a tuple one component after the other.
using FileValue = std::vector<FileVector>;

/// What a file is read as or written as.
struct FileRequest {
  std::string name;            ///< of the file
  std::string format;          ///< see file_formats.h
  std::string type;            ///< of the value, as NESL spells it: "[(int, [char])]"
  bool wide_ints = false;      ///< ints have 64 bits; else a number that needs more than 32 is an error
  std::size_t most_bytes = 0;  ///< of memory that a value that is read may take
};

/// Why a file could not be read or written. The message begins with the name of the file and, of a text, line and
/// column.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The lengths of the one sequence of all `elements`.
inline FileVector outer_sequence(std::size_t elements) {
  return {.kind = vcode::Suffix::kSegdes, .ints = {static_cast<std::int64_t>(elements)}};
}

}  // namespace interp

#pragma once

#include <cstdint>
#include <deque>
#include <memory_resource>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "vcode/op.h"

namespace interp {

/// Leaves elements without a value that a vector is resized by, for they are read into it.
template <class T>
class FileAllocator : public std::pmr::polymorphic_allocator<T> {
 public:
  using std::pmr::polymorphic_allocator<T>::polymorphic_allocator;

  template <class U>
  void construct(U* element) {
    ::new (static_cast<void*>(element)) U;
  }
  template <class U, class... Arguments>
  void construct(U* element, Arguments&&... arguments) {
    ::new (static_cast<void*>(element)) U(std::forward<Arguments>(arguments)...);
  }
};

template <class T>
using FileElements = std::vector<T, FileAllocator<T>>;
using FileBytes = FileElements<char>;

inline std::string_view view_of(const FileBytes& bytes) { return {bytes.data(), bytes.size()}; }

/// One vector of a value that is read. Which of the members has the elements is what `kind` says.
struct FileVector {
  FileVector(vcode::Suffix of, std::pmr::memory_resource& memory)
      : kind(of), ints(&memory), floats(&memory), bools(&memory) {}

  vcode::Suffix kind;               ///< kInt, kFloat, kBool; kSegdes: `ints` has the lengths of the segments
  FileElements<std::int64_t> ints;  ///< characters, too: their codes, 0 to 255
  FileElements<double> floats;
  FileElements<std::uint8_t> bools;
};

/// A value of NESL as its vectors, in the order in which read_object and write_object have them: of a sequence the
/// lengths and then the elements, of a tuple one component after the other.
using FileValue = std::deque<FileVector>;

/// One vector of a value that is written, as FileVector. The elements are the program's own where it has them so.
struct FileColumn {
  vcode::Suffix kind = vcode::Suffix::kInt;
  std::span<const std::int64_t> ints = {};
  std::span<const double> floats = {};
  std::span<const std::uint8_t> bools = {};
};
using FileColumns = std::vector<FileColumn>;

/// What is written to a file: a text, and behind it elements of a value as they are in memory.
struct FileContent {
  std::string text;
  std::string_view elements = {};
};

/// What a file is read as or written as.
struct FileRequest {
  std::string name;                     ///< of the file
  std::string format;                   ///< see file_formats.h
  std::string type;                     ///< of the value, as NESL spells it: "[(int, [char])]"
  std::vector<std::string> names = {};  ///< of the arrays or columns; for "csv", options: see file_formats.h
  bool wide_ints = false;               ///< ints have 64 bits; else a number that needs more than 32 is an error
  bool wide_floats = true;              ///< floats have 64 bits; else a number too large for 32 is an error
  std::pmr::memory_resource* memory = std::pmr::get_default_resource();  ///< for what is read; throws std::bad_alloc
};

/// Why a file could not be read or written. The message begins with the name of the file and, of a text, line and
/// column. What it quotes of the file is made printable, and short.
class FileError : public std::runtime_error {
 public:
  explicit FileError(std::string_view message)
      : std::runtime_error(base::printable(base::cut_text(message, kLongest))) {}

 private:
  static constexpr std::size_t kLongest = 500;  // bytes
};

/// Adds the lengths of the one sequence of all `elements`.
inline void add_outer_sequence(FileValue& value, const FileRequest& request, std::size_t elements) {
  value.emplace_back(vcode::Suffix::kSegdes, *request.memory).ints.push_back(static_cast<std::int64_t>(elements));
}

}  // namespace interp

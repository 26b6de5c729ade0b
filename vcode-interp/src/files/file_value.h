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

/// Allocator that leaves the new elements of a resized vector uninitialized, since a file is read into them.
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

/// One vector of a value that is read. `kind` names the member that has the elements.
struct FileVector {
  FileVector(vcode::Suffix of, std::pmr::memory_resource& memory)
      : kind(of), ints(&memory), floats(&memory), bytes(&memory) {}

  vcode::Suffix kind;  ///< kInt, kFloat, kBool, kByte; kSegdes: `ints` has the lengths of the segments
  FileElements<std::int64_t> ints;
  FileElements<double> floats;
  FileElements<std::uint8_t> bytes;  ///< of bools, 0 or 1, and of characters

  /// Whether the vector may be read as one of a kind: characters also as ints.
  bool is_for(vcode::Suffix wanted) const {
    return kind == wanted || (kind == vcode::Suffix::kByte && wanted == vcode::Suffix::kInt);
  }
  void become(vcode::Suffix wanted) {
    if (kind != wanted) ints.assign(bytes.begin(), bytes.end());
    kind = wanted;
  }
};

/// A NESL value as vectors, in the order of read_object and write_object: a sequence has its lengths and then its
/// elements, a tuple one component after the other.
using FileValue = std::deque<FileVector>;

/// One vector of a value that is written; `kind` as in FileVector. The spans refer to the program's vectors where these
/// have this width, else to copies.
struct FileColumn {
  vcode::Suffix kind = vcode::Suffix::kInt;
  std::span<const std::int64_t> ints = {};
  std::span<const double> floats = {};
  std::span<const std::uint8_t> bytes = {};
};
using FileColumns = std::vector<FileColumn>;

/// The content of a file to write: a text, followed by elements as they are in memory.
struct FileContent {
  std::string text;
  std::string_view elements = {};
};

/// File name, format and type of a value to read or write.
struct FileRequest {
  std::string name;                     ///< of the file
  std::string format;                   ///< see file_formats.h
  std::string type;                     ///< of the value, in NESL's notation: "[(int, [char])]"
  std::vector<std::string> names = {};  ///< of the arrays or columns; for "csv", options: see file_formats.h
  bool wide_ints = false;               ///< ints have 64 bits; false: a number that needs more than 32 is an error
  bool wide_floats = true;              ///< floats have 64 bits; false: a number too large for 32 is an error
  std::pmr::memory_resource* memory = std::pmr::get_default_resource();  ///< for the value; throws std::bad_alloc
};

/// Failure to read or write a file. The message begins with the name of the file and, for text formats, line and
/// column. The whole message is made printable and truncated to kLongest.
class FileError : public std::runtime_error {
 public:
  explicit FileError(std::string_view message)
      : std::runtime_error(base::printable(base::cut_text(message, kLongest))) {}

 private:
  static constexpr std::size_t kLongest = 500;  // bytes
};

/// Adds the lengths vector of an outermost sequence with this number of elements.
inline void add_outer_sequence(FileValue& value, const FileRequest& request, std::size_t elements) {
  value.emplace_back(vcode::Suffix::kSegdes, *request.memory).ints.push_back(static_cast<std::int64_t>(elements));
}

}  // namespace interp

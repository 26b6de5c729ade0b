#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "files/descriptor.h"
#include "files/file_value.h"

namespace interp {

/// First element and number of elements of a rank's part of a sequence with so many elements.
using PartOf = std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t length)>;

/// Thrown where the parts of a file cannot be read without each other, so that rank 0 has to read the whole file.
struct NotInParts {};

/// A file on a file system that the ranks of a job share, each of which reads a part of it. All functions throw
/// FileError.
class SharedFile {
 public:
  explicit SharedFile(const FileRequest& request);

  std::size_t size() const { return size_; }
  /// When the file was changed last, in nanoseconds.
  std::int64_t modified() const { return modified_; }
  FileBytes read(std::size_t begin, std::size_t length) const;
  /// The lines that begin within some bytes of the file, whole, with their ends. A line ends with LF here.
  FileBytes read_lines(std::size_t begin, std::size_t end) const;

 private:
  /// The first place from `begin` on that is behind an LF; the size of the file if there is none.
  std::size_t behind_line(std::size_t begin) const;

  const FileRequest& request_;
  const Descriptor file_;
  std::size_t size_ = 0;
  std::int64_t modified_ = 0;
};

/// A rank's lines of a text file.
struct TextPart {
  FileBytes text;
  bool is_first = true;          ///< no lines come before these
  bool is_last = true;           ///< nothing but blanks and line ends follows
  std::size_t lines_before = 0;  ///< for locations in messages

  /// Whether there is anything but blanks and line ends.
  bool has_content() const;
};

}  // namespace interp

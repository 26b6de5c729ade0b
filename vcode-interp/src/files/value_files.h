#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "files/file_memory.h"
#include "files/file_value.h"
#include "io/value_text.h"
#include "runtime/evaluator.h"

namespace interp {

/// Open files that hold one value in a format of file_formats.h. FREAD and FWRITE transfer the value vector by vector,
/// so that programs that read and write objects are independent of the format. File numbers are negative, from kFirst
/// downward, unlike those of streams.
class ValueFiles {
 public:
  static constexpr std::int64_t kFirst = -16;

  explicit ValueFiles(runtime::Evaluator& evaluator);

  /// Reads a file and returns its number. Throws FileError.
  std::int64_t open_to_read(FileRequest request);
  /// Opens a file that close() writes, and returns its number.
  std::int64_t open_to_write(FileRequest request);
  bool is_open(std::int64_t number) const { return files_.contains(number); }

  /// Removes the next vector of a file and returns it, of a descriptor its lengths; or the reason why there is none.
  ReadOutcome take(vcode::Suffix type, std::int64_t number);
  /// Adds a vector, or the lengths of a descriptor (type kSegdes), to a file. The elements must be on the host, or the
  /// host must have memory for a copy. Returns an error message, or an empty string.
  std::string add(vcode::Suffix type, const runtime::Value& elements, std::int64_t number);
  /// Throws FileError if the file cannot be written.
  void close(std::int64_t number);

  /// Moves the names of a request out of its format, where each follows a newline.
  static void take_names(FileRequest& request);

 private:
  struct Written {
    vcode::Suffix kind;
    runtime::Value elements;
  };
  struct Open {
    FileRequest request;
    bool to_write = false;
    FileValue read = {};
    std::vector<Written> written = {};
  };
  std::int64_t open(Open file);
  void write(const Open& file);
  ReadOutcome outcome(FileVector vector);
  /// A value that borrows the elements; kNone if they must be copied.
  template <class T>
  runtime::Value lent(FileElements<T>& elements, vcode::ElemType type);

  runtime::Evaluator& evaluator_;
  std::shared_ptr<FileMemory> memory_;  // shared with values that borrow elements
  std::map<std::int64_t, Open> files_;
};

}  // namespace interp

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

/// Files that hold one value in a format of its own, which FREAD and FWRITE pass on vector by vector, so that reading
/// and writing objects needs to know no format. Their numbers are below those of streams, from kFirst downward.
class ValueFiles {
 public:
  static constexpr std::int64_t kFirst = -16;

  explicit ValueFiles(runtime::Evaluator& evaluator);

  /// Reads a file; its number. Throws FileError.
  std::int64_t open_to_read(FileRequest request);
  /// A file that is written when it is closed; its number.
  std::int64_t open_to_write(FileRequest request);
  bool is_open(std::int64_t number) const { return files_.contains(number); }

  /// The next vector of a file, or why there is none.
  ReadOutcome take(vcode::Suffix type, std::int64_t number);
  /// Adds a vector to a file, or the lengths of a descriptor (type kSegdes). The host must be able to read them, or
  /// have memory to copy them. The failure's text, or nothing.
  std::string add(vcode::Suffix type, const runtime::Value& elements, std::int64_t number);
  /// Throws FileError if the file cannot be written.
  void close(std::int64_t number);

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
  /// The format of a request may have names behind it, each after the end of a line.
  static void take_names(FileRequest& request);
  std::int64_t open(Open file);
  void write(const Open& file);
  ReadOutcome outcome(FileVector vector);
  /// The elements as a value, in the memory where they are. kNone if they are to be copied.
  template <class T>
  runtime::Value lent(FileElements<T>& elements);

  runtime::Evaluator& evaluator_;
  std::shared_ptr<FileMemory> memory_;  // values may have vectors in it
  std::map<std::int64_t, Open> files_;
};

}  // namespace interp

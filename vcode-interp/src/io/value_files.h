#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "io/file_value.h"
#include "io/value_text.h"
#include "runtime/evaluator.h"

namespace interp {

/// Files that hold one value in a format of its own, which FREAD and FWRITE pass on vector by vector, so that reading
/// and writing objects needs to know no format. Their numbers are below those of streams, from kFirst downward.
class ValueFiles {
 public:
  static constexpr std::int64_t kFirst = -16;

  /// Reads a file; its number. Throws FileError.
  std::int64_t open_to_read(FileRequest request);
  /// A file that is written when it is closed; its number.
  std::int64_t open_to_write(FileRequest request);
  bool is_open(std::int64_t number) const { return files_.contains(number); }

  /// The next vector of a file, or why there is none.
  ReadOutcome take(runtime::Evaluator& evaluator, vcode::Suffix type, std::int64_t number);
  /// Adds a vector to a file, or the lengths of a descriptor (type kSegdes). The host must be able to read them, or
  /// have memory to copy them. The failure's text, or nothing.
  std::string add(runtime::Evaluator& evaluator, vcode::Suffix type, const runtime::Value& elements,
                  std::int64_t number);
  /// Throws FileError if the file cannot be written.
  void close(std::int64_t number);

 private:
  struct Open {
    FileRequest request;
    bool to_write = false;
    FileValue value = {};
    std::size_t taken = 0;
  };
  std::int64_t open(Open file);

  std::map<std::int64_t, Open> files_;
};

}  // namespace interp

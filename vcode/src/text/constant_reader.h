#pragma once

#include "token_cursor.h"

namespace vcode {

/// Reads the type and the value behind CONST.
class ConstantReader {
 public:
  explicit ConstantReader(TokenCursor& in) : in_(in) {}

  /// Returns a constant, or nothing and an error. `statement` is the span of the word CONST.
  std::optional<Constant> read(base::Span statement);

 private:
  bool read_string(Constant& constant);
  bool read_stream(Constant& constant);
  bool read_vector(Constant& constant);
  bool skip_vector();
  bool read_element(Constant& constant);
  bool read_int(Constant& constant);
  bool read_float(Constant& constant);
  bool reject_element(std::string_view rule);

  TokenCursor& in_;
};

}  // namespace vcode

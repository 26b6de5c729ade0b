#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nesl_cli {

/// Splits the bytes of a stream into the contents of JSON-RPC messages, each of which follows a header with its length:
///
///   Content-Length: 57\r\n\r\n{"jsonrpc": …
class MessageReader {
 public:
  static constexpr std::size_t kLongestHeader = 4096;
  static constexpr std::size_t kLongestContent = std::size_t(256) << 20;

  void append(std::string_view bytes) { bytes_ += bytes; }
  /// The next content; nothing if it has not arrived as a whole, or after an error.
  std::optional<std::string> next();
  /// The reason why the stream cannot be divided any further; empty if it can.
  const std::string& error() const { return error_; }
  /// True between messages.
  bool is_between() const { return bytes_.size() == at_; }

 private:
  bool read_header();
  bool fail(std::string message);

  std::string bytes_;
  std::size_t at_ = 0;  ///< bytes of bytes_ that have been returned
  std::optional<std::size_t> length_;
  std::string error_;
};

}  // namespace nesl_cli

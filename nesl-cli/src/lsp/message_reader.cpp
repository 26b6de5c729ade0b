#include "message_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostics.h"

namespace nesl_cli {

namespace {

std::string_view header_text(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

bool is_length_field(std::string_view name) {
  constexpr std::string_view kName = "content-length";
  return std::equal(name.begin(), name.end(), kName.begin(), kName.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

}  // namespace

bool MessageReader::fail(std::string message) {
  error_ = std::move(message);
  return false;
}

// Reads the lines of a header up to the empty one, once they have arrived.
bool MessageReader::read_header() {
  std::optional<std::size_t> length;
  std::size_t line = at_;
  for (std::size_t end; (end = bytes_.find('\n', line)) != bytes_.npos; line = end + 1) {
    const std::string_view text = header_text(std::string_view(bytes_).substr(line, end - line));
    if (text.empty()) {
      if (!length) return fail("a message has no Content-Length");
      at_ = end + 1;
      length_ = length;
      return true;
    }
    const std::size_t colon = text.find(':');
    if (colon == text.npos)
      return fail(
          fmt::format("a message begins with '{}', not with a header", base::printable(base::cut_text(text, 40))));
    if (!is_length_field(header_text(text.substr(0, colon)))) continue;
    const std::string_view value = header_text(text.substr(colon + 1));
    std::size_t number = 0;
    const auto [rest, status] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (value.empty() || status == std::errc::invalid_argument || rest != value.data() + value.size())
      return fail(fmt::format("the Content-Length of a message is '{}', not a number",
                              base::printable(base::cut_text(value, 40))));
    if (status != std::errc() || number > kLongestContent)
      return fail(fmt::format("a message is announced with {} bytes; the longest has {}", value, kLongestContent));
    length = number;
  }
  if (bytes_.size() - at_ > kLongestHeader)
    return fail(fmt::format("a message has no header in its first {} bytes", kLongestHeader));
  return false;
}

std::optional<std::string> MessageReader::next() {
  if (!error_.empty() || (!length_ && !read_header()) || bytes_.size() - at_ < *length_) return std::nullopt;
  std::string content = bytes_.substr(at_, *length_);
  at_ += *length_;
  length_.reset();
  // Bytes are dropped when that moves no more than it drops.
  if (at_ * 2 >= bytes_.size()) {
    bytes_.erase(0, at_);
    at_ = 0;
  }
  return content;
}

}  // namespace nesl_cli

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace nesl_cli {

/// Unit of Position::character.
enum class PositionEncoding : std::uint8_t { kUtf8, kUtf16 };

/// A position as editors count: both numbers from 0.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t character = 0;  ///< units of the encoding from the beginning of the line
  friend bool operator==(const Position&, const Position&) = default;
};
struct Range {
  Position start, end;
  friend bool operator==(const Range&, const Range&) = default;
};

/// A text with its lines, which end at \n, \r\n or \r.
class TextDocument {
 public:
  TextDocument(std::string text, PositionEncoding encoding);

  const std::string& text() const { return text_; }
  /// The offset of a position. One behind the end of its line or of the text means that end, and one inside a character
  /// the beginning of the character.
  std::uint32_t offset(Position position) const;
  /// The position of an offset; inside a character, that of its beginning.
  Position position(std::uint32_t offset) const;
  Range range(base::Span span) const { return {position(span.begin), position(span.end)}; }

  /// Replaces a range by a text, or the whole text without a range. False, and no change, if the range ends before it
  /// begins or the text gets longer than 4 GiB.
  bool replace(const std::optional<Range>& range, std::string_view text);

 private:
  void find_lines();
  std::uint32_t line_end(std::uint32_t line) const;

  std::string text_;
  PositionEncoding encoding_;
  std::vector<std::uint32_t> lines_;  ///< offsets of their beginnings
};

}  // namespace nesl_cli

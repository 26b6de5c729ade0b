#include "text_document.h"

#include <algorithm>
#include <utility>

namespace nesl_cli {

namespace {

/// Units of the character of `bytes` bytes; a byte that is part of no character counts one.
std::uint32_t units(std::size_t bytes, PositionEncoding encoding) {
  if (encoding == PositionEncoding::kUtf8) return static_cast<std::uint32_t>(std::max<std::size_t>(bytes, 1));
  return bytes == 4 ? 2 : 1;
}

}  // namespace

TextDocument::TextDocument(std::string text, PositionEncoding encoding) : text_(std::move(text)), encoding_(encoding) {
  find_lines();
}

void TextDocument::find_lines() {
  lines_.assign(1, 0);
  for (std::size_t at = 0; at < text_.size(); ++at) {
    const bool ends = text_[at] == '\n' || (text_[at] == '\r' && (at + 1 == text_.size() || text_[at + 1] != '\n'));
    if (ends) lines_.push_back(static_cast<std::uint32_t>(at + 1));
  }
}

std::uint32_t TextDocument::line_end(std::uint32_t line) const {
  auto end = static_cast<std::uint32_t>(text_.size());
  if (line + 1 == lines_.size()) return end;
  end = lines_[line + 1] - 1;
  return text_[end] == '\n' && end > lines_[line] && text_[end - 1] == '\r' ? end - 1 : end;
}

std::uint32_t TextDocument::offset(Position position) const {
  if (position.line >= lines_.size()) return static_cast<std::uint32_t>(text_.size());
  const std::uint32_t end = line_end(position.line);
  std::uint32_t at = lines_[position.line];
  for (std::uint32_t left = position.character; at < end;) {
    const std::size_t bytes = base::character_length(std::string_view(text_).substr(at, end - at));
    const std::uint32_t count = units(bytes, encoding_);
    if (left < count) break;
    left -= count;
    at += static_cast<std::uint32_t>(std::max<std::size_t>(bytes, 1));
  }
  return at;
}

Position TextDocument::position(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const auto line =
      static_cast<std::uint32_t>(std::upper_bound(lines_.begin(), lines_.end(), offset) - lines_.begin() - 1);
  Position position{line, 0};
  const std::uint32_t end = std::min(offset, line_end(line));
  for (std::uint32_t at = lines_[line]; at < end;) {
    const std::size_t bytes = base::character_length(std::string_view(text_).substr(at));
    at += static_cast<std::uint32_t>(std::max<std::size_t>(bytes, 1));
    if (at <= end) position.character += units(bytes, encoding_);
  }
  return position;
}

bool TextDocument::replace(const std::optional<Range>& range, std::string_view text) {
  const std::uint32_t begin = range ? offset(range->start) : 0;
  const std::uint32_t end = range ? offset(range->end) : static_cast<std::uint32_t>(text_.size());
  if (end < begin || text_.size() - (end - begin) + text.size() >= UINT32_MAX) return false;
  text_.replace(begin, end - begin, text);
  find_lines();
  return true;
}

}  // namespace nesl_cli

#include "base/diagnostics.h"

#include <algorithm>

#include <fmt/format.h>

namespace base {

Source::Source(std::string name, std::string text, std::uint32_t first_line, std::string_view added)
    : name_(std::move(name)), text_(std::move(text)), typed_(text_.size()), first_line_(first_line) {
  text_ += added;
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
}

Source::Position Source::position(std::uint32_t offset) const {
  auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  auto line = static_cast<std::uint32_t>(after - line_starts_.begin());
  return {first_line_ + line - 1, offset - line_starts_[line - 1] + 1};
}

std::string_view Source::line(std::uint32_t number) const {
  const std::size_t index = std::size_t(number) - first_line_;
  if (index >= line_starts_.size()) return {};
  std::size_t begin = line_starts_[index];
  std::size_t end = index + 1 < line_starts_.size() ? line_starts_[index + 1] - 1 : typed_;
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

Diagnostic& Diagnostics::error(Span span, std::string message) {
  ++errors_;
  return all_.emplace_back(Diagnostic{Severity::kError, span, std::move(message)});
}

Diagnostic& Diagnostics::warning(Span span, std::string message) {
  return all_.emplace_back(Diagnostic{Severity::kWarning, span, std::move(message)});
}

namespace {

// Long lines (a vector constant may fill megabytes) are reduced to a window around the location.
constexpr std::size_t kWindow = 100;
constexpr std::string_view kCut = "…";

/// Whether a character is U+0000 to U+001F, U+007F, or U+0080 to U+009F; terminals may obey the last range, too.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  return first < ' ' || first == 0x7F || (first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0);
}

/// Calls visit(printable text) for each character of a text, and for each byte that is not part of a character.
template <class Visit>
void for_each_shown(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, length);
    visit(length == 0 ? "?" : is_control(character) ? " " : character);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

std::size_t count_columns(std::string_view text) {
  std::size_t columns = 0;
  for_each_shown(text, [&](std::string_view) { ++columns; });
  return columns;
}

std::string render_location(const Source& source, Span span, std::string_view label, std::string_view message) {
  const Source::Position at = source.position(span.begin);
  const std::size_t begin = at.column - 1;
  return fmt::format("{}:{}:{}: {}{}\n{}", printable(source.name()), at.line, at.column, label, message,
                     show_source(source.line(at.line), begin, begin + (span.end - span.begin)));
}

}  // namespace

std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const unsigned lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < lowest || byte(1) > highest) return 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  for (std::size_t k = 2; k < length; ++k)
    if ((byte(k) & 0xC0) != 0x80) return 0;
  return length;
}

std::string printable(std::string_view text) {
  std::string shown;
  for_each_shown(text, [&](std::string_view character) { shown += character; });
  return shown;
}

std::string_view cut_text(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text;
  // The last character that begins before the limit may reach beyond it.
  for (std::size_t back = 1; back <= std::min<std::size_t>(bytes, 3); ++back)
    if (character_length(text.substr(bytes - back)) > back) return text.substr(0, bytes - back);
  return text.substr(0, bytes);
}

std::string show_source(std::string_view line, std::size_t begin, std::size_t end) {
  begin = std::min(begin, line.size());
  end = std::max(end, begin);
  const std::size_t from =
      begin > kWindow / 2 && line.size() > kWindow ? cut_text(line, begin - kWindow / 2).size() : 0;
  const std::string_view shown = cut_text(line.substr(from), kWindow);
  const std::string_view marked = line.substr(begin, std::min(end, from + shown.size()) - begin);
  std::string marker(std::max<std::size_t>(count_columns(marked), 1), '~');
  marker[0] = '^';
  const std::string_view before = from > 0 ? kCut : "", behind = from + shown.size() < line.size() ? kCut : "";
  return fmt::format("  {}{}{}\n  {:>{}}{}\n", before, printable(shown), behind, "",
                     count_columns(before) + count_columns(line.substr(from, begin - from)), marker);
}

std::string render(const Source& source, const Diagnostic& d) {
  std::string out =
      render_location(source, d.span, d.severity == Severity::kError ? "error: " : "warning: ", d.message);
  for (const Diagnostic::Note& note : d.notes)
    out += note.located ? render_location(source, note.span, "note: ", note.message)
                        : fmt::format("{}: note: {}\n", printable(source.name()), note.message);
  return out;
}

std::string render(const Source& source, const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) out += render(source, d);
  return out;
}

}  // namespace base

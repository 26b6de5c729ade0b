#include "vcode/diagnostics.h"

#include <algorithm>

#include <fmt/format.h>

namespace vcode {

Source::Source(std::string name, std::string text, std::uint32_t first_line)
    : name_(std::move(name)), text_(std::move(text)), first_line_(first_line) {
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
  std::size_t end = index + 1 < line_starts_.size() ? line_starts_[index + 1] - 1 : text_.size();
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

// Long lines (a vector constant may fill megabytes) are shown as a window around the place.
constexpr std::size_t kWindow = 100;

std::string render_place(const Source& source, Span span, std::string_view label, std::string_view message) {
  Source::Position at = source.position(span.begin);
  std::string out = fmt::format("{}:{}:{}: {}{}\n", source.name(), at.line, at.column, label, message);
  std::string_view line = source.line(at.line);
  std::size_t column = std::min<std::size_t>(at.column - 1, line.size());
  std::size_t from = column > kWindow / 2 && line.size() > kWindow ? column - kWindow / 2 : 0;
  std::string shown(line.substr(from, kWindow));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  std::size_t width = std::min<std::size_t>(std::max<std::size_t>(span.end - span.begin, 1),
                                            std::max<std::size_t>(shown.size() + from - column, 1));
  std::string marker(width, '~');
  marker[0] = '^';
  out += fmt::format("  {}\n  {:>{}}{}\n", shown, "", column - from, marker);
  return out;
}

}  // namespace

std::string render(const Source& source, const Diagnostic& d) {
  std::string out = render_place(source, d.span, d.severity == Severity::kError ? "error: " : "warning: ", d.message);
  for (const Diagnostic::Note& note : d.notes)
    out += note.located ? render_place(source, note.span, "note: ", note.message)
                        : fmt::format("{}: note: {}\n", source.name(), note.message);
  return out;
}

std::string render(const Source& source, const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) out += render(source, d);
  return out;
}

}  // namespace vcode

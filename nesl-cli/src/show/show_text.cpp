// Steps as text:
//
//   2  x * x                                                            loop 1
//      {x * x : x in [1, 2, 3]}
//       ^~~~~
//      [1, 4, 9] : [int]
//      for 3 instances at once
//      x in [1, 2, 3] | 3     |
//      int            | 1 4 9 |
#include <algorithm>

#include <fmt/format.h>

#include "nested_text.h"
#include "showing.h"
#include "strip.h"

namespace nesl_cli {

namespace {

constexpr std::size_t kLongestValue = 300;
constexpr std::size_t kLongestLabel = 24;
constexpr std::size_t kIndent = 5;
/// Foreground colours of segments, as numbers of ANSI sequences.
constexpr int kColours[] = {36, 33, 32, 35, 34, 31};

/// Number of columns on a terminal, if each character takes one.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t columns) {
  std::string result(text);
  result.append(columns - std::min(columns, width(text)), ' ');
  return result;
}

class StripText {
 public:
  StripText(const Strip& strip, bool colours) : strip_(strip), colours_(colours), widths_(strip.columns, 1) {
    for (const StripRow& row : strip.rows) label_width_ = std::max(label_width_, width(label(row)));
    for (const bool wide : {false, true})
      for (const StripRow& row : strip.rows) fit(row, wide);
  }

  std::string run() const {
    std::string text;
    for (std::size_t row = 0; row < strip_.rows.size(); ++row) text += row_text(row);
    return text;
  }

 private:
  static std::string label(const StripRow& row) {
    const std::string text = base::printable(row.label);
    if (text.size() <= kLongestLabel) return text;
    return std::string(base::cut_text(text, kLongestLabel - 1)) + kCutText;
  }

  /// Widens columns for the cells of a row: those of one column, or with `wide` the others.
  void fit(const StripRow& row, bool wide) {
    std::size_t column = 0;
    for (const Cell& cell : row.cells) {
      const std::size_t end = column + cell.columns;
      if ((cell.columns > 1) == wide) {
        const std::size_t have = columns_width(column, end), needs = width(cell.text);
        if (needs > have) widths_[end - 1] += needs - have;
      }
      column = end;
    }
  }
  /// Width of columns and of the blanks or bars between them.
  std::size_t columns_width(std::size_t begin, std::size_t end) const {
    std::size_t sum = (end - begin - 1) * 3;
    for (std::size_t k = begin; k < end; ++k) sum += widths_[k];
    return sum;
  }

  std::string row_text(std::size_t number) const {
    const StripRow& row = strip_.rows[number];
    std::string text = std::string(kIndent, ' ') + padded(label(row), label_width_) + " |";
    std::size_t column = 0;
    for (std::size_t k = 0; k < row.cells.size(); ++k) {
      const Cell& cell = row.cells[k];
      const std::size_t end = column + cell.columns;
      const std::string shown = padded(cell.text, columns_width(column, end));
      text += " " + (colours_ && cell.state == Cell::State::kUsual ? coloured(shown, cell) : shown) + " ";
      text += row.kind != StripRow::Kind::kElements || ends_segment(end) ? "|" : " ";
      column = end;
    }
    if (row.cells.empty()) text += " |";
    return text + "\n";
  }

  static std::string coloured(const std::string& text, const Cell& cell) {
    return fmt::format("\x1b[{}{}m{}\x1b[0m", cell.shade ? "1;" : "", kColours[cell.colour % std::size(kColours)],
                       text);
  }

  /// Whether a cell of the last row that is not of elements ends at a column.
  bool ends_segment(std::size_t column) const {
    const StripRow* segments = nullptr;
    for (const StripRow& row : strip_.rows)
      if (row.kind == StripRow::Kind::kLengths) segments = &row;
    std::size_t end = 0;
    if (segments != nullptr)
      for (const Cell& cell : segments->cells)
        if ((end += cell.columns) == column) return true;
    return column == strip_.columns;
  }

  const Strip& strip_;
  const bool colours_;
  std::vector<std::size_t> widths_;
  std::size_t label_width_ = 0;
};

std::string source_text(const nesl::WatchPoint& point) {
  const base::Source& source = *point.place.source;
  const base::Source::Position begin = source.position(point.place.span.begin);
  const std::size_t first = begin.column - 1, size = point.place.span.end - point.place.span.begin;
  std::string text;
  std::string lines = base::show_source(source.line(begin.line), first, first + size);
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    text += std::string(kIndent - 2, ' ') + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

}  // namespace

std::string show_text(const Showing& showing, bool colours) {
  constexpr std::size_t kLine = 78;
  std::string text;
  for (std::size_t k = 0; k < showing.steps.size(); ++k) {
    const Step& step = showing.steps[k];
    std::string head = fmt::format("{:>3}  {}", k + 1, step_title(step));
    std::string loops;
    for (const std::size_t loop : loops_of(showing, step))
      loops += fmt::format("{} {}", loops.empty() ? "" : ",", loop);
    if (!loops.empty()) {
      loops = "loop" + loops;
      head = padded(head, std::max(width(head) + 2, kLine - width(loops))) + loops;
    }
    text += (colours ? "\x1b[1m" + head + "\x1b[0m" : head) + "\n" + source_text(*step.point);
    text += fmt::format("     {} : {}\n", nested_text(step, kLongestValue), nested_type(step));
    if (const std::string context = step_context(step); !context.empty()) text += fmt::format("     {}\n", context);
    for (const Strip& strip : strips_of(step)) text += StripText(strip, colours).run();
    text += "\n";
  }
  if (const std::string omission = omission_text(showing); !omission.empty()) text += omission + "\n\n";
  for (std::size_t k = 0; k < showing.loops.size(); ++k) {
    const FusedLoop& loop = showing.loops[k];
    text += fmt::format("loop {}: -O2 fuses {} operations{}{}\n", k + 1, loop.operations,
                        loop.function.empty() ? "" : " in ", loop.function);
    for (const nesl::Place& place : loop.places) text += fmt::format("     {}\n", place_text(place, kLine - kIndent));
  }
  if (!showing.loops.empty()) text += "\n";
  return text;
}

}  // namespace nesl_cli

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "profile/shown_rows.h"

namespace interp {

namespace {

/// Widths of the first column, and of the source text in the last one.
constexpr std::size_t kNameWidth = 28, kMostNameWidth = 48, kTextWidth = 60;

/// Text with blanks up to a number of columns, one for each character.
std::string padded(const std::string& text, std::size_t columns) {
  std::size_t used = 0;
  for (const char c : text) used += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return text + std::string(used < columns ? columns - used : 1, ' ');
}

std::string table_of(const std::string& title, const std::map<std::string, ProfileRow>& rows) {
  std::string out =
      fmt::format("{:<28}{:>12}{:>16}{:>18}{:>12}{:>9}\n", title, "count", "elements", "bytes", "ms", "GB/s");
  const auto line = [&](const std::string& name, const ProfileRow& row) {
    out += padded(name, kNameWidth) + fmt::format("{:>12}{:>16}{:>18}{:>12.3f}{:>9.2f}\n", row.count, row.elements,
                                                  row.bytes, row.seconds * 1e3, bytes_per_second(row) / 1e9);
  };
  for (const auto* entry : by_seconds(rows, identity_row)) line(entry->first, entry->second);
  line("total", total_of(rows, identity_row));
  return out;
}

std::string place_of(const Profile::Line& line) {
  return line.file.empty() ? "(unknown)" : base::printable(fmt::format("{}:{}", line.file, line.number));
}

std::string shown_text(const Profile::Line& line, const ProfileContext& context) {
  if (!context.source_line || line.file.empty()) return "";
  std::string text = base::printable(context.source_line(line.file, line.number));
  text.erase(0, text.find_first_not_of(' '));
  if (text.size() <= kTextWidth) return text;
  return std::string(base::cut_text(text, kTextWidth - 1)) + "…";
}

std::string table_of_lines(const Profile& profile, const ProfileContext& context) {
  const Profile::Lines& lines = profile.lines();
  std::size_t width = kNameWidth;
  for (const auto& [place, line] : lines) {
    width = std::max(width, place_of(line).size() + 2);
    for (const auto& [name, kernel] : line.kernels) width = std::max(width, kernel_text(name, kernel).size() + 4);
  }
  width = std::min(width, kMostNameWidth);
  const ProfileRow total = total_of(lines, row_of_line);
  std::string out = padded("line", width) + fmt::format("{:>10}{:>14}{:>16}{:>12}{:>7}{:>9}{:>7}\n", "calls",
                                                        "elements", "bytes", "ms", "%", "GB/s", "share");
  const auto add = [&](const std::string& name, const ProfileRow& row, const std::string& text) {
    out += padded(name, width) + fmt::format("{:>10}{:>14}{:>16}{:>12.3f}{:>7.1f}{:>9.2f}{:>7}{}{}\n", row.count,
                                             row.elements, row.bytes, row.seconds * 1e3, percent_of(row, total),
                                             bytes_per_second(row) / 1e9, bandwidth_share(row, context.bandwidth),
                                             text.empty() ? "" : "  ", text);
  };
  for (const auto* entry : by_seconds(lines, row_of_line)) {
    const Profile::Line& line = entry->second;
    add(place_of(line), line.all, shown_text(line, context));
    for (const auto* kernel : by_seconds(line.kernels, row_of_kernel))
      add("  " + kernel_text(kernel->first, kernel->second), kernel->second.row, "");
  }
  add("total", total, "");
  if (context.bandwidth > 0)
    out += fmt::format("share: of the {:.1f} GB/s at which this machine adds long vectors\n", context.bandwidth / 1e9);
  return out;
}

}  // namespace

std::string profile_table(const Profile& profile, const ProfileContext& context) {
  std::string out = table_of_lines(profile, context) + "\n" + table_of("function (own work)", profile.functions()) +
                    "\n" + table_of("instruction", profile.instructions());
  if (!profile.kernels().empty()) out += fmt::format("\n{:<28}native code\n", "kernel");
  for (const auto& [name, native] : profile.kernels()) out += fmt::format("{:<28}{}\n", name, native);
  return out;
}

}  // namespace interp

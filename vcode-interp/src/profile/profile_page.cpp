#include <cmath>

#include <fmt/format.h>

#include "base/markup.h"
#include "profile/shown_rows.h"

namespace interp {

namespace {

constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>NESL profile</title>
<style>
:root { color-scheme: light dark; --faint: #777; --rule: #8884; }
body { font: 15px/1.4 system-ui, sans-serif; margin: 1.5rem auto; max-width: 90rem; padding: 0 1rem; }
table { border-collapse: collapse; font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
th { text-align: right; font-weight: 600; border-bottom: 1px solid var(--rule); position: sticky; top: 0; background: Canvas; }
td, th { padding: 0 .6em; white-space: pre; text-align: right; }
td.text, th.text { text-align: left; }
td.number { color: var(--faint); }
tr.kernel td { color: var(--faint); font-size: 12px; }
tr.total td { border-top: 1px solid var(--rule); }
tr:hover td { box-shadow: inset 0 0 0 100px #8882; }
</style>
</head>
<body>
<h1>NESL profile</h1>
)";

/// Cells of figures, the last of which is the share of the bandwidth.
std::string cells(const ProfileRow& row, const ProfileRow& total, const ProfileContext& context) {
  return fmt::format("<td>{:.3f}</td><td>{:.1f}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.2f}</td><td>{}</td>",
                     row.seconds * 1e3, percent_of(row, total), row.count, row.elements, row.bytes,
                     bytes_per_second(row) / 1e9, bandwidth_share(row, context.bandwidth));
}

constexpr const char* kFigures =
    "<th scope=\"col\">ms</th><th scope=\"col\">%</th><th scope=\"col\">calls</th><th scope=\"col\">elements</th>"
    "<th scope=\"col\">bytes</th><th scope=\"col\">GB/s</th><th scope=\"col\">share</th>";
constexpr const char* kNoFigures = "<td></td><td></td><td></td><td></td><td></td><td></td><td></td>";

/// Colour of a line. The root shows that lines of a few percent are not cold.
std::string heat(const ProfileRow& row, const ProfileRow& total) {
  const double share = percent_of(row, total) / 100;
  return share < 0.0005 ? "" : fmt::format(" style=\"background:rgba(240,80,0,{:.3f})\"", 0.75 * std::sqrt(share));
}

/// The number of the last line to show: the last with figures, or if the text goes on there, its end.
std::uint32_t last_line(const std::string& file, std::uint32_t last, const ProfileContext& context) {
  // Lines behind the end are empty like empty lines; a text ends where there are many of them.
  constexpr std::uint32_t kEmptyLines = 100;
  if (!context.source_line) return last;
  for (std::uint32_t number = last + 1; number - last <= kEmptyLines; ++number)
    if (!context.source_line(file, number).empty()) last = number;
  return last;
}

/// The kernels that compute a line and count at another one, as text for each line of a file.
std::map<std::uint32_t, std::string> kernels_elsewhere(const Profile& profile, const std::string& file) {
  std::map<std::uint32_t, std::string> found;
  for (const auto& [place, line] : profile.lines()) {
    if (line.file != file) continue;
    for (const auto& [name, kernel] : line.kernels)
      for (const std::uint32_t other : kernel.lines)
        if (other != line.number)
          found[other] += fmt::format("{}{} at line {}", found[other].empty() ? "in " : ", ", name, line.number);
  }
  return found;
}

std::string table_of_file(const Profile& profile, const std::string& file, const ProfileRow& total,
                          const ProfileContext& context) {
  std::map<std::uint32_t, const Profile::Line*> lines;
  for (const auto& [place, line] : profile.lines())
    if (line.file == file) lines[line.number] = &line;
  const std::map<std::uint32_t, std::string> elsewhere = kernels_elsewhere(profile, file);
  const bool has_text = context.source_line && !file.empty();
  const std::uint32_t first = has_text ? 1 : lines.begin()->first;
  const std::uint32_t last = last_line(file, lines.rbegin()->first, context);
  std::string out = fmt::format(
      "<h2>{}</h2>\n<table>\n<thead><tr><th scope=\"col\">line</th>{}<th scope=\"col\" "
      "class=\"text\">source</th></tr></thead>\n<tbody>\n",
      file.empty() ? "place unknown" : base::markup(file), kFigures);
  for (std::uint32_t number = first; number <= last; ++number) {
    const auto found = lines.find(number);
    const Profile::Line* const line = found == lines.end() ? nullptr : found->second;
    if (line == nullptr && !has_text) continue;
    out += fmt::format("<tr{}><td class=\"number\">{}</td>{}<td class=\"text\">{}</td></tr>\n",
                       line == nullptr ? "" : heat(line->all, total), number,
                       line == nullptr ? kNoFigures : cells(line->all, total, context),
                       has_text ? base::markup(context.source_line(file, number)) : "");
    if (const auto others = elsewhere.find(number); others != elsewhere.end())
      out += fmt::format("<tr class=\"kernel\"><td></td>{}<td class=\"text\">  {}</td></tr>\n", kNoFigures,
                         base::markup(others->second));
    if (line == nullptr) continue;
    for (const auto* kernel : by_seconds(line->kernels, row_of_kernel)) {
      const auto native = profile.kernels().find(kernel->first);
      out += fmt::format("<tr class=\"kernel\"><td></td>{}<td class=\"text\">  {}{}</td></tr>\n",
                         cells(kernel->second.row, total, context),
                         base::markup(kernel_text(kernel->first, kernel->second)),
                         native == profile.kernels().end() ? "" : base::markup(": " + native->second));
    }
  }
  return out + "</tbody>\n</table>\n";
}

std::string table_of_rows(const char* title, const std::map<std::string, ProfileRow>& rows,
                          const ProfileContext& context) {
  const ProfileRow total = total_of(rows, identity_row);
  std::string out = fmt::format(
      "<table>\n<thead><tr><th scope=\"col\" class=\"text\">{}</th>{}</tr></thead>\n<tbody>\n", title, kFigures);
  for (const auto* entry : by_seconds(rows, identity_row))
    out += fmt::format("<tr{}><td class=\"text\">{}</td>{}</tr>\n", heat(entry->second, total),
                       base::markup(entry->first), cells(entry->second, total, context));
  return out + fmt::format("<tr class=\"total\"><td class=\"text\">total</td>{}</tr>\n</tbody>\n</table>\n",
                           cells(total, total, context));
}

}  // namespace

std::string profile_page(const Profile& profile, const ProfileContext& context) {
  const ProfileRow total = total_of(profile.lines(), row_of_line);
  std::string out = kHead;
  out += fmt::format("<p>{:.3f} ms in {} operations and kernels on {} elements; {} bytes moved, {:.2f} GB/s.",
                     total.seconds * 1e3, total.count, total.elements, total.bytes, bytes_per_second(total) / 1e9);
  if (context.bandwidth > 0)
    out += fmt::format(" The share is that of the {:.1f} GB/s at which this machine adds long vectors.",
                       context.bandwidth / 1e9);
  out += " Times of several threads are added up. A kernel counts at the line of its last operation.</p>\n";
  // The most expensive file first.
  std::map<std::string, ProfileRow> files;
  for (const auto& [place, line] : profile.lines()) files[line.file] += line.all;
  for (const auto* file : by_seconds(files, identity_row)) out += table_of_file(profile, file->first, total, context);
  out += "<h2>Functions</h2>\n" + table_of_rows("function, own work", profile.functions(), context);
  out += "<details><summary>Instructions</summary>\n" + table_of_rows("instruction", profile.instructions(), context) +
         "</details>\n";
  return out + "</body>\n</html>\n";
}

}  // namespace interp

// Steps as HTML. Without JavaScript, all steps are there, one below the other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/diagnostics.h"
#include "base/markup.h"
#include "nested_text.h"
#include "page_parts.h"
#include "showing.h"
#include "strip.h"

namespace nesl_cli {

namespace {

constexpr std::size_t kLongestValue = 2000;
constexpr std::size_t kColours = 8;
/// Bytes of source that are shown before the beginning of a place, and from there.
constexpr std::size_t kSourceBefore = 2000, kSourceBehind = 4000;

/// Markup of a text, on one line.
std::string escaped_line(std::string_view text) { return base::markup(base::printable(text)); }

/// The whole lines around the text of a point, with its place marked.
std::string source_html(const nesl::WatchPoint& point) {
  const std::string_view text = point.place.source->text();
  const base::Span span = point.place.span;
  const std::size_t from = std::min(point.text.begin, span.begin), to = std::max(point.text.end, span.end);
  const std::size_t before = from == 0 ? text.npos : text.rfind('\n', from - 1);
  const std::size_t begin = before == text.npos ? 0 : before + 1;
  std::size_t end = std::min(text.find('\n', to), text.size());
  while (end > to && point.place.source->is_added(static_cast<std::uint32_t>(end - 1))) --end;
  // Of a long text, the part around the beginning of the place.
  const std::size_t first = span.begin - begin > kSourceBefore ? span.begin - kSourceBefore : begin;
  const std::string_view rest = base::cut_text(text.substr(span.begin, end - span.begin), kSourceBehind);
  const std::string_view marked = rest.substr(0, span.end - span.begin);
  return fmt::format("<pre class=\"source\"><code>{}{}<mark>{}</mark>{}{}</code></pre>", first > begin ? kCutText : "",
                     base::markup(text.substr(first, span.begin - first)), base::markup(marked),
                     base::markup(rest.substr(marked.size())), span.begin + rest.size() < end ? kCutText : "");
}

std::string cell_html(const StripRow& row, const Cell& cell) {
  static constexpr const char* kStates[] = {"", "left-out", "nothing", "cut"};
  const bool is_usual = cell.state == Cell::State::kUsual;
  static constexpr const char* kKinds[] = {"lengths", "flags", "elements"};
  std::string classes = kKinds[static_cast<int>(row.kind)];
  if (is_usual)
    classes += fmt::format(" c{}{}", cell.colour % kColours, cell.shade ? " shade" : "");
  else
    classes += fmt::format(" {}", kStates[static_cast<int>(cell.state)]);
  const std::string span = cell.columns == 1 ? "" : fmt::format(" colspan=\"{}\"", cell.columns);
  return fmt::format("<td class=\"{}\"{}>{}</td>", classes, span, escaped_line(cell.text));
}

std::string strip_html(const Strip& strip) {
  std::string html = "<div class=\"scroll\" tabindex=\"0\"><table class=\"strip\"><tbody>";
  for (const StripRow& row : strip.rows) {
    html += fmt::format("<tr><th scope=\"row\"><span class=\"label\">{}</span><span class=\"size\"> {}</span></th>",
                        escaped_line(row.label), row.length);
    for (const Cell& cell : row.cells) html += cell_html(row, cell);
    html += "</tr>";
  }
  return html + "</tbody></table></div>";
}

std::string loop_badge(std::size_t loop) { return fmt::format("<span class=\"badge\">loop {}</span>", loop); }

std::string step_html(const Showing& showing, std::size_t k) {
  const Step& step = showing.steps[k];
  std::string html = fmt::format("<section class=\"step\" aria-label=\"step {}\"><h3>{}. <code>{}</code>", k + 1, k + 1,
                                 escaped_line(step_title(step)));
  for (const std::size_t loop : loops_of(showing, step)) html += fmt::format(" {}", loop_badge(loop));
  html += fmt::format("</h3>{}", source_html(*step.point));
  html += fmt::format("<p class=\"value\"><code>{}</code> <span class=\"type\">: {}</span></p>",
                      escaped_line(nested_text(step, kLongestValue)), escaped_line(nested_type(step)));
  if (const std::string context = step_context(step); !context.empty())
    html += fmt::format("<p class=\"context\">{}</p>", escaped_line(context));
  for (const Strip& strip : strips_of(step)) html += strip_html(strip);
  return html + "</section>\n";
}

std::string list_html(const Showing& showing) {
  std::string html = "<ol class=\"list\">";
  for (const Step& step : showing.steps)
    html += fmt::format("<li><button type=\"button\" data-loops=\"{}\" style=\"padding-left:{}em\">{}</button></li>",
                        fmt::join(loops_of(showing, step), " "),
                        0.4 + 0.8 * static_cast<double>(std::min<std::size_t>(step.recursion, 12)),
                        escaped_line(step_title(step)));
  return html + "</ol>";
}

std::string fusion_html(const Showing& showing) {
  if (showing.loops.empty()) return "";
  std::string html = "<details class=\"fusion\" open><summary>Fusion: what becomes one loop with -O2</summary><ul>";
  for (std::size_t k = 0; k < showing.loops.size(); ++k) {
    const FusedLoop& loop = showing.loops[k];
    html += fmt::format("<li>{} {} operations{}{}:", loop_badge(k + 1), loop.operations,
                        loop.function.empty() ? "" : " in ", escaped_line(loop.function));
    for (const nesl::Place& place : showing.loops[k].places)
      html += fmt::format(" <code>{}</code>", escaped_line(place_text(place)));
    html += "</li>";
  }
  return html + "</ul></details>";
}

}  // namespace

std::string show_fragment(const Showing& showing) {
  std::string html = fmt::format("<div class=\"nesl-show\"><style>{}</style>\n<h2><code>{}</code></h2>\n", kPageStyle,
                                 escaped_line(showing.title));
  html += kPageControls;
  html += "<div class=\"columns\"><nav aria-label=\"steps\">" + list_html(showing) + "</nav><div class=\"steps\">\n";
  for (std::size_t k = 0; k < showing.steps.size(); ++k) html += step_html(showing, k);
  html += "</div></div>";
  if (const std::string omission = omission_text(showing); !omission.empty())
    html += fmt::format("<p class=\"omitted\">{}</p>", escaped_line(omission));
  html += fusion_html(showing);
  if (!showing.result.empty())
    html += fmt::format("<p class=\"result\"><code>{}</code></p>", escaped_line(showing.result));
  if (!showing.failure.empty())
    html += fmt::format("<pre class=\"failure\" role=\"alert\">{}</pre>", base::markup(showing.failure));
  return html + fmt::format("<script>{}</script></div>\n", kPageScript);
}

std::string show_page(const Showing& showing) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>nesl show {}</title><style>body {{ margin:1rem; }} @media (prefers-color-scheme: dark) "
      "{{ :root {{ color-scheme:dark; }} body {{ background:#14181d; }} "
      "}}</style></head><body>\n<main>{}</main></body></html>\n",
      escaped_line(showing.title), show_fragment(showing));
}

}  // namespace nesl_cli

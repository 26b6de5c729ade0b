#include "cost_plot.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "base/markup.h"

namespace nesl_cli {

namespace {

constexpr double kWidth = 720, kHeight = 480;
constexpr double kLeft = 70, kRight = 500, kTop = 50, kBottom = 420;

/// A curve. Colours that people who are colour-blind can tell apart, and a mark for each.
struct Curve {
  std::size_t column;
  const char* label;
  const char* colour;
  const char* mark;  ///< an SVG path around the origin
};
constexpr Curve kCurves[] = {
    {0, "work", "#0072b2", "M-4,-4h8v8h-8z"},
    {4, "elements moved", "#009e73", "M0,-5L5,4H-5z"},
    {3, "vector operations", "#d55e00", "M0,-5L5,0L0,5L-5,0z"},
    {1, "depth", "#cc79a7", "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0"},
};

/// Powers of ten that enclose the values on an axis.
struct Axis {
  int low = 0, high = 1;
  void include(double value) {
    const double power = std::log10(value);
    const int below = static_cast<int>(std::floor(power)), above = static_cast<int>(std::ceil(power));
    low = is_empty ? below : std::min(low, below);
    high = std::max({is_empty ? above : high, above, low + 1});
    is_empty = false;
  }
  double part(double value) const { return (std::log10(value) - low) / (high - low); }
  bool is_empty = true;
};

std::string power_of_ten(int power) { return fmt::format("10<tspan dy=\"-5\" font-size=\"9\">{}</tspan>", power); }

}  // namespace

std::string cost_plot(const CostReport& report) {
  Axis x_axis, y_axis;
  const auto is_drawn = [](const CostRow& row, const Curve& curve) {
    return row.size && *row.size > 0 && cost_columns[curve.column].figure(row) > 0;
  };
  for (const CostRow& row : report.rows)
    for (const Curve& curve : kCurves)
      if (is_drawn(row, curve)) {
        x_axis.include(static_cast<double>(*row.size));
        y_axis.include(cost_columns[curve.column].figure(row));
      }
  const auto x_of = [&](double n) { return kLeft + x_axis.part(n) * (kRight - kLeft); };
  const auto y_of = [&](double y) { return kBottom - y_axis.part(y) * (kBottom - kTop); };
  constexpr std::size_t kLongest = 100;  // bytes that fit into the width of the picture
  const std::string text = base::printable(report.expression), shown(base::cut_text(text, kLongest));
  const std::string title = base::markup(shown.size() < text.size() ? shown + "…" : shown);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "aria-labelledby=\"title\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<title id=\"title\">Cost of {2} as a function of n</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"{3}\" y=\"28\" font-size=\"14\">{2}</text>\n",
      kWidth, kHeight, title, kLeft);
  for (int power = x_axis.low; power <= x_axis.high; ++power) {
    const double x = x_of(std::pow(10.0, power));
    svg += fmt::format(
        "<path d=\"M{0:.1f},{1}V{2}\" stroke=\"#ddd\"/>\n<text x=\"{0:.1f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        x, kTop, kBottom, kBottom + 20, power_of_ten(power));
  }
  // At most about ten labels.
  const int step = (y_axis.high - y_axis.low + 9) / 10;
  for (int power = y_axis.low; power <= y_axis.high; power += step) {
    const double y = y_of(std::pow(10.0, power));
    svg += fmt::format(
        "<path d=\"M{1},{0:.1f}H{2}\" stroke=\"#ddd\"/>\n<text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5}</text>\n",
        y, kLeft, kRight, kLeft - 8, y + 4, power_of_ten(power));
  }
  svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">n</text>\n", (kLeft + kRight) / 2, kBottom + 42);
  double legend = kTop + 10;
  for (const Curve& curve : kCurves) {
    std::string line, marks;
    for (const CostRow& row : report.rows)
      if (is_drawn(row, curve)) {
        const double x = x_of(static_cast<double>(*row.size)), y = y_of(cost_columns[curve.column].figure(row));
        line += fmt::format("{}{:.1f},{:.1f}", line.empty() ? 'M' : 'L', x, y);
        marks += fmt::format("<path d=\"{}\" transform=\"translate({:.1f},{:.1f})\" fill=\"{}\"/>\n", curve.mark, x, y,
                             curve.colour);
      }
    const std::optional<Fit> fit = report.fit(cost_columns[curve.column]);
    if (!line.empty()) svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\"/>\n", line, curve.colour);
    svg += marks;
    svg += fmt::format(
        "<path d=\"{}\" transform=\"translate({},{})\" fill=\"{}\"/>\n<text x=\"{}\" y=\"{}\">{}{}</text>\n",
        curve.mark, kRight + 20, legend - 4, curve.colour, kRight + 32, legend, curve.label,
        fit ? ": " + fit->order : "");
    legend += 22;
  }
  return svg + "</svg>\n";
}

}  // namespace nesl_cli

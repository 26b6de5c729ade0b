// Plots, as SVG or PNG according to the file name: `plot` draws lines, `scatter` points, `histogram` bars. The value is
// a tuple of the data, for a histogram the number of bars, and three strings: title and labels of the axes. The data of
// a histogram are a sequence of numbers. Other data are numbers (drawn against their index) or points (x, y), in one
// sequence or in a sequence of sequences, one curve each.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <fmt/format.h>

#include "files/file_formats.h"
#include "files/plplot_library.h"

namespace interp {

namespace {

constexpr std::int32_t kWidth = 720, kHeight = 540;  // pixels
constexpr std::int64_t kMostBars = 10000;

struct Color {
  std::int32_t red, green, blue;
};
constexpr std::int32_t kBlack = 1, kFirstOfCurves = 2;
/// Colors that colour-blind people can distinguish: https://jfly.uni-koeln.de/color/
constexpr std::array<Color, 7> kCurveColors = {
    {{0, 114, 178}, {213, 94, 0}, {0, 158, 115}, {204, 121, 167}, {230, 159, 0}, {86, 180, 233}, {120, 120, 120}}};

struct Curve {
  std::vector<double> x, y;
};

/// The interval of numbers on an axis.
struct Range {
  double low = 0, high = 0;
  bool is_empty = true;

  void include(double x) {
    low = is_empty ? x : std::min(low, x);
    high = is_empty ? x : std::max(high, x);
    is_empty = false;
  }
  /// The interval, widened if it is too narrow for a scale.
  Range widened() const {
    const double room = 1e-9 * std::max(std::abs(low), std::abs(high));
    if (!is_empty && high - low > room) return *this;
    return {low - room - 0.5, high + room + 0.5, false};
  }
  /// The interval with margins, given as fractions of its width.
  Range with_margins(double below, double above) const {
    return {low - below * (high - low), high + above * (high - low), false};
  }
};

struct Plot {
  std::vector<Curve> curves;
  Range x = {}, y = {};
  std::string title, x_label, y_label;
};

/// Encodes a text for PLplot: UTF-8 in which # begins an escape.
std::string text_of(const FileColumn& codes) {
  std::string text;
  for (const char c : base::printable(std::string(codes.bytes.begin(), codes.bytes.end())))
    text.append(c == '#' ? 2 : 1, c);
  return text;
}

double number_at(const FileRequest& request, const FileColumn& numbers, std::size_t k) {
  if (numbers.kind != vcode::Suffix::kFloat) return static_cast<double>(numbers.ints[k]);
  const double x = numbers.floats[k];
  constexpr double kMost = 1e300;  // keeps the width of an axis finite
  if (!(std::abs(x) <= kMost)) fail_file(request, fmt::format("element {} is {}, which has no place in a plot", k, x));
  return x;
}

/// The curves of data of a type: [int], [(int, float)], [[float]] and so on. The last columns are those of the texts.
std::vector<Curve> curves_of(const FileRequest& request, std::string_view type, const FileColumns& value) {
  if (!type.starts_with('[')) refuse_type(request);
  const bool several = type.starts_with("[[");
  const std::size_t brackets = several ? 2 : 1;
  std::string_view element = type.substr(brackets, type.size() - 2 * brackets);
  const bool points = element.starts_with('(');
  if (points) element = element.substr(1, element.size() - 2);
  const std::size_t comma = std::min(element.find(", "), element.size());
  const auto is_number = [](std::string_view t) { return t == "int" || t == "float"; };
  if (!is_number(element.substr(0, comma)) || points != (comma < element.size()) ||
      (points && !is_number(element.substr(comma + 2))))
    refuse_type(request);
  const std::span<const std::int64_t> lengths = value[brackets - 1].ints;
  std::vector<Curve> curves;
  std::size_t at = 0;
  for (const std::int64_t length : lengths) {
    if (length > INT32_MAX) fail_file(request, fmt::format("a curve of {} points is too long to be drawn", length));
    Curve& curve = curves.emplace_back();
    for (std::int64_t k = 0; k < length; ++k, ++at) {
      curve.x.push_back(points ? number_at(request, value[brackets], at) : static_cast<double>(k));
      curve.y.push_back(number_at(request, value[points ? brackets + 1 : brackets], at));
    }
  }
  return curves;
}

/// The outlines of a histogram's bars, one curve each.
std::vector<Curve> bars_of(const FileRequest& request, const std::vector<double>& numbers, std::int64_t count) {
  if (count < 1 || count > kMostBars)
    fail_file(request, fmt::format("a histogram has 1 to {} bars, not {}", kMostBars, count));
  Range range;
  for (const double x : numbers) range.include(x);
  range = range.widened();
  const double width = (range.high - range.low) / static_cast<double>(count);
  std::vector<double> heights(static_cast<std::size_t>(count));
  for (const double x : numbers)
    ++heights[std::min(static_cast<std::size_t>((x - range.low) / width), heights.size() - 1)];
  std::vector<Curve> bars;
  for (std::size_t k = 0; k < heights.size(); ++k) {
    const double left = range.low + static_cast<double>(k) * width, right = left + width;
    bars.push_back({{left, left, right, right}, {0, heights[k], heights[k], 0}});
  }
  return bars;
}

Plot plot_of(const FileRequest& request, const FileColumns& value) {
  const bool is_histogram = request.format == "histogram";
  const std::string_view behind = is_histogram ? ", int, [char], [char], [char]" : ", [char], [char], [char]";
  std::string_view type = request.type;
  if (!type.ends_with(behind)) refuse_type(request);
  type.remove_suffix(behind.size());
  if (is_histogram && type != "[int]" && type != "[float]") refuse_type(request);
  const std::size_t texts = value.size() - 6;  // the last six columns: three texts, each a length and characters
  Plot plot{.curves = curves_of(request, type, value),
            .title = text_of(value[texts + 1]),
            .x_label = text_of(value[texts + 3]),
            .y_label = text_of(value[texts + 5])};
  if (is_histogram) plot.curves = bars_of(request, plot.curves[0].y, value[2].ints[0]);
  for (const Curve& curve : plot.curves) {
    for (const double x : curve.x) plot.x.include(x);
    for (const double y : curve.y) plot.y.include(y);
  }
  constexpr double kMargin = 0.04;
  plot.x = plot.x.widened().with_margins(kMargin, kMargin);
  plot.y = plot.y.widened().with_margins(is_histogram ? 0 : kMargin, kMargin);
  return plot;
}

/// Throws FileError, without the name of a file, if PLplot cannot write PNG.
void require_png(const PlplotLibrary& plplot, std::string_view device) {
  std::array<const char*, 100> descriptions{}, names{};
  const char **first_description = descriptions.data(), **first_name = names.data();
  int count = static_cast<int>(names.size());
  plplot.list_devices(&first_description, &first_name, &count);
  if (std::find(names.begin(), names.begin() + count, device) == names.begin() + count)
    throw FileError("a plot is written as PNG by a part of PLplot that is missing (package plplot-driver-cairo)");
}

void draw(const PlplotLibrary& plplot, const Plot& plot, const std::string& format) {
  plplot.set_background(255, 255, 255);
  plplot.set_color(kBlack, 0, 0, 0);
  for (std::size_t k = 0; k < kCurveColors.size(); ++k)
    plplot.set_color(kFirstOfCurves + static_cast<std::int32_t>(k), kCurveColors[k].red, kCurveColors[k].green,
                     kCurveColors[k].blue);
  plplot.begin();
  plplot.use_color(kBlack);
  plplot.draw_axes(plot.x.low, plot.x.high, plot.y.low, plot.y.high, 0, 0);
  plplot.draw_labels(plot.x_label.c_str(), plot.y_label.c_str(), plot.title.c_str());
  for (std::size_t k = 0; k < plot.curves.size(); ++k) {
    const auto& [x, y] = plot.curves[k];
    const auto count = static_cast<std::int32_t>(x.size());
    if (format == "histogram") {
      plplot.use_color(kFirstOfCurves);
      plplot.fill(count, x.data(), y.data());
      plplot.use_color(kBlack);
      plplot.draw_line(count, x.data(), y.data());
      continue;
    }
    plplot.use_color(kFirstOfCurves + static_cast<std::int32_t>(k % kCurveColors.size()));
    if (format == "scatter") {
      plplot.draw_texts(count, x.data(), y.data(), "\xE2\x80\xA2");  // a bullet
    } else {
      plplot.set_width(2);
      plplot.draw_line(count, x.data(), y.data());
    }
  }
  plplot.end();
}

/// A file in memory. Its bytes are complete after it is closed.
class MemoryFile {
 public:
  MemoryFile() : file_(open_memstream(&bytes_, &size_)) {
    if (file_ == nullptr) throw std::bad_alloc();
  }
  ~MemoryFile() {
    if (file_ != nullptr) std::fclose(file_);
    std::free(bytes_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::FILE* file() const { return file_; }
  /// The bytes, after other code has closed file().
  std::string bytes_of_closed() {
    file_ = nullptr;
    return {bytes_, size_};
  }

 private:
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

/// Draws a plot and returns the content of its file.
std::string drawn(const Plot& plot, const std::string& format, bool as_svg) {
  const PlplotLibrary& plplot = plplot_library();
  const std::scoped_lock alone(plplot.in_use);
  const char* const device = as_svg ? "svg" : "pngcairo";
  if (!as_svg) require_png(plplot, device);
  MemoryFile file;
  plplot.set_device(device);
  plplot.set_file(file.file());
  plplot.set_page(0, 0, kWidth, kHeight, 0, 0);
  draw(plplot, plot, format);
  return file.bytes_of_closed();
}

}  // namespace

FileContent plot_content(const FileRequest& request, const FileColumns& value) {
  const bool as_svg = request.name.ends_with(".svg");
  if (!as_svg && !request.name.ends_with(".png")) fail_file(request, "the name of a plot ends with .svg or .png");
  const Plot plot = plot_of(request, value);
  try {
    return {drawn(plot, request.format, as_svg)};
  } catch (const FileError& error) {
    fail_file(request, error.what());
  }
}

}  // namespace interp

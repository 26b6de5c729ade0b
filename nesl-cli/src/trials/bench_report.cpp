#include "bench_report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "base/files.h"
#include "figures.h"

namespace nesl_cli {

namespace {

using nlohmann::ordered_json;

/// Half the distance of the quartiles, relative to the median.
std::string spread(const Measurement& m) {
  return m.median > 0 ? fmt::format("±{:.0f}%", 50 * (m.high - m.low) / m.median) : "";
}

constexpr std::size_t kSizeWidth = 12, kTimeWidth = 10, kSpreadWidth = 7, kRateWidth = 12, kChangeWidth = 22;

std::string change_text(const Measurement& now, const Measurement& earlier) {
  if (earlier.median <= 0) return "";
  const double ratio = now.median / earlier.median;
  const bool apart = now.low > earlier.high || now.high < earlier.low;
  return fmt::format("{}{:.2f} x{}", apart ? "" : "~ ", ratio, !apart ? "" : ratio > 1 ? " slower" : " faster");
}

}  // namespace

std::string json_text(const std::vector<Measurement>& measurements) {
  ordered_json all = {{"benchmarks", ordered_json::array()}};
  for (const Measurement& m : measurements) {
    ordered_json one = {{"file", m.file}, {"line", m.line}, {"column", m.column}, {"name", m.title}};
    one["n"] = m.size ? ordered_json(*m.size) : ordered_json(nullptr);
    one["median_seconds"] = m.median;
    one["low_seconds"] = m.low;
    one["high_seconds"] = m.high;
    one["runs"] = m.runs;
    one["elements"] = m.elements;
    one["bytes"] = m.bytes;
    all["benchmarks"].push_back(std::move(one));
  }
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

bool read_measurements(const std::string& file, std::vector<Measurement>& measurements, std::string& error) {
  std::string text;
  if (!base::read_file(file, text, error)) return false;
  try {
    const ordered_json all = ordered_json::parse(text);
    for (const ordered_json& one : all.at("benchmarks")) {
      Measurement m;
      m.file = one.at("file");
      m.title = one.at("name");
      if (!one.at("n").is_null()) m.size = one.at("n");
      m.median = one.at("median_seconds");
      m.low = one.at("low_seconds");
      m.high = one.at("high_seconds");
      measurements.push_back(std::move(m));
    }
  } catch (const nlohmann::json::exception& problem) {
    error = fmt::format("{} is no file that nesl bench --json has written: {}", base::printable(file), problem.what());
    return false;
  }
  return true;
}

std::string heading_text(const Measurement& m, bool compares) {
  const std::string place =
      fmt::format("{}:{}:{}: {}\n", base::printable(m.file), m.line, m.column, base::printable(m.title));
  const std::string columns = right(m.size ? "n" : "", kSizeWidth) + right("median", kTimeWidth) +
                              right("spread", kSpreadWidth) + right(m.size ? "n/s" : "", kRateWidth) +
                              right("elements/s", kRateWidth) + right("bytes/s", kRateWidth);
  return place + columns + (compares ? right("was", kTimeWidth) + right("change", kChangeWidth) : "") + "\n";
}

std::string line_text(const Measurement& m, bool compares, const Measurement* earlier) {
  const auto rate = [&](double amount) { return m.median > 0 ? scaled(amount / m.median) : ""; };
  std::string line =
      right(m.size ? fmt::format("{}", *m.size) : "", kSizeWidth) + right(duration(m.median), kTimeWidth) +
      right(spread(m), kSpreadWidth) + right(m.size ? rate(static_cast<double>(*m.size)) : "", kRateWidth) +
      right(rate(static_cast<double>(m.elements)), kRateWidth) + right(rate(static_cast<double>(m.bytes)), kRateWidth);
  if (compares && earlier != nullptr)
    line += right(duration(earlier->median), kTimeWidth) + right(change_text(m, *earlier), kChangeWidth);
  else if (compares)
    line += right("", kTimeWidth) + right("new", kChangeWidth);
  return line + "\n";
}

const Measurement* find_same(const Measurement& measurement, const std::vector<Measurement>& earlier) {
  const Measurement* found = nullptr;
  for (const Measurement& other : earlier) {
    if (other.title != measurement.title || other.size != measurement.size) continue;
    const bool same_file =
        std::filesystem::path(other.file).filename() == std::filesystem::path(measurement.file).filename();
    if (found == nullptr || same_file) found = &other;
    if (same_file) break;
  }
  return found;
}

}  // namespace nesl_cli

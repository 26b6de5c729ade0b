#include "cost_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/diagnostics.h"
#include "trials/figures.h"

namespace nesl_cli {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kSizeWidth = 12;
constexpr std::array<std::size_t, kCostColumns> kWidths = {16, 12, 12, 12, 14, 13, 11};

double parallelism(const CostRow& row) { return row.depth > 0 ? row.work / row.depth : row.work; }

}  // namespace

const std::array<CostColumn, kCostColumns> cost_columns = {{
    {"work", "work", [](const CostRow& row) { return row.work; }},
    {"depth", "depth", [](const CostRow& row) { return row.depth; }},
    {"work/depth", "work_per_depth", parallelism},
    {"operations", "operations", [](const CostRow& row) { return static_cast<double>(row.operations); }},
    {"elements", "elements", [](const CostRow& row) { return static_cast<double>(row.elements); }},
    {"peak memory", "peak_bytes", [](const CostRow& row) { return static_cast<double>(row.peak_bytes); }},
    {"time", "seconds", [](const CostRow& row) { return row.seconds; }},
}};

std::optional<Fit> CostReport::fit(const CostColumn& column) const {
  std::vector<double> sizes, figures;
  for (const CostRow& row : rows)
    if (row.size) {
      sizes.push_back(static_cast<double>(*row.size));
      figures.push_back(column.figure(row));
    }
  // The fit gives figures below one the weight of one, so seconds become nanoseconds.
  if (&column == &cost_columns.back())
    for (double& figure : figures) figure *= 1e9;
  return fit_order(sizes, figures);
}

std::string cost_heading(const CostReport& report) {
  std::string line = right(!report.rows.empty() && !report.rows[0].size ? "" : "n", kSizeWidth);
  for (std::size_t k = 0; k < kCostColumns; ++k) line += right(cost_columns[k].title, kWidths[k]);
  return fmt::format("{}: {}\n{}\n", base::printable(report.file), base::printable(report.expression), line);
}

std::string cost_line(const CostRow& row) {
  const std::string texts[kCostColumns] = {fmt::format("{:.0f}", row.work),
                                           fmt::format("{:.0f}", row.depth),
                                           scaled(parallelism(row)),
                                           fmt::format("{}", row.operations),
                                           fmt::format("{}", row.elements),
                                           scaled(static_cast<double>(row.peak_bytes)) + "B",
                                           duration(row.seconds)};
  std::string line = right(row.size ? fmt::format("{}", *row.size) : "", kSizeWidth);
  for (std::size_t k = 0; k < kCostColumns; ++k) line += right(texts[k], kWidths[k]);
  return line + "\n";
}

std::string cost_orders(const CostReport& report) {
  if (report.rows.size() < 3) return "";
  std::string orders = right("order", kSizeWidth), deviations = right("deviation", kSizeWidth);
  for (std::size_t k = 0; k < kCostColumns; ++k) {
    const std::optional<Fit> fit = report.fit(cost_columns[k]);
    orders += right(fit ? fit->order : "?", kWidths[k]);
    deviations += right(fit ? fmt::format("±{:.1f}%", 100 * fit->deviation) : "", kWidths[k]);
  }
  return orders + "\n" + deviations + "\n";
}

std::string cost_json(const CostReport& report) {
  ordered_json all = {{"file", report.file}, {"expression", report.expression}, {"rows", ordered_json::array()}};
  for (const CostRow& row : report.rows) {
    ordered_json one;
    one["n"] = row.size ? ordered_json(*row.size) : ordered_json(nullptr);
    one["work"] = row.work;
    one["depth"] = row.depth;
    one["work_per_depth"] = parallelism(row);
    one["operations"] = row.operations;
    one["elements"] = row.elements;
    one["peak_bytes"] = row.peak_bytes;
    one["seconds"] = row.seconds;
    one["counting_seconds"] = row.counting_seconds;
    all["rows"].push_back(std::move(one));
  }
  ordered_json& orders = all["orders"] = ordered_json::object();
  for (const CostColumn& column : cost_columns) {
    const std::optional<Fit> fit = report.fit(column);
    orders[column.key] = !fit ? ordered_json(nullptr)
                              : ordered_json{{"order", fit->order},
                                             {"factor", fit->factor},
                                             {"lower", fit->lower},
                                             {"constant", fit->constant},
                                             {"deviation", fit->deviation}};
  }
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace nesl_cli

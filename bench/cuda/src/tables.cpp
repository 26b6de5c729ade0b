#include <fmt/format.h>

#include "results.h"

namespace bench::cuda {
namespace {

/// A number of a row in this unit and format; "-" if the row lacks it.
std::string cell(const Json& row, const char* key, double unit = 1) {
  return row.contains(key) ? fmt::format("{:.3g}", row[key].get<double>() / unit) : "-";
}

std::string seconds_cell(const Json& run) {
  if (run.contains("error")) return run["error"].get<std::string>();
  return cell(run, "seconds", 1e-3);
}

/// One line for each operation and shape: picoseconds for each element, by the library and by CUB.
void print_skew(const Json& rows) {
  constexpr double kPico = 1e-12;
  fmt::print("\n{:10} {:4} {:10} {:>10} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8}  peer\n", "skew", "type", "shape",
             "elements", "segments", "longest", "ps/elem", "peer's", "of copy", "x peer");
  for (const Json& row : rows) {
    const auto elements = row["elements"].get<double>();
    fmt::print("{:10} {:4} {:10} {:>10} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8}  {}\n", row["operation"].get<std::string>(),
               row["type"].get<std::string>(), row["shape"].get<std::string>(), row["elements"].get<std::int64_t>(),
               row.value("segments", std::int64_t{0}), row.value("longest_segment", std::int64_t{0}),
               cell(row, "seconds", elements * kPico), cell(row, "peer_seconds", elements * kPico),
               cell(row, "of_copy"), cell(row, "times_peer"),
               row.contains("error") ? row["error"].get<std::string>() : row.value("peer", "-"));
  }
}

}  // namespace

void print_tables(const Json& results) {
  constexpr double kMicro = 1e-6, kMilli = 1e-3;
  fmt::print("library: {}\n", results["library"].get<std::string>());
  if (results.contains("device"))
    for (const auto& [name, value] : results["device"].items()) fmt::print("  {}: {}\n", name, value.dump());
  fmt::print("  copy GB/s: {}\n", cell(results, "copy_bytes_per_s", 1e9));

  const Json& latency = results["latency"];
  fmt::print("\nlatency in us: issue {}, read back {}; of CUDA: launch {}, round trip {}\n",
             cell(latency, "issue_seconds", kMicro), cell(latency, "read_back_seconds", kMicro),
             cell(latency, "cuda_launch_seconds", kMicro), cell(latency, "cuda_round_trip_seconds", kMicro));

  fmt::print("\n{:14} {:>9} {:>12} {:>10} {:>10} {:>10} {:>8} {:>7}  peer\n", "program", "elements", "generated ms",
             "-O2 ms", "-O0 ms", "peer ms", "x peer", "agrees");
  for (const Json& row : results["programs"])
    fmt::print("{:14} {:>9} {:>12} {:>10} {:>10} {:>10} {:>8} {:>7}  {}\n", row["program"].get<std::string>(),
               row["elements"].get<std::int64_t>(), seconds_cell(row["generated"]), seconds_cell(row["fused"]),
               row.contains("unfused") ? seconds_cell(row["unfused"]) : "-", cell(row, "peer_seconds", kMilli),
               cell(row, "times_peer"), row.contains("agrees") ? row["agrees"].dump() : "-", row.value("peer", "-"));

  fmt::print("\n{:14} {:>8} {:>9} {:>8} {:>15} {:>17}\n", "generated", "launches", "waits", "kernels", "cold ms (most)",
             "cached ms (most)");
  for (const Json& row : results["programs"]) {
    const Json& compiling = row["compiling"];
    const auto times = [&](const std::string& name) {
      return fmt::format("{} ({})", cell(compiling, (name + "_seconds").c_str(), kMilli),
                         cell(compiling, (name + "_most_seconds").c_str(), kMilli));
    };
    fmt::print("{:14} {:>8} {:>9} {:>8} {:>15} {:>17}\n", row["program"].get<std::string>(),
               compiling["launches"].get<std::int64_t>(), compiling["waits"].get<std::int64_t>(),
               cell(compiling, "kernels"), times("cold"), times("cached"));
  }

  fmt::print("\n{:10} {:4} {:8} {:>10} {:>11} {:>8} {:>8} {:>8} {:>6}\n", "operation", "type", "shape", "elements",
             "us", "GB/s", "of copy", "x peer", "blocks");
  for (const Json& row : results["classes"])
    fmt::print("{:10} {:4} {:8} {:>10} {:>11} {:>8} {:>8} {:>8} {:>6}{}\n", row["operation"].get<std::string>(),
               row["type"].get<std::string>(), row["shape"].get<std::string>(), row["elements"].get<std::int64_t>(),
               cell(row, "seconds", kMicro), cell(row, "GB_per_s"), cell(row, "of_copy"), cell(row, "times_peer"),
               cell(row, "blocks_per_multiprocessor"),
               row.contains("error") ? "  " + row["error"].get<std::string>() : "");
  if (!results["skew"].empty()) print_skew(results["skew"]);
}

}  // namespace bench::cuda

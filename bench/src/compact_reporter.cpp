#include "compact_reporter.h"

#include <fmt/format.h>

#include <cstdio>

namespace bench {

bool CompactReporter::ReportContext(const Context&) {
  fmt::print("{:<44}{:>12}{:>10}{:>10}{:>14}{:>12}\n", "benchmark", "ns/element", "GB/s", "of copy", "peer ns/elem",
             "times peer");
  return true;
}

void CompactReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.error_occurred) {
      any_failed_ = true;
      fmt::print("{:<44}  FAILED: {}\n", run.run_name.function_name, run.error_message);
      continue;
    }
    const auto counter = [&](const char* name) { return run.counters.at(name).value; };
    fmt::print("{:<44}{:>12.3f}{:>10.2f}{:>10.2f}{:>14.3f}{:>12.2f}\n", run.run_name.function_name,
               counter("ns_per_element"), counter("GB_per_s"), counter("of_copy"), counter("peer_ns_per_element"),
               counter("times_peer"));
  }
  std::fflush(stdout);
}

}  // namespace bench

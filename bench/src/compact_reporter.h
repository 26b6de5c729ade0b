#pragma once

#include <benchmark/benchmark.h>

namespace bench {

/// Prints one line of the figures that matter for each benchmark, as it ends.
class CompactReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
};

}  // namespace bench

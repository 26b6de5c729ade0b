#pragma once

#include <benchmark/benchmark.h>

namespace bench {

/// Prints one line of the figures that matter for each benchmark, as it ends.
class CompactReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;

  /// Whether one of the benchmarks has failed, for the exit status.
  bool any_failed() const { return any_failed_; }

 private:
  bool any_failed_ = false;
};

}  // namespace bench

#pragma once

#include <benchmark/benchmark.h>

namespace bench {

/// Prints the most important figures of each benchmark in one line, as it ends.
class CompactReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;

  /// True if some benchmark has failed, for the exit status.
  bool any_failed() const { return any_failed_; }

 private:
  bool any_failed_ = false;
};

}  // namespace bench

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nesl-compiler/session.h"
#include "trial_engine.h"
#include "trial_run.h"

namespace nesl_cli {

/// A benchmark of a program that has been analysed.
struct Bench {
  nesl::Unit unit;
  nesl::BenchProgram program;
};

/// The measurements of a benchmark for one size.
struct Measurement {
  std::string file;
  std::uint32_t line = 0, column = 0;
  std::string title;
  std::optional<std::int64_t> size;      ///< empty for a benchmark without `for`
  double median = 0, low = 0, high = 0;  ///< seconds: the median and the quartiles of the runs
  std::int64_t runs = 0;
  std::uint64_t elements = 0, bytes = 0;  ///< of one run, as ProfileRow counts them
};

/// Measures benchmarks with one engine. For each size, runs that are not measured come first, until compiled kernels
/// and caches are as they will be; then runs are measured for `seconds`, and at least kLeastRuns of them.
class BenchRunner {
 public:
  static constexpr std::int64_t kLeastRuns = 5;

  /// `timeout`: seconds for each size of a benchmark; 0: none.
  BenchRunner(TrialEngine& engine, double seconds, double timeout)
      : engine_(engine), seconds_(seconds), timeout_(timeout) {}

  /// Measures a benchmark for its sizes in turn. Throws TrialFailure.
  template <class Use>
  void run(const Bench& bench, Use&& use) {
    const Compiled compiled = compile(bench);
    if (compiled.sizes == nullptr) return use(measure(bench, compiled, std::nullopt));
    for (const std::int64_t size : sizes(compiled)) use(measure(bench, compiled, size));
  }

 private:
  struct Compiled {
    std::unique_ptr<TrialEngine::Expression> sizes, preparation, measured;
  };
  Compiled compile(const Bench& bench);
  std::vector<std::int64_t> sizes(const Compiled& compiled);
  Measurement measure(const Bench& bench, const Compiled& compiled, std::optional<std::int64_t> size);
  double time_once(const TrialEngine::Expression& expression, const std::vector<runtime::Value>& parameters);
  void warm_up(const TrialEngine::Expression& expression, const std::vector<runtime::Value>& parameters);
  void count(const TrialEngine::Expression& expression, const std::vector<runtime::Value>& parameters, Measurement& to);

  TrialEngine& engine_;
  const double seconds_, timeout_;
};

}  // namespace nesl_cli

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "nesl-compiler/session.h"
#include "trials/trial_engine.h"

namespace nesl_cli {

/// The figures of an expression for one size.
struct CostRow {
  std::optional<std::int64_t> size;  ///< empty if the expression has none
  double work = 0, depth = 0;        ///< by the rules of the language; integers
  std::uint64_t operations = 0;      ///< instructions that ran
  std::uint64_t elements = 0;        ///< as ProfileRow counts them
  std::uint64_t peak_bytes = 0;      ///< most memory of vectors, those that the expression uses included
  double seconds = 0;                ///< median of the runs
  double counting_seconds = 0;       ///< the same of runs that count work and depth
};

/// Measures an expression with one engine.
class CostRunner {
 public:
  /// Compiles the programs. `timeout`: seconds for each size; 0: none. Throws TrialFailure, as measure() does.
  CostRunner(TrialEngine& engine, const nesl::CostProgram& program, double timeout);

  CostRow measure(std::optional<std::int64_t> size);

 private:
  using Values = std::vector<runtime::Value>;
  void profile(const Values& parameters, CostRow& to);
  double number(const runtime::Value& value);
  /// Seconds of the median of some runs, at least one.
  double median_time(const TrialEngine::Expression& expression, const Values& parameters);

  TrialEngine& engine_;
  const double timeout_;
  std::unique_ptr<TrialEngine::Expression> preparation_, measured_, counted_;
};

}  // namespace nesl_cli

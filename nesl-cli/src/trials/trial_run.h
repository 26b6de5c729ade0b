#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trial_engine.h"
#include "vcode-interp/interrupt.h"
#include "vcode-interp/profile.h"

namespace nesl_cli {

/// Thrown when an expression cannot be computed.
struct TrialFailure {
  std::string report;  ///< whole lines
  bool interrupted = false;
};

/// Stops the current run after some seconds; 0: never.
class TimeLimit {
 public:
  explicit TimeLimit(double seconds);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;

 private:
  const bool limited_;
  const interp::Polling polling_;
};

// These throw TrialFailure.
std::unique_ptr<TrialEngine::Expression> compile_trial(TrialEngine& engine, const nesl::Unit& unit,
                                                       const base::Source& source);
/// Computes the variables of the program that the expressions use.
void compute_inputs(TrialEngine& engine, const std::vector<const TrialEngine::Expression*>& expressions);
/// Runs an expression once and returns the entries of its value. `timeout` is named if a TimeLimit stops the run.
std::vector<runtime::Value> compute(TrialEngine& engine, const TrialEngine::Expression& expression,
                                    std::vector<runtime::Value> parameters, double timeout);
/// The same; adds the figures of the run to a profile.
void compute_profiled(TrialEngine& engine, const TrialEngine::Expression& expression,
                      std::vector<runtime::Value> parameters, double timeout, interp::Profile& profile);

/// An int of the width with which programs run.
runtime::Value int_value(TrialEngine& engine, std::int64_t value);

}  // namespace nesl_cli

#include "trial_run.h"

#include <utility>

#include <fmt/format.h>

#include "cvl/dispatch.h"

namespace nesl_cli {

TimeLimit::TimeLimit(double seconds) : limited_(seconds > 0) {
  if (limited_) interp::start_timeout(seconds);
}

TimeLimit::~TimeLimit() {
  if (limited_) interp::start_timeout(0);
  if (interp::pending_interrupt() == interp::Interrupt::kTimeout) interp::clear_interrupt();
}

std::unique_ptr<TrialEngine::Expression> compile_trial(TrialEngine& engine, const nesl::Unit& unit,
                                                       const base::Source& source) {
  std::string error;
  std::unique_ptr<TrialEngine::Expression> made = engine.compile(unit, source, error);
  if (made == nullptr) throw TrialFailure{std::move(error)};
  return made;
}

void compute_inputs(TrialEngine& engine, const std::vector<const TrialEngine::Expression*>& expressions) {
  engine.compute_inputs(expressions);
  for (const TrialEngine::Expression* expression : expressions)
    if (std::string missing = engine.missing_input(*expression); !missing.empty())
      throw TrialFailure{std::move(missing)};
}

std::vector<runtime::Value> compute(TrialEngine& engine, const TrialEngine::Expression& expression,
                                    std::vector<runtime::Value> parameters, double timeout) {
  interp::RunResult result = engine.run(expression, std::move(parameters));
  const std::string printed = engine.take_output();
  if (result.status == 0 && result.ended) return std::move(result.stack);
  const interp::Interrupt interrupt = interp::pending_interrupt();
  if (interrupt == interp::Interrupt::kSignal) throw TrialFailure{"", true};
  if (interrupt == interp::Interrupt::kTimeout)
    throw TrialFailure{printed + fmt::format("stopped after {} s (--timeout)\n", timeout)};
  throw TrialFailure{result.report.empty() ? printed + "the program ended before it had computed the value\n"
                                           : printed + result.report};
}

void compute_profiled(TrialEngine& engine, const TrialEngine::Expression& expression,
                      std::vector<runtime::Value> parameters, double timeout, interp::Profile& profile) {
  engine.options().profile = &profile;
  struct Reset {
    interp::RunOptions& options;
    ~Reset() { options.profile = nullptr; }
  } const reset{engine.options()};
  compute(engine, expression, std::move(parameters), timeout);
}

runtime::Value int_value(TrialEngine& engine, std::int64_t value) {
  return cvl::with_int(engine.evaluator().widths().int_type,
                       [&]<class Int>() { return runtime::Value::scalar(static_cast<Int>(value)); });
}

}  // namespace nesl_cli

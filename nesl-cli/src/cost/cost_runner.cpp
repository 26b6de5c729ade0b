#include "cost_runner.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "trials/stopwatch.h"
#include "trials/trial_run.h"
#include "vcode-interp/profile.h"

namespace nesl_cli {

namespace {

/// Runs that take less are repeated.
constexpr double kSeconds = 0.2;

}  // namespace

CostRunner::CostRunner(TrialEngine& engine, const nesl::CostProgram& program, double timeout)
    : engine_(engine), timeout_(timeout) {
  std::vector<const TrialEngine::Expression*> expressions;
  const auto compile = [&](const nesl::Unit& unit) {
    std::unique_ptr<TrialEngine::Expression> made = compile_trial(engine_, unit, *program.bench.source);
    expressions.push_back(made.get());
    return made;
  };
  if (program.bench.preparation) preparation_ = compile(*program.bench.preparation);
  measured_ = compile(program.bench.measured);
  counted_ = compile(program.counted);
  compute_inputs(engine_, expressions);
}

CostRow CostRunner::measure(std::optional<std::int64_t> size) {
  const TimeLimit limit(timeout_);
  CostRow row{.size = size};
  Values parameters;
  if (size) parameters.push_back(int_value(engine_, *size));
  if (preparation_ != nullptr) parameters = compute(engine_, *preparation_, std::move(parameters), timeout_);
  profile(parameters, row);
  row.seconds = median_time(*measured_, parameters);
  const Stopwatch watch;
  const Values cost = compute(engine_, *counted_, parameters, timeout_);
  row.counting_seconds = watch.seconds();
  VC_CHECK(cost.size() == 2);
  row.work = number(cost[0]);
  row.depth = number(cost[1]);
  // Later runs are faster, as those of the expression are: kernels are compiled beside the first ones.
  if (row.counting_seconds < kSeconds) row.counting_seconds = median_time(*counted_, parameters);
  return row;
}

void CostRunner::profile(const Values& parameters, CostRow& to) {
  interp::Profile profile(false);
  compute_profiled(engine_, *measured_, parameters, timeout_, profile);
  for (const auto& [name, row] : profile.instructions()) {
    to.operations += row.count;
    to.elements += row.elements;
  }
  to.peak_bytes = profile.most_memory();
}

double CostRunner::number(const runtime::Value& value) {
  VC_CHECK(value.type() == vcode::ElemType::kF64);
  const void* const data = engine_.scalar(value);
  if (data == nullptr) throw TrialFailure{engine_.evaluator().failure() + "\n"};
  return *static_cast<const double*>(data);
}

double CostRunner::median_time(const TrialEngine::Expression& expression, const Values& parameters) {
  constexpr std::size_t kRuns = 5;
  std::vector<double> times;
  const Stopwatch watch;
  while (times.empty() || (watch.seconds() < kSeconds && times.size() < kRuns)) {
    Values copies = parameters;
    const Stopwatch one;
    const Values result = compute(engine_, expression, std::move(copies), timeout_);
    if (!engine_.evaluator().settle()) throw TrialFailure{engine_.evaluator().failure() + "\n"};
    times.push_back(one.seconds());
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace nesl_cli

#include "bench_runner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cvl/integer_at.h"
#include "stopwatch.h"
#include "trial_run.h"
#include "vcode-interp/profile.h"

namespace nesl_cli {

namespace {

/// The value below which the given part of sorted numbers lies, interpolated linearly.
double quantile(const std::vector<double>& sorted, double part) {
  const double at = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

}  // namespace

BenchRunner::Compiled BenchRunner::compile(const Bench& bench) {
  Compiled compiled;
  std::vector<const TrialEngine::Expression*> expressions;
  const auto compile = [&](const nesl::Unit& unit) {
    std::unique_ptr<TrialEngine::Expression> made = compile_trial(engine_, unit, *bench.program.source);
    expressions.push_back(made.get());
    return made;
  };
  if (bench.program.sizes) compiled.sizes = compile(*bench.program.sizes);
  if (bench.program.preparation) compiled.preparation = compile(*bench.program.preparation);
  compiled.measured = compile(bench.program.measured);
  compute_inputs(engine_, expressions);
  return compiled;
}

std::vector<std::int64_t> BenchRunner::sizes(const Compiled& compiled) {
  const TimeLimit limit(timeout_);
  const std::vector<runtime::Value> stack = compute(engine_, *compiled.sizes, {}, timeout_);
  const runtime::Value& values = stack.back();
  const cvl::Operand numbers{values.type(), values.length(), engine_.evaluator().heap().host_data(values)};
  if (numbers.data == nullptr && numbers.length > 0) throw TrialFailure{engine_.evaluator().failure() + "\n"};
  std::vector<std::int64_t> sizes;
  for (std::int64_t k = 0; k < numbers.length; ++k) sizes.push_back(cvl::integer_at(numbers, k));
  return sizes;
}

double BenchRunner::time_once(const TrialEngine::Expression& expression,
                              const std::vector<runtime::Value>& parameters) {
  std::vector<runtime::Value> copies = parameters;
  const Stopwatch watch;
  const std::vector<runtime::Value> result = compute(engine_, expression, std::move(copies), timeout_);
  if (!engine_.evaluator().settle()) throw TrialFailure{engine_.evaluator().failure() + "\n"};
  return watch.seconds();
}

void BenchRunner::warm_up(const TrialEngine::Expression& expression, const std::vector<runtime::Value>& parameters) {
  constexpr double kSeconds = 0.2;
  constexpr int kRuns = 3;
  const Stopwatch watch;
  for (int run = 0; run == 0 || (watch.seconds() < kSeconds || run < kRuns); ++run) {
    time_once(expression, parameters);
    if (watch.seconds() > 10 * kSeconds) break;  // code that is compiled beside the run is there
  }
}

/// Counts elements and bytes, in a run that is not measured, as counting takes time.
void BenchRunner::count(const TrialEngine::Expression& expression, const std::vector<runtime::Value>& parameters,
                        Measurement& to) {
  interp::Profile profile(false);
  compute_profiled(engine_, expression, parameters, timeout_, profile);
  for (const auto& [name, row] : profile.instructions()) {
    to.elements += row.elements;
    to.bytes += row.bytes;
  }
}

Measurement BenchRunner::measure(const Bench& bench, const Compiled& compiled, std::optional<std::int64_t> size) {
  constexpr std::size_t kMostRuns = 10000;
  const TimeLimit limit(timeout_);
  const base::Source& source = *bench.program.source;
  const base::Source::Position at = source.position(bench.unit.span.begin);
  Measurement measured{source.name(), at.line, at.column, bench.unit.name, size};
  std::vector<runtime::Value> parameters;
  if (size) parameters.push_back(int_value(engine_, *size));
  if (compiled.preparation != nullptr)
    parameters = compute(engine_, *compiled.preparation, std::move(parameters), timeout_);
  warm_up(*compiled.measured, parameters);
  std::vector<double> times;
  const Stopwatch watch;
  while (times.size() < static_cast<std::size_t>(kLeastRuns) ||
         (watch.seconds() < seconds_ && times.size() < kMostRuns))
    times.push_back(time_once(*compiled.measured, parameters));
  std::sort(times.begin(), times.end());
  measured.median = quantile(times, 0.5);
  measured.low = quantile(times, 0.25);
  measured.high = quantile(times, 0.75);
  measured.runs = static_cast<std::int64_t>(times.size());
  count(*compiled.measured, parameters, measured);
  return measured;
}

}  // namespace nesl_cli

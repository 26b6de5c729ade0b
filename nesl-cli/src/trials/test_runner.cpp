#include "test_runner.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "stopwatch.h"
#include "text/result_text.h"
#include "vcode-interp/interrupt.h"

namespace nesl_cli {

namespace {

/// A number that depends on a text alone (FNV-1a).
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

}  // namespace

void TestRunner::prepare(const std::vector<Test>& tests) {
  std::vector<const TrialEngine::Expression*> expressions;
  for (const Test& test : tests) {
    Compiled& compiled = compiled_.emplace_back();
    compiled.test = &test;
    const base::Source& source = *test.program.source;
    if (test.program.assumption)
      compiled.assumption = engine_.compile(*test.program.assumption, source, compiled.problem);
    if (compiled.problem.empty())
      compiled.condition = engine_.compile(test.program.condition, source, compiled.problem);
    for (const auto* part : {&compiled.assumption, &compiled.condition})
      if (*part != nullptr) expressions.push_back(part->get());
  }
  engine_.compute_inputs(expressions);
}

TestResult TestRunner::run(std::size_t index) {
  const Compiled& compiled = compiled_[index];
  std::string problem = compiled.problem;
  for (const auto* part : {&compiled.assumption, &compiled.condition})
    if (problem.empty() && *part != nullptr) problem = engine_.missing_input(**part);
  if (!problem.empty()) return {TestResult::Outcome::kError, std::move(problem)};
  const Stopwatch watch;
  const interp::Polling polling;
  if (options_.timeout > 0) interp::start_timeout(options_.timeout);
  TestResult result = search(compiled);
  if (options_.timeout > 0) interp::start_timeout(0);
  if (interp::pending_interrupt() == interp::Interrupt::kTimeout) interp::clear_interrupt();
  result.seconds = watch.seconds();
  return result;
}

/// Computes the condition for random inputs until one makes it fail.
TestResult TestRunner::search(const Compiled& compiled) {
  constexpr std::int64_t kLargest = 40, kMostDiscarded = 10;
  const std::vector<nesl::ValueShape>& shapes = compiled.test->program.condition.parameters;
  const std::int64_t wanted = shapes.empty() ? 1 : options_.inputs;
  RandomNumbers random(options_.seed ^ hash_of(compiled.test->unit.name));
  TestResult result;
  std::int64_t discarded = 0;
  while (result.inputs < wanted) {
    Inputs inputs;
    const std::int64_t size = 1 + (result.inputs + discarded) * kLargest / wanted;
    for (const nesl::ValueShape& shape : shapes)
      inputs.push_back(random_sample(shape, std::min(size, kLargest), engine_.evaluator().widths(), random));
    Verdict verdict = judge(compiled, inputs);
    if (verdict.kind == Verdict::Kind::kDiscarded && ++discarded > kMostDiscarded * wanted) {
      result.outcome = TestResult::Outcome::kError;
      result.details = fmt::format("only {} of {} random inputs satisfy the condition behind |\n", result.inputs,
                                   result.inputs + discarded);
      return result;
    }
    if (verdict.kind == Verdict::Kind::kDiscarded) continue;
    ++result.inputs;
    if (verdict.kind == Verdict::Kind::kTrue) continue;
    int steps = 0;
    if (verdict.is_failure()) steps = shrink(compiled, inputs, verdict);
    result.outcome = verdict.kind == Verdict::Kind::kInterrupted ? TestResult::Outcome::kInterrupted
                     : verdict.kind == Verdict::Kind::kFalse     ? TestResult::Outcome::kFailed
                                                                 : TestResult::Outcome::kError;
    result.details = text_of(*compiled.test, inputs);
    const std::string simpler =
        steps == 0 ? "" : fmt::format(", made simpler in {} step{}", steps, steps == 1 ? "" : "s");
    if (!shapes.empty())
      result.details +=
          fmt::format("input {} of {}{}; --seed={} repeats it\n", result.inputs, wanted, simpler, options_.seed);
    result.details += verdict.details;
    return result;
  }
  return result;
}

TestRunner::Verdict TestRunner::fault(const interp::RunResult& result) {
  const interp::Interrupt interrupt = interp::pending_interrupt();
  const std::string printed = engine_.take_output();
  if (interrupt == interp::Interrupt::kSignal) return {Verdict::Kind::kInterrupted};
  if (interrupt == interp::Interrupt::kTimeout)
    return {Verdict::Kind::kTimeout, printed + fmt::format("stopped after {} s (--timeout)\n", options_.timeout)};
  std::string details = printed + result.report;
  if (details.empty()) details = "the program ended before it had computed the test\n";
  return {Verdict::Kind::kFault, std::move(details)};
}

TestRunner::Verdict TestRunner::judge(const Compiled& compiled, const Inputs& inputs) {
  for (const auto* part : {&compiled.assumption, &compiled.condition}) {
    if (*part == nullptr) continue;
    std::optional<std::vector<runtime::Value>> parameters = entries(*compiled.test, inputs);
    if (!parameters) return {Verdict::Kind::kFault, engine_.evaluator().memory_failure("a random value") + "\n"};
    const interp::RunResult result = engine_.run(**part, std::move(*parameters));
    if (result.status != 0 || !result.ended) return fault(result);
    const std::string printed = engine_.take_output();
    // The deepest entry is the truth value, alone or as the first part of a tuple.
    const void* const truth = engine_.scalar(result.stack.at(0));
    if (truth == nullptr) return {Verdict::Kind::kFault, engine_.evaluator().failure() + "\n"};
    if (*static_cast<const bool*>(truth)) continue;
    if (part == &compiled.assumption) return {Verdict::Kind::kDiscarded};
    return {Verdict::Kind::kFalse, sides(compiled, result.stack) + printed};
  }
  return {};
}

std::optional<std::vector<runtime::Value>> TestRunner::entries(const Test& test, const Inputs& inputs) {
  std::vector<runtime::Value> all;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    std::optional<std::vector<runtime::Value>> made =
        entries_of(test.program.condition.parameters[k], inputs[k], engine_.evaluator());
    if (!made) return std::nullopt;
    std::move(made->begin(), made->end(), std::back_inserter(all));
  }
  return all;
}

/// Both sides of an equality, of which the stack has, above the truth value, first the left one.
std::string TestRunner::sides(const Compiled& compiled, const std::vector<runtime::Value>& stack) {
  if (!compiled.test->program.is_equality) return "";
  const nesl::ValueShape& both = compiled.condition->result.parts[1];
  const auto entries = std::span<const runtime::Value>(stack).subspan(1);
  const std::size_t middle = nesl::entry_count(both.parts[0]);
  const auto got = result_text(both.parts[0], entries.subspan(0, middle), engine_.evaluator());
  const auto expected = result_text(both.parts[1], entries.subspan(middle), engine_.evaluator());
  if (!got || !expected) return engine_.evaluator().failure() + "\n";
  const char* const note =
      *got == *expected ? "both look the same: nan is equal to nothing, and long values are shown in part\n" : "";
  return fmt::format("got      {}\nexpected {}\n{}", *got, *expected, note);
}

std::string TestRunner::text_of(const Test& test, const Inputs& inputs) {
  std::string text;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const nesl::ValueShape& shape = test.program.condition.parameters[k];
    const std::optional<std::vector<runtime::Value>> made = entries_of(shape, inputs[k], engine_.evaluator());
    const std::optional<std::string> value =
        made ? result_text(shape, *made, engine_.evaluator()) : std::optional<std::string>();
    text += fmt::format("{}{} = {}", k == 0 ? "for " : ", ", test.program.variables[k].name, value.value_or("?"));
  }
  return text.empty() ? text : text + "\n";
}

/// Replaces inputs that make the test fail by simpler ones that make it fail in the same way, as long as there are
/// some. Returns how often.
int TestRunner::shrink(const Compiled& compiled, Inputs& inputs, Verdict& verdict) {
  constexpr int kMostRuns = 5000;
  constexpr double kMostSeconds = 5;
  const Stopwatch watch;
  const std::vector<nesl::ValueShape>& shapes = compiled.test->program.condition.parameters;
  int steps = 0, runs = 0;
  const auto is_over = [&] {
    return runs >= kMostRuns || watch.seconds() > kMostSeconds ||
           interp::pending_interrupt() != interp::Interrupt::kNone;
  };
  for (bool found = true; found && !is_over();) {
    found = false;
    for (std::size_t k = 0; k < shapes.size() && !found; ++k)
      for (Sample& simpler : simpler_samples(shapes[k], inputs[k])) {
        if (is_over()) break;
        Inputs tried = inputs;
        tried[k] = std::move(simpler);
        ++runs;
        Verdict tried_verdict = judge(compiled, tried);
        if (tried_verdict.kind != verdict.kind) continue;
        inputs = std::move(tried);
        verdict = std::move(tried_verdict);
        ++steps;
        found = true;
        break;
      }
  }
  return steps;
}

}  // namespace nesl_cli

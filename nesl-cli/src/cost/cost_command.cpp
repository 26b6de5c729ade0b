#include "cost_command.h"

#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "base/files.h"
#include "cost_plot.h"
#include "cost_report.h"
#include "cost_sizes.h"
#include "program/whole_program.h"
#include "trials/trial_files.h"
#include "trials/trial_run.h"

namespace nesl_cli {

namespace {

/// Measures the sizes one after the other and prints their lines. Returns the exit status.
int measure(TrialEngine& engine, const nesl::CostProgram& program,
            const std::vector<std::optional<std::int64_t>>& sizes, bool prints, CostReport& report) {
  std::optional<std::int64_t> current;
  try {
    CostRunner runner(engine, program, engine.flags().timeout);
    for (const std::optional<std::int64_t>& size : sizes) {
      current = size;
      report.rows.push_back(runner.measure(size));
      if (!prints) continue;
      if (report.rows.size() == 1) fmt::print("{}", cost_heading(report));
      fmt::print("{}", cost_line(report.rows.back()));
      std::fflush(stdout);
    }
  } catch (const TrialFailure& failure) {
    if (prints) fmt::print("{}", cost_orders(report));
    std::fflush(stdout);
    if (failure.interrupted) {
      fmt::print(stderr, "interrupted\n");
      return 130;
    }
    fmt::print(stderr, "nesl: the cost cannot be measured{}\n{}",
               current ? fmt::format(" for n = {}", *current) : std::string(), failure.report);
    return 1;
  }
  if (prints) fmt::print("{}", cost_orders(report));
  return 0;
}

}  // namespace

int run_cost(const std::string& file, const CostFlags& cost_flags, const Flags& flags) {
  if (flags.run.widths.float_type != vcode::ElemType::kF64)
    return trial_problem("work and depth are counted in floats of 64 bits, which --float=32 excludes");
  const bool wide = flags.run.widths.int_type == vcode::ElemType::kI64;
  std::vector<std::optional<std::int64_t>> sizes;
  std::string error;
  if (!cost_flags.sizes.empty()) {
    const std::int64_t largest =
        wide ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int32_t>::max();
    const auto read = read_sizes(cost_flags.sizes, largest, error);
    if (!read) return trial_problem("--n: " + error);
    sizes.assign(read->begin(), read->end());
  } else {
    sizes.emplace_back();
  }
  WholeProgram program(WholeProgram::For::kTrials, flags);
  if (!program.read(file)) return 1;
  const std::optional<nesl::CostProgram> cost =
      program.analyze_cost(cost_flags.expression, cost_flags.sizes.empty() ? "" : "n");
  if (!cost) return 1;
  const std::unique_ptr<TrialEngine> engine = TrialEngine::start(program, flags, error);
  if (engine == nullptr) return trial_problem(error);
  CostReport report{.file = file, .expression = cost_flags.expression, .rows = {}};
  int status = measure(*engine, *cost, sizes, cost_flags.json != "-", report);
  const auto write = [&](const std::string& to, const std::string& text) {
    if (!to.empty() && !report.rows.empty() && !base::write_file(to, text, error)) status = trial_problem(error);
  };
  write(cost_flags.json, cost_json(report));
  write(cost_flags.plot, cost_plot(report));
  return status;
}

}  // namespace nesl_cli

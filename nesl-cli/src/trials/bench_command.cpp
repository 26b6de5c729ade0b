#include "bench_command.h"

#include <cstdio>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "base/files.h"
#include "bench_report.h"
#include "bench_runner.h"
#include "program/whole_program.h"
#include "trial_engine.h"
#include "trial_files.h"

namespace nesl_cli {

namespace {

class BenchCommand {
 public:
  BenchCommand(const BenchFlags& bench_flags, const Flags& flags) : bench_flags_(bench_flags), flags_(flags) {}

  int run() {
    std::string error;
    if (!bench_flags_.compare.empty() && !read_measurements(bench_flags_.compare, earlier_, error))
      return trial_problem(error);
    const std::optional<std::vector<std::string>> files = nesl_files(bench_flags_.names);
    if (!files) return 1;
    bool good = true;
    for (const std::string& file : *files) {
      good = run_file(file) && good;
      if (interrupted_) return 130;
    }
    if (!bench_flags_.json.empty() && !base::write_file(bench_flags_.json, json_text(measurements_), error))
      return trial_problem(error);
    if (!good || found_ > filtered_out_) return good ? 0 : 1;
    if (filtered_out_ > 0)
      return trial_problem(fmt::format("none of {} benchmark{} has '{}' in its title", filtered_out_,
                                       filtered_out_ == 1 ? "" : "s", bench_flags_.filter));
    return trial_problem(files->size() == 1 ? fmt::format("there are no benchmarks in {}", base::printable((*files)[0]))
                                            : fmt::format("there are no benchmarks in {} files", files->size()));
  }

 private:
  bool run_file(const std::string& file);
  bool run_bench(BenchRunner& runner, const Bench& bench);

  const BenchFlags& bench_flags_;
  const Flags& flags_;
  std::vector<Measurement> measurements_, earlier_;
  std::size_t found_ = 0, filtered_out_ = 0;
  bool interrupted_ = false;
};

bool BenchCommand::run_file(const std::string& file) {
  WholeProgram program(WholeProgram::For::kTrials, flags_);
  if (!program.read(file)) return false;
  std::vector<Bench> benches;
  bool good = true;
  for (const nesl::Unit& unit : program.trials()) {
    if (unit.kind != nesl::Unit::Kind::kBench) continue;
    ++found_;
    std::optional<nesl::BenchProgram> analyzed = program.analyze_bench(unit);
    good = good && analyzed;
    if (unit.name.find(bench_flags_.filter) == std::string::npos)
      ++filtered_out_;
    else if (analyzed)
      benches.push_back({unit, std::move(*analyzed)});
  }
  if (!good || benches.empty()) return good;
  std::string error;
  const std::unique_ptr<TrialEngine> engine = TrialEngine::start(program, flags_, error);
  if (engine == nullptr) return trial_problem(error) == 0;
  BenchRunner runner(*engine, bench_flags_.seconds, flags_.timeout);
  for (const Bench& bench : benches)
    if (!interrupted_) good = run_bench(runner, bench) && good;
  return good;
}

bool BenchCommand::run_bench(BenchRunner& runner, const Bench& bench) {
  const bool compares = !bench_flags_.compare.empty(), prints = bench_flags_.json != "-";
  bool is_first = true;
  try {
    runner.run(bench, [&](Measurement measurement) {
      if (prints && is_first) fmt::print("{}", heading_text(measurement, compares));
      is_first = false;
      if (prints) fmt::print("{}", line_text(measurement, compares, find_same(measurement, earlier_)));
      std::fflush(stdout);
      measurements_.push_back(std::move(measurement));
    });
  } catch (const TrialFailure& failure) {
    interrupted_ = failure.interrupted;
    if (interrupted_) {
      fmt::print(stderr, "interrupted\n");
      return false;
    }
    const base::Source& source = *bench.program.source;
    const base::Source::Position at = source.position(bench.unit.span.begin);
    fmt::print(stderr, "{}:{}:{}: benchmark failed: {}\n{}", base::printable(source.name()), at.line, at.column,
               base::printable(bench.unit.name), failure.report);
    return false;
  }
  return true;
}

}  // namespace

int run_benchmarks(const BenchFlags& bench_flags, const Flags& flags) { return BenchCommand(bench_flags, flags).run(); }

}  // namespace nesl_cli

#include "test_command.h"

#include <algorithm>
#include <cstdio>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/diagnostics.h"
#include "base/files.h"
#include "cvl/loader.h"
#include "program/whole_program.h"
#include "stopwatch.h"
#include "test_report.h"
#include "test_runner.h"
#include "trial_engine.h"
#include "trial_files.h"
#include "vcode-interp/interrupt.h"

namespace nesl_cli {

namespace {

/// Options with which tests run, and their text.
struct Configuration {
  Flags flags;
  std::string text;
};

/// The given configuration, or each level of optimization with each backend that works.
std::vector<Configuration> configurations(const Flags& given, bool all, std::vector<std::string>& unavailable) {
  if (!all) return {{given, ""}};
  std::vector<Configuration> result;
  for (const auto& [name, failure] : cvl::offered_backends(cvl::default_backend_directories())) {
    Flags flags = given;
    flags.backend = name;
    std::string error = failure, note;
    if (!failure.empty() || interp::load_backend(flags, error, note) == nullptr) {
      unavailable.push_back(name);
      continue;
    }
    for (const int level : {0, 1, 2}) {
      flags.optimize.level = level;
      result.push_back({flags, fmt::format("-O{} --backend={}", level, name)});
    }
  }
  return result;
}

class TestCommand {
 public:
  TestCommand(const TestFlags& test_flags, const Flags& flags) : test_flags_(test_flags), flags_(flags) {
    report_.seed = test_flags.seed ? *test_flags.seed : std::random_device()();
    configurations_ = configurations(flags, test_flags.all, unavailable_);
  }

  int run() {
    const std::optional<std::vector<std::string>> files = nesl_files(test_flags_.names);
    if (!files) return 1;
    if (configurations_.empty()) return trial_problem("no backend works");
    const Stopwatch watch;
    bool good = true;
    for (const std::string& file : *files) {
      good = run_file(file) && good;
      if (interrupted_) break;
    }
    report_.seconds = watch.seconds();
    return finish(*files, good);
  }

 private:
  bool run_file(const std::string& file);
  /// Notes a file with errors. Returns false.
  bool broken(const std::string& file) {
    report_.broken_files.push_back(file);
    return false;
  }
  bool run_configuration(WholeProgram& program, const Configuration& configuration, const std::vector<Test>& tests);
  int finish(const std::vector<std::string>& files, bool good);

  const TestFlags& test_flags_;
  const Flags& flags_;
  std::vector<std::string> unavailable_;  ///< backends
  std::vector<Configuration> configurations_;
  TestReport report_;
  std::size_t filtered_out_ = 0;
  bool interrupted_ = false;
};

bool TestCommand::run_file(const std::string& file) {
  WholeProgram program(WholeProgram::For::kTrials, flags_);
  if (!program.read(file)) return broken(file);
  std::vector<Test> tests;
  bool good = true;
  for (const nesl::Unit& unit : program.trials()) {
    if (unit.kind != nesl::Unit::Kind::kTest) continue;
    const bool wanted = unit.name.find(test_flags_.filter) != std::string::npos;
    std::optional<nesl::TestProgram> analyzed = program.analyze_test(unit);
    good = good && analyzed;
    if (!wanted)
      ++filtered_out_;
    else if (analyzed)
      tests.push_back({unit, std::move(*analyzed)});
  }
  if (!good) return broken(file);
  for (const Configuration& configuration : configurations_)
    if (!interrupted_ && !tests.empty()) good = run_configuration(program, configuration, tests) && good;
  return good;
}

bool TestCommand::run_configuration(WholeProgram& program, const Configuration& configuration,
                                    const std::vector<Test>& tests) {
  std::string error;
  const std::unique_ptr<TrialEngine> engine = TrialEngine::start(program, configuration.flags, error);
  if (engine == nullptr) return trial_problem(error) == 0;
  TestRunner runner(*engine, {report_.seed, test_flags_.inputs, flags_.timeout});
  runner.prepare(tests);
  bool good = true;
  for (std::size_t k = 0; k < tests.size() && !interrupted_; ++k) {
    const base::Source& source = nesl::Session::source_of(tests[k].unit);
    const base::Source::Position at = source.position(tests[k].unit.span.begin);
    TestRow& row = report_.rows.emplace_back(
        TestRow{source.name(), at.line, at.column, tests[k].unit.name, configuration.text, runner.run(k)});
    interrupted_ = row.result.outcome == TestResult::Outcome::kInterrupted;
    const bool passed = row.result.outcome == TestResult::Outcome::kPassed;
    good = good && passed;
    if (interrupted_)
      report_.rows.pop_back();
    else if ((!passed || test_flags_.verbose) && !test_flags_.json)
      fmt::print("{}", row_text(row));
    std::fflush(stdout);
  }
  return good;
}

int TestCommand::finish(const std::vector<std::string>& files, bool good) {
  if (!test_flags_.junit.empty()) {
    std::string error;
    if (!base::write_file(test_flags_.junit, junit_text(report_), error)) return trial_problem(error);
  }
  if (test_flags_.json)
    fmt::print("{}", json_text(report_));
  else if (!report_.rows.empty() || !report_.broken_files.empty())
    fmt::print("{}", summary_text(report_));
  if (!unavailable_.empty() && !test_flags_.json) fmt::print("not available: {}\n", fmt::join(unavailable_, ", "));
  if (interrupted_) {
    std::fflush(stdout);
    fmt::print(stderr, "interrupted\n");
    return 130;
  }
  if (!good || !report_.rows.empty()) return good ? 0 : 1;
  if (filtered_out_ > 0)
    return trial_problem(fmt::format("none of {} test{} has '{}' in its title", filtered_out_,
                                     filtered_out_ == 1 ? "" : "s", test_flags_.filter));
  return trial_problem(files.size() == 1 ? fmt::format("there are no tests in {}", base::printable(files[0]))
                                         : fmt::format("there are no tests in {} files", files.size()));
}

}  // namespace

int run_tests(const TestFlags& test_flags, const Flags& flags) { return TestCommand(test_flags, flags).run(); }

}  // namespace nesl_cli

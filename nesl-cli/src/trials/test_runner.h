#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nesl-compiler/session.h"
#include "samples.h"
#include "trial_engine.h"

namespace nesl_cli {

/// How tests run.
struct TestOptions {
  std::uint64_t seed = 0;
  std::int64_t inputs = 100;  ///< random values for a test with variables
  double timeout = 0;         ///< seconds for each test; 0: none
};

/// A test of a program that has been analysed.
struct Test {
  nesl::Unit unit;
  nesl::TestProgram program;
};

/// The outcome of a test in one configuration.
struct TestResult {
  enum class Outcome {
    kPassed,
    kFailed,       ///< the condition is false
    kError,        ///< it could not be computed, or its expression cannot be compiled
    kInterrupted,  ///< Ctrl-C
  };
  Outcome outcome = Outcome::kPassed;
  std::string details = {};  ///< whole lines about a failure: values of variables, both sides, messages, printed text
  std::int64_t inputs = 0;   ///< number for which the test was computed, without those of shrinking
  double seconds = 0;
};

/// Runs tests with one engine.
class TestRunner {
 public:
  TestRunner(TrialEngine& engine, const TestOptions& options) : engine_(engine), options_(options) {}

  /// Compiles tests, and computes the variables of the program that they use. Once, before the first run.
  void prepare(const std::vector<Test>& tests);
  /// Runs the test with this index.
  TestResult run(std::size_t index);

 private:
  using Inputs = std::vector<Sample>;

  struct Compiled {
    const Test* test = nullptr;
    std::unique_ptr<TrialEngine::Expression> assumption, condition;
    std::string problem;  ///< why it cannot be compiled
  };
  /// The outcome of one computation of the condition.
  struct Verdict {
    enum class Kind { kTrue, kFalse, kFault, kDiscarded, kTimeout, kInterrupted };
    Kind kind = Kind::kTrue;
    std::string details = {};
    bool is_failure() const { return kind == Kind::kFalse || kind == Kind::kFault; }
  };

  TestResult search(const Compiled& compiled);
  Verdict judge(const Compiled& compiled, const Inputs& inputs);
  Verdict fault(const interp::RunResult& result);
  std::optional<std::vector<runtime::Value>> entries(const Test& test, const Inputs& inputs);
  std::string sides(const Compiled& compiled, const std::vector<runtime::Value>& stack);
  std::string text_of(const Test& test, const Inputs& inputs);
  int shrink(const Compiled& compiled, Inputs& inputs, Verdict& verdict);

  TrialEngine& engine_;
  const TestOptions options_;
  std::vector<Compiled> compiled_;
};

}  // namespace nesl_cli

// Runs programs through nesl2vcode, fcode-opt and vinterp: the optimized program must print the same text as the
// compiled one, with FLOATs to the last bit, with compiled kernels or without, on any number of threads. The programs:
// examples, the statements of the NESL cases, sums of floats, and random VCODE. Every program of the compiler runs both
// unchanged and with lengths that the optimizer does not know. run_chain [GoogleTest options] Environment:
// NESL_TEST_LONG, if not empty: all programs at all levels in all ways, instead of a sample of them, each at one level
// in one way.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>

#include "../nesl/nesl_case_file.h"
#include "../random-programs/random_program.h"
#include "../support/read_text.h"
#include "../vcode/child_process.h"
#include "hide_lengths.h"
#include "vcode/reader.h"

namespace {

constexpr int kLevels = 3;

/// Numbers of threads of the optimized program's runs, and when its kernels are compiled.
constexpr const char* kThreads[] = {"--threads=1", "--threads=2", "--threads=3", "--threads=5"};
constexpr const char* kModes[] = {"--native=off", "--native=always"};

/// How often an optimized program runs.
enum class Extent {
  kOnce,       ///< at one level, in one mode
  kBothModes,  ///< at all levels, in both modes, each on another number of threads
  kEverywhere  ///< at all levels, in both modes, on all numbers of threads
};

bool is_long() {
  const char* value = std::getenv("NESL_TEST_LONG");
  return value != nullptr && *value != '\0';
}

Extent usual_extent() { return is_long() ? Extent::kBothModes : Extent::kOnce; }

/// The common results of two runs of a program. Reports of errors are left out: their locations are in different texts.
struct Outcome {
  int exit_status;
  std::string output;
  std::string written;  ///< to standard error, without the reports of errors
};

std::string text_of(const Outcome& outcome) {
  return "exit status " + std::to_string(outcome.exit_status) + "\n" + outcome.output + outcome.written;
}

/// A program in a folder of its own, and the commands that process it.
class Chain {
 public:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_.path() / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const { return read_text(directory_.path() / name); }

  /// Compiles program.nesl to program.vcode. Returns whether the compiler accepts it.
  bool compile() const { return run({NESL_NESL2VCODE, "program.nesl", "-o", "program.vcode"}).exit_status == 0; }

  /// Compares a program with its optimized versions, of which `number` chooses some.
  void compare(const std::string& program, int number, Extent extent) const {
    const Outcome expected = outcome(program, kThreads[0], kModes[0]);
    for (int level = 0; level < kLevels; ++level) {
      if (extent == Extent::kOnce && level != number % kLevels) continue;
      const std::string option = "-O" + std::to_string(level);
      const ProcessResult optimizer = run({NESL_FCODE_OPT, "--verify", option, program, "-o", "program.fcode"});
      ASSERT_EQ(optimizer.exit_status, 0) << option << "\n" << optimizer.errors << read(program);
      const auto chosen = static_cast<std::size_t>(number / kLevels + level);
      for (std::size_t mode = 0; mode < std::size(kModes); ++mode)
        for (std::size_t threads = 0; threads < std::size(kThreads); ++threads) {
          if (extent == Extent::kOnce && mode != chosen % std::size(kModes)) continue;
          if (extent != Extent::kEverywhere && threads != (chosen / 2 + mode) % std::size(kThreads)) continue;
          const Outcome actual = outcome("program.fcode", kThreads[threads], kModes[mode]);
          EXPECT_EQ(text_of(actual), text_of(expected))
              << option << " " << kThreads[threads] << " " << kModes[mode] << "\n"
              << read(program) << "\n"
              << read("program.fcode");
        }
    }
  }

 private:
  ProcessResult run(const std::vector<std::string>& command) const {
    return run_process(command, directory_.path(), "", {});
  }

  Outcome outcome(const std::string& program, const char* threads, const char* mode) const {
    const ProcessResult result = run({NESL_VINTERP, threads, mode, "--print=shortest", "--timeout=60", program});
    return {result.exit_status, result.output, without_report(result.errors)};
  }

  /// Removes the report of an error, which comes last.
  static std::string without_report(const std::string& errors) {
    static const std::regex kPlace(R"((program|hidden)\.(nesl|vcode|fcode):\d+:)");
    std::smatch found;
    return std::regex_search(errors, found, kPlace) ? found.prefix().str() : errors;
  }

  ScratchDirectory directory_;
};

/// A NESL program. The compiler may refuse it if it `may_be_wrong`.
class NeslProgram : public testing::Test {
 public:
  NeslProgram(std::string text, int number, bool may_be_wrong, Extent extent = usual_extent())
      : text_(std::move(text)), number_(number), may_be_wrong_(may_be_wrong), extent_(extent) {}

  void TestBody() override {
    const Chain chain;
    chain.write("program.nesl", text_);
    if (!chain.compile()) {
      EXPECT_TRUE(may_be_wrong_) << "the compiler refuses\n" << text_;
      GTEST_SKIP() << "the compiler refuses it";
    }
    chain.compare("program.vcode", number_, extent_);
    const base::Source source("program.vcode", chain.read("program.vcode"));
    base::Diagnostics diagnostics;
    const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
    ASSERT_TRUE(program) << render(source, diagnostics);
    chain.write("hidden.vcode", with_hidden_lengths(*program));
    chain.compare("hidden.vcode", number_ / kLevels * kLevels + kLevels - 1, extent_);
  }

 private:
  std::string text_;
  int number_;
  bool may_be_wrong_;
  Extent extent_;
};

/// VCODE that does not come from the compiler.
class RandomVcode : public testing::Test {
 public:
  explicit RandomVcode(int number) : number_(number) {}

  void TestBody() override {
    const auto seed = static_cast<std::uint64_t>(number_);
    cvl::conformance::Rng rng(seed);
    const Chain chain;
    chain.write("program.vcode", property::print_program(property::make_program(rng, 40), seed));
    chain.compare("program.vcode", number_, usual_extent());
  }

 private:
  int number_;
};

void add(const char* suite, const std::string& name, std::function<testing::Test*()> make) {
  testing::RegisterTest(suite, name.c_str(), nullptr, nullptr, __FILE__, __LINE__, std::move(make));
}

void add_examples() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(NESL_EXAMPLES_DIR))
    if (entry.path().extension() == ".nesl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (std::size_t k = 0; k < files.size(); ++k)
    add("examples", files[k].stem(), [text = read_text(files[k]), k]() -> testing::Test* {
      return new NeslProgram(text, static_cast<int>(k), false);
    });
}

/// Adds each statement of a case, after the earlier statements that the reference system accepts.
void add_cases(const char* file) {
  constexpr int kPart = 8;  ///< the short test takes every kPart-th run
  int number = 0;
  for (const nesl_cases::Case& test_case : nesl_cases::read_cases(std::filesystem::path(NESL_CASES_DIR) / file)) {
    std::string before;
    for (const nesl_cases::CaseStatement& step : test_case.steps) {
      const std::string text = before + step.statement + "\n";
      if (step.expected.error_class.empty()) before = text;
      // Definitions are skipped, as they compute nothing.
      if (step.expected.value.find(" = fn : ") != std::string::npos) continue;
      if (++number % kPart != 0 && !is_long()) continue;
      const std::string& error = step.expected.error_class;
      const bool may_be_wrong = !error.empty() && error != "runtime" && error != "user";
      add("nesl", test_case.name + "." + std::to_string(step.line), [text, number, may_be_wrong]() -> testing::Test* {
        return new NeslProgram(text, number / kPart, may_be_wrong);
      });
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    add_examples();
    add("floats", "sums",
        []() -> testing::Test* { return new NeslProgram(read_text(NESL_FLOAT_SUMS), 0, false, Extent::kEverywhere); });
    for (const char* file : {"cases.txt", "library.txt"}) add_cases(file);
    const int programs = is_long() ? 2000 : 150;
    for (int k = 0; k < programs; ++k)
      add("random", std::to_string(k), [k]() -> testing::Test* { return new RandomVcode(k); });
    const int failed = RUN_ALL_TESTS();
    if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
      std::cerr << "run_chain: no program was selected\n";
      return 1;
    }
    return failed;
  } catch (const std::exception& error) {
    std::cerr << "run_chain: " << error.what() << "\n";
    return 1;
  }
}

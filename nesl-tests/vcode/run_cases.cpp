// Runs the cases of case files through vinterp: run_cases [GoogleTest options] FILE...
// Environment: NESL_TEST_VINTERP_ARGS, options for every run; NESL_TEST_VINTERP, another vinterp; NESL_TEST_OPT,
// options of fcode-opt, which then optimizes every program first. The optimizer keeps the text of a run-time error, but
// not its location. NESL_TEST_WIDTHS, options of vinterp that set the widths of numbers: the expected results are then
// those of the unoptimized program, FLOATs up to the last digits.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <sstream>

#include "case_file.h"
#include "child_process.h"

namespace {

std::string environment_or(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

/// Options for all cases.
struct Setting {
  std::string vinterp;
  std::vector<std::string> options;
  bool optimizes = false;
  std::vector<std::string> optimizer_options;
  std::vector<std::string> width_options;
  std::vector<CaseException> exceptions;
};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

Setting read_setting() {
  Setting setting;
  setting.vinterp = environment_or("NESL_TEST_VINTERP", NESL_VINTERP);
  setting.options = words_of(environment_or("NESL_TEST_VINTERP_ARGS", ""));
  setting.optimizer_options = words_of(environment_or("NESL_TEST_OPT", ""));
  setting.width_options = words_of(environment_or("NESL_TEST_WIDTHS", ""));
  setting.optimizes = !setting.optimizer_options.empty();
  setting.exceptions = read_exceptions(NESL_CASES_DIR "/exceptions.txt");
  return setting;
}

class VcodeCase : public testing::Test {
 public:
  VcodeCase(const Setting& setting, const Case& test_case) : setting_(setting), case_(test_case) {}

  void TestBody() override {
    std::vector<std::string> options = setting_.options;
    options.insert(options.end(), setting_.optimizer_options.begin(), setting_.optimizer_options.end());
    for (const CaseException& exception : setting_.exceptions) {
      if (exception.applies(case_, options)) GTEST_SKIP() << exception.reason;
    }
    const ScratchDirectory directory;
    std::ofstream(directory.path() / "program.vcode", std::ios::binary) << case_.program;
    if (setting_.optimizes) {
      const ProcessResult result = run_process(optimizer_command(), directory.path(), "", {});
      if (result.exit_status != 0) return check(result);
    }
    const ProcessResult result = run_process(command(optimized_name()), directory.path(), case_.input, environment());
    if (setting_.width_options.empty()) return check(result);
    check_as_unoptimized(run_process(command("program.vcode"), directory.path(), case_.input, environment()), result);
  }

 private:
  const char* optimized_name() const { return setting_.optimizes ? "program.fcode" : "program.vcode"; }

  std::vector<std::string> command(const char* program) const {
    std::vector<std::string> command{setting_.vinterp};
    for (const auto* options : {&setting_.options, &setting_.width_options, &case_.args})
      command.insert(command.end(), options->begin(), options->end());
    command.emplace_back(program);
    return command;
  }

  std::vector<std::string> optimizer_command() const {
    std::vector<std::string> command{NESL_FCODE_OPT, "--verify"};
    command.insert(command.end(), setting_.optimizer_options.begin(), setting_.optimizer_options.end());
    command.insert(command.end(), {"program.vcode", "-o", "program.fcode"});
    return command;
  }

  std::vector<std::string> environment() const {
    const bool spawns = std::find(case_.tags.begin(), case_.tags.end(), "spawn") != case_.tags.end();
    return spawns ? std::vector<std::string>{"NESL_ALLOW=spawn"} : std::vector<std::string>{};
  }

  void check(const ProcessResult& result) const {
    EXPECT_EQ(result.exit_status, case_.exit_status) << "standard error:\n" << result.errors;
    EXPECT_EQ(result.output, case_.output) << "standard error:\n" << result.errors;
    if (case_.errors) {
      if (setting_.optimizes)
        EXPECT_EQ(error_words(result.errors), error_words(*case_.errors));
      else
        EXPECT_EQ(result.errors, *case_.errors);
    }
    for (std::string excerpt : case_.error_excerpts) {
      if (const std::size_t at = excerpt.find(": error:"); setting_.optimizes && at != std::string::npos)
        excerpt.erase(0, at);
      EXPECT_NE(result.errors.find(excerpt), std::string::npos) << "standard error lacks: " << excerpt << "\nit is:\n"
                                                                << result.errors;
    }
  }

  void check_as_unoptimized(const ProcessResult& expected, const ProcessResult& result) const {
    EXPECT_EQ(result.exit_status, expected.exit_status) << "standard error:\n" << result.errors;
    EXPECT_TRUE(is_close(result.output, expected.output)) << result.output << "is not close to\n" << expected.output;
    if (expected.exit_status != 0) {
      EXPECT_EQ(error_words(result.errors), error_words(expected.errors));
    }
  }

  /// Whether texts agree word by word, and numbers that are no INTs up to kTolerance.
  static bool is_close(const std::string& text, const std::string& other) {
    constexpr double kTolerance = 1e-5;
    const std::vector<std::string> words = words_of(text), others = words_of(other);
    return std::equal(words.begin(), words.end(), others.begin(), others.end(),
                      [](const std::string& a, const std::string& b) {
                        if (a == b) return true;
                        if (a.find('.') == std::string::npos) return false;
                        const double x = std::strtod(a.c_str(), nullptr), y = std::strtod(b.c_str(), nullptr);
                        return std::fabs(x - y) <= kTolerance * std::fabs(y);
                      });
  }

  /// The text of the errors without their locations, which may be in a kernel.
  static std::string error_words(const std::string& errors) {
    static const std::regex kKernel(R"(: error: in kernel \d+ \([^)]*\): )");
    std::string words;
    std::istringstream lines(errors);
    for (std::string line; std::getline(lines, line);)
      if (const std::size_t at = line.find(": error: "); at != std::string::npos)
        words += std::regex_replace(line.substr(at), kKernel, ": error: ") + '\n';
    return words;
  }

  const Setting& setting_;
  const Case& case_;
};

using CaseFile = std::pair<std::filesystem::path, std::vector<Case>>;

std::vector<CaseFile> read_case_files(int argc, char** argv) {
  std::vector<CaseFile> files;
  for (int k = 1; k < argc; ++k) files.emplace_back(argv[k], read_case_file(argv[k], NESL_SOURCE_DIR));
  return files;
}

void register_cases(const Setting& setting, const std::vector<CaseFile>& files) {
  for (const auto& [path, cases] : files) {
    for (const Case& test_case : cases) {
      testing::RegisterTest(path.stem().c_str(), test_case.name.c_str(), nullptr, nullptr, path.c_str(), test_case.line,
                            [&setting, &test_case]() -> testing::Test* { return new VcodeCase(setting, test_case); });
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  try {
    const Setting setting = read_setting();
    const std::vector<CaseFile> files = read_case_files(argc, argv);
    register_cases(setting, files);
    const int failed = RUN_ALL_TESTS();
    if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
      std::cerr << "run_cases: no case was selected\n";
      return 1;
    }
    return failed;
  } catch (const std::exception& error) {
    std::cerr << "run_cases: " << error.what() << "\n";
    return 1;
  }
}

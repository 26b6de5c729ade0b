// Runs the cases of case files through vinterp: run_cases [GoogleTest options] FILE...
// Environment: NESL_TEST_VINTERP_ARGS, options for every run; NESL_TEST_VINTERP, another vinterp.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>

#include "case_file.h"
#include "child_process.h"

namespace {

std::string environment_or(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

/// How all cases are run.
struct Setting {
  std::string vinterp;
  std::vector<std::string> options;
  std::vector<CaseException> exceptions;
};

Setting read_setting() {
  Setting setting;
  setting.vinterp = environment_or("NESL_TEST_VINTERP", NESL_VINTERP);
  std::istringstream words(environment_or("NESL_TEST_VINTERP_ARGS", ""));
  for (std::string word; words >> word;) setting.options.push_back(word);
  setting.exceptions = read_exceptions(NESL_CASES_DIR "/exceptions.txt");
  return setting;
}

class VcodeCase : public testing::Test {
 public:
  VcodeCase(const Setting& setting, const Case& test_case) : setting_(setting), case_(test_case) {}

  void TestBody() override {
    for (const CaseException& exception : setting_.exceptions) {
      if (exception.applies(case_, setting_.options)) GTEST_SKIP() << exception.reason;
    }
    const ScratchDirectory directory;
    std::ofstream(directory.path() / "program.vcode", std::ios::binary) << case_.program;
    check(run_process(command(), directory.path(), case_.input, environment()));
  }

 private:
  std::vector<std::string> command() const {
    std::vector<std::string> command{setting_.vinterp};
    command.insert(command.end(), setting_.options.begin(), setting_.options.end());
    command.insert(command.end(), case_.args.begin(), case_.args.end());
    command.emplace_back("program.vcode");
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
      EXPECT_EQ(result.errors, *case_.errors);
    }
    for (const std::string& excerpt : case_.error_excerpts) {
      EXPECT_NE(result.errors.find(excerpt), std::string::npos) << "standard error lacks: " << excerpt << "\nit is:\n"
                                                                << result.errors;
    }
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

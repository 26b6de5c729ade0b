// The fcode-opt command, run as a process: destinations of results and messages, and errors.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "../support/read_text.h"
#include "../vcode/child_process.h"

namespace {

constexpr const char* kProgram = "FUNC MAIN\nCONST INT 1\nCONST INT 2\n+ INT\nRET\n";
constexpr const char* kOptimized = "FUNC MAIN\nCONST INT 3\nRET\n\n";

class FcodeOpt : public testing::Test {
 protected:
  ProcessResult run(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), {NESL_FCODE_OPT, "--verify"});
    return run_process(arguments, directory_.path(), input, {});
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(directory_.path() / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) { return read_text(directory_.path() / name); }
  /// Names of all files in the folder.
  std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path()))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  void expect_refusal(const std::vector<std::string>& arguments, const std::string& errors) {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors, errors);
  }

  ScratchDirectory directory_;
};

TEST_F(FcodeOpt, WritesToStandardOutputOrAFile) {
  write("a.vcode", kProgram);
  EXPECT_EQ(run({"a.vcode"}).output, kOptimized);
  EXPECT_EQ(run({"-"}, kProgram).output, kOptimized);
  const ProcessResult result = run({"a.vcode", "-o", "a.fcode"});
  EXPECT_EQ(result.output + result.errors, "");
  EXPECT_EQ(read("a.fcode"), kOptimized);
  EXPECT_EQ(files(), (std::vector<std::string>{"a.fcode", "a.vcode"}));
}

TEST_F(FcodeOpt, OptionsOfPassesTakeListsAndLeaveTheFileAlone) {
  write("a.vcode", kProgram);
  EXPECT_EQ(run({"--passes", "inline,dead-parameters", "a.vcode"}).output, std::string(kProgram) + "\n");
  EXPECT_EQ(run({"--disable-pass=simplify", "a.vcode"}).output, std::string(kProgram) + "\n");
  EXPECT_EQ(run({"-O0", "a.vcode"}).output, std::string(kProgram) + "\n");
  EXPECT_EQ(run({"--passes", "simplify", "--disable-pass=simplify,moves", "a.vcode"}).output,
            std::string(kProgram) + "\n");
  EXPECT_EQ(run({"--print-after=moves", "--passes=moves", "a.vcode"}).errors.substr(0, 32),
            "-- after permutation-elimination");
  EXPECT_EQ(run({"--print-after=simplify", "--passes=simplify", "a.vcode"}).errors,
            "-- after simplify\nentry MAIN ()\n  v2: Int scalar = CONST INT 3\n  ret v2\n\n");
}

TEST_F(FcodeOpt, ListsPasses) {
  const ProcessResult result = run({"--list-passes"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.errors, "");
  EXPECT_NE(result.output.find("\ndead-parameters  "), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("\n-O1: dead-parameters,scalars,"), std::string::npos) << result.output;
}

TEST_F(FcodeOpt, ReportsGoToStandardError) {
  write("a.vcode", kProgram);
  const ProcessResult result = run({"--explain", "--time-passes", "a.vcode"});
  EXPECT_EQ(result.output, kOptimized);
  EXPECT_NE(result.errors.find("before: 1 functions, 3 instructions"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find(" ms\n"), std::string::npos) << result.errors;
}

TEST_F(FcodeOpt, ErrorsInTheProgramAreLocated) {
  write("a.vcode", "FUNC MAIN\nCONST INT 1\n+ INT\nRET\n");
  write("b.vcode", "FUNC MAIN\nCONST IMT 1\nRET\n");
  const ProcessResult underflow = run({"a.vcode", "-o", "x"});
  EXPECT_EQ(underflow.exit_status, 1);
  EXPECT_NE(underflow.errors.find("a.vcode:3:1: error: stack underflow"), std::string::npos) << underflow.errors;
  const ProcessResult syntax = run({"b.vcode", "-o", "x"});
  EXPECT_EQ(syntax.exit_status, 1);
  EXPECT_NE(syntax.errors.find("b.vcode:2:7: error: "), std::string::npos) << syntax.errors;
  EXPECT_EQ(files(), (std::vector<std::string>{"a.vcode", "b.vcode"}));
}

TEST_F(FcodeOpt, BadOptionsAndFilesAreRefused) {
  const std::string usage = "usage: fcode-opt [OPTION]... FILE    (fcode-opt --help lists the options)\n";
  write("a.vcode", kProgram);
  expect_refusal({"none.vcode"}, "fcode-opt: cannot open none.vcode: No such file or directory\n");
  expect_refusal({"."}, "fcode-opt: cannot read .: Is a directory\n");
  expect_refusal({"a.vcode", "-o", "no/x"}, "fcode-opt: cannot write no/x: No such file or directory\n");
  expect_refusal({"a.vcode", "-o", "/dev/full"}, "fcode-opt: cannot write /dev/full: No space left on device\n");
  expect_refusal({"a.vcode", "--passes=simplfy"},
                 "fcode-opt: --passes: there is no pass simplfy (--list-passes names them)\n" + usage);
  expect_refusal({"a.vcode", "--fusion=best"},
                 "fcode-opt: --fusion: best is not one of greedy|ilp|none|paper\n" + usage);
  expect_refusal({"a.vcode", "-O7"}, "fcode-opt: -O: Value 7 not in range 0 to 2\n" + usage);
  expect_refusal({"a.vcode", "--nonsense"}, "fcode-opt: there is no option --nonsense\n" + usage);
  EXPECT_EQ(files(), std::vector<std::string>{"a.vcode"});
}

}  // namespace

#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "../support/read_text.h"
#include "../vcode/child_process.h"

/// A folder, and the nesl command run in it.
struct Command : testing::Test {
  ScratchDirectory directory;
  ProcessResult result;

  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(directory.path() / name) << text;
    return name;
  }
  std::string text_of(const std::string& name) { return read_text(directory.path() / name); }
  const ProcessResult& nesl(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), NESL_COMMAND);
    return result = run_process(arguments, directory.path(), input, {});
  }
  /// Runs a line in a shell.
  const ProcessResult& shell(const std::string& line) {
    return result = run_process({"/bin/sh", "-c", line}, directory.path(), "", {});
  }
  void expect(int status, const std::string& output, const std::string& errors) {
    EXPECT_EQ(result.exit_status, status);
    EXPECT_EQ(result.output, output);
    EXPECT_EQ(result.errors, errors);
  }
  /// Expects status 1, nothing on standard output, and an error with this beginning.
  void expect_error(const std::string& beginning) {
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors.substr(0, beginning.size()), beginning);
  }
};

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "test_runner.h"

namespace nesl_cli {

/// The outcome of a test, with its place.
struct TestRow {
  std::string file;
  std::uint32_t line = 0, column = 0;
  std::string title;
  std::string configuration;  ///< options, as -O1 --backend=cpu; empty if the test runs in one configuration only
  TestResult result;
};

/// All outcomes of a run of `nesl test`.
struct TestReport {
  std::vector<TestRow> rows;
  std::vector<std::string> broken_files;  ///< whose tests were not run, because the file has errors
  std::uint64_t seed = 0;
  double seconds = 0;
  std::size_t failures() const;
};

/// Lines about a failed test: its place and title, then the details, indented. Of a passed one, a line.
std::string row_text(const TestRow& row);
/// The last line: how many passed and failed, the time and the seed.
std::string summary_text(const TestReport& report);
/// The report in the XML format of JUnit, a test suite for each file.
std::string junit_text(const TestReport& report);
/// The report as JSON.
std::string json_text(const TestReport& report);

}  // namespace nesl_cli

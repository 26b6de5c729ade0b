#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/flags.h"

namespace nesl_cli {

/// The command-line options of `nesl test` beside those about optimizing and running.
struct TestFlags {
  std::vector<std::string> names;     ///< files and folders; empty: the current folder
  std::string filter;                 ///< only tests whose title contains this
  std::optional<std::uint64_t> seed;  ///< of the random inputs; a new one for each run if not given
  std::int64_t inputs = 100;          ///< random values for each test with variables
  std::string junit;                  ///< name of a file for a report in the format of JUnit; empty: none
  bool json = false;                  ///< print the report as JSON
  bool all = false;                   ///< at each level of optimization with each backend
  bool verbose = false;               ///< also list tests that pass
};

/// Runs the tests in files and prints the failed ones and a summary. Returns 1 if a test fails, a file has errors, or
/// there are no tests, and 130 after an interrupt.
int run_tests(const TestFlags& test_flags, const Flags& flags);

}  // namespace nesl_cli

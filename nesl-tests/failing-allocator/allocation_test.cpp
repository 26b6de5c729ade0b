// Every program, with an allocator that fails at some call: the program must do its work all the same, or end with a
// message and status 1. A sample of the calls of each run is tried; NESL_ALLOCATION_TRIES in the environment is its
// size.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "../vcode/child_process.h"

namespace {

constexpr long kTries = 70;

const char* const kVcode =
    "FUNC MAIN CONST INT (3 1 2) CONST SEGDES 3 COPY 1 0 CALL TWICE CONST INT 5 CONST SEGDES 1000 DIST INT\n"
    "  CONST SEGDES 1000 +_REDUCE INT CONST CHAR \"text\" CONST INT STDERR FWRITE CHAR POP 2 0 RET\n"
    "FUNC TWICE POP 1 0 COPY 1 1 COPY 1 0 + INT CPOP 1 1 RANK_UP INT RET\n";

const char* const kNesl =
    "function double(v) = {2 * x : x in v};\n"
    "function down(n) = if n == 0 then 0 else 1 + down(n - 1);\n"
    "x = double([3, 1, 2]);\n"
    "(sum(double([0:1000])), down(5), \"text\" ++ @x[0]);\n";

struct Allocation : testing::Test {
  ScratchDirectory directory;
  std::vector<std::string> command;

  ProcessResult run(const std::string& failing) {
    std::vector<std::string> environment = {"LD_PRELOAD=" NESL_FAILING_ALLOCATOR, "NESL_COUNT_ALLOCATIONS=count"};
    if (!failing.empty()) environment.push_back("NESL_FAIL_ALLOCATION=" + failing);
    return run_process(command, directory.path(), "", environment);
  }
  long count() const {
    long n = 0;
    std::ifstream(directory.path() / "count") >> n;
    return n;
  }
  void SetUp() override {
    std::ofstream(directory.path() / "p.vcode") << kVcode;
    std::ofstream(directory.path() / "p.nesl") << kNesl;
  }

  void try_calls() {
    const ProcessResult good = run("");
    ASSERT_EQ(good.exit_status, 0) << good.errors;
    const long calls = count();
    ASSERT_GT(calls, 100) << "the allocator is not used";
    const char* more_tries = std::getenv("NESL_ALLOCATION_TRIES");
    const long step = std::max(1L, calls / (more_tries == nullptr ? kTries : std::max(1L, std::atol(more_tries))));
    long refused = 0;
    for (long n = 1; n <= calls; n += step) {
      // Only this call fails, or this call and all that follow.
      for (const char* more : {"", "+"}) {
        const ProcessResult result = run(std::to_string(n) + more);
        const std::string which = "allocation " + std::to_string(n) + more + " fails: " + result.errors;
        if (result.exit_status == 0) {
          // The output may have the message instead: for a library, in the words of the system's loader.
          const bool says_so = result.output.find("annot allocate") != std::string::npos ||
                               result.output.find("not available: ") != std::string::npos;
          EXPECT_TRUE(says_so || result.output == good.output) << which << result.output;
          continue;
        }
        ++refused;
        EXPECT_NE(result.errors, "") << which;
        EXPECT_TRUE(result.exit_status == 1 || is_of_the_loader(result)) << which << result.exit_status;
      }
    }
    EXPECT_GT(refused, 0);
  }

  /// Whether the loader ended the program, with its own message, before the program's first instruction.
  static bool is_of_the_loader(const ProcessResult& result) {
    return result.exit_status == 127 && result.output.empty();
  }
};

TEST_F(Allocation, Vinterp) {
  command = {NESL_VINTERP, "--threads=1", "p.vcode"};
  try_calls();
}

TEST_F(Allocation, FcodeOpt) {
  command = {NESL_FCODE_OPT, "p.vcode"};
  try_calls();
}

TEST_F(Allocation, Nesl) {
  command = {NESL_COMMAND, "run", "--threads=1", "p.nesl"};
  try_calls();
}

TEST_F(Allocation, CallsInPieces) {
  std::ofstream(directory.path() / "p.nesl")
      << "function sums(n) = if n < 2 then [n] else flatten({sums(k) : k in [n / 2, n - n / 2]});\n"
         "{sum(sums(n)) : n in [3:40]};\n";
  for (const char* threads : {"--threads=1", "--threads=3"}) {
    command = {NESL_COMMAND, "run", "--pieces=1", threads, "p.nesl"};
    try_calls();
  }
}

TEST_F(Allocation, NeslStatements) {
  command = {NESL_COMMAND, "--threads=1", "-e", "v = {x * x : x in [1, 2, 3]}; sum(v)"};
  try_calls();
}

TEST_F(Allocation, Nesl2vcode) {
  command = {NESL_NESL2VCODE, "p.nesl"};
  try_calls();
}

TEST_F(Allocation, CommandLines) {
  for (const char* program : {NESL_VINTERP, NESL_FCODE_OPT, NESL_COMMAND, NESL_NESL2VCODE}) {
    command = {program, "--version"};
    try_calls();
  }
}

}  // namespace

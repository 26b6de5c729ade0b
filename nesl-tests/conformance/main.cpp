#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include "configuration.h"

/// A number below `parts`, which depends on NESL_TEST_SEED.
static unsigned chosen_part(unsigned parts) {
  const char* const seed = std::getenv("NESL_TEST_SEED");
  return static_cast<unsigned>((seed != nullptr ? std::strtoull(seed, nullptr, 10) : 0) % parts);
}

/// Makes GoogleTest run one of `parts` parts of the tests.
static void run_one_of(unsigned parts) {
  setenv("GTEST_TOTAL_SHARDS", std::to_string(parts).c_str(), 1);
  setenv("GTEST_SHARD_INDEX", std::to_string(chosen_part(parts)).c_str(), 1);
}

/// cvl-conformance BACKEND [options]: runs every operation of a vector library against the oracle.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  cvl::conformance::Configuration& chosen = cvl::conformance::configuration();
  CLI::App app("Checks that a vector library computes what its interface promises.");
  app.add_option("backend", chosen.backend, "name of the library: libcvl-NAME.so, or oracle or host")->required();
  app.add_option("--directory", chosen.directory, "where the library is; default: beside this program");
  app.add_option("--threads", chosen.options.threads, "threads of the library; 0: all");
  app.add_option("--simd", chosen.simd, "instruction set of the library; default: the best");
  app.add_option("--native", chosen.native, "which kernels it compiles: off, hot or always");
  app.add_option("--seed", chosen.seed, "seed of the data");
  app.add_option("--every", chosen.every,
                 "take one of so many kernels, chosen by NESL_TEST_SEED, or all if NESL_TEST_LONG is set")
      ->check(CLI::Range(1, 1000));
  unsigned parts = 1;
  app.add_option("--part-of", parts, "run one of so many parts of the tests, chosen by NESL_TEST_SEED")
      ->check(CLI::Range(1, 100));
  CLI11_PARSE(app, argc, argv);
  if (parts > 1) run_one_of(parts);
  if (std::getenv("NESL_TEST_LONG") != nullptr) chosen.every = 1;
  chosen.which = static_cast<int>(chosen_part(static_cast<unsigned>(chosen.every)));
  chosen.options.simd = chosen.simd.c_str();
  chosen.options.native = chosen.native.c_str();

  std::string error;
  auto backend = chosen.create(chosen.options, error);
  if (backend == nullptr) {
    // The status for a missing instruction set, which CTest counts as a skipped test.
    constexpr int kSkipped = 77;
    const bool lacks_instructions = error.find("this processor does not have the instruction set") != error.npos;
    fmt::print(stderr, "[{}] {}\n", lacks_instructions ? "SKIP" : "FAILED", error);
    return lacks_instructions ? kSkipped : 1;
  }
  fmt::print("backend: {}\n", backend->description());
  if (chosen.every > 1) fmt::print("kernels: number {} of each {}\n", chosen.which, chosen.every);
  backend.reset();
  return RUN_ALL_TESTS();
}

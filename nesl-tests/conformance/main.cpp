#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include "configuration.h"

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
  CLI11_PARSE(app, argc, argv);
  if (std::getenv("NESL_TEST_LONG") != nullptr) chosen.every = 1;
  if (const char* seed = std::getenv("NESL_TEST_SEED"))
    chosen.which = static_cast<int>(std::strtoull(seed, nullptr, 10) % static_cast<unsigned>(chosen.every));
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

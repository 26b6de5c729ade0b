#pragma once

#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace property {

/// The seed of a property test: another one in every run, unless --seed or the environment sets it.
class Seed {
 public:
  void add_to(CLI::App& app) {
    app.add_option("--seed", value_, "of the first program; the others follow; default: another one in every run")
        ->envname("NESL_TEST_SEED");
    program_ = app.get_name();
  }
  /// The seed of program number `index` of this run.
  std::uint64_t of(std::int64_t index) const { return value_ + static_cast<std::uint64_t>(index); }
  /// Prints the seed. Called before the first program, so that a run that is stopped can be repeated, too.
  void print() const {
    fmt::print("seed {}: NESL_TEST_SEED={} repeats this run\n", value_, value_);
    std::fflush(stdout);
  }
  /// The command that repeats program number `index`, with the other options that matter.
  std::string command(std::int64_t index, const std::string& options = "") const {
    return fmt::format("{} --seed {} --programs 1{}{}", program_, of(index), options.empty() ? "" : " ", options);
  }

 private:
  std::uint64_t value_ = std::random_device()();
  std::string program_;
};

}  // namespace property

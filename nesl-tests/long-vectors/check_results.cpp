// check_results BACKEND [OPTION]...: compares results of a vector library on long vectors with known results, and
// checks that the library survives faults, exhausted memory and many operations without a read. See docs/gpu-check.md.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>

#include "cvl/loader.h"
#include "result_checks.h"

namespace device_check {
namespace {

struct Options {
  std::string backend;
  std::int64_t elements = 100000000;
  std::int64_t large = (std::int64_t{1} << 31) + 1000;
  int repetitions = 50;
  double seconds = 1e9;
  std::string only;
};

std::unique_ptr<cvl::Backend> create(const Options& options, std::size_t memory_limit) {
  cvl::BackendOptions with;
  with.memory_limit = memory_limit;
  std::string error;
  auto backend = cvl::load_backend(options.backend, cvl::default_backend_directories(), with, error);
  if (backend == nullptr) throw std::runtime_error(error);
  return backend;
}

/// Runs checks one after the other and prints their results.
class Report {
 public:
  Report(double seconds, std::string only) : seconds_(seconds), only_(std::move(only)) {}

  void run(const std::string& name, const std::function<Finding(std::string& note)>& check) {
    if (!only_.empty() && name != only_) return;
    const double start = elapsed();
    std::string verdict, note;
    if (start > seconds_) {
      ++left_out_;
      verdict = "not run: no time is left";
    } else {
      try {
        const Finding finding = check(note);
        ++(finding.empty() ? right_ : wrong_);
        verdict = finding.empty() ? "right" : "WRONG: " + finding;
      } catch (const NoMemory& failure) {
        ++left_out_;
        verdict = fmt::format("not run: {}", failure.what());
      } catch (const std::runtime_error& failure) {
        ++wrong_;
        verdict = fmt::format("WRONG: {}", failure.what());
      }
    }
    fmt::print("{:36} {:6.2f} s  {}{}\n", name, elapsed() - start, verdict, note.empty() ? "" : " (" + note + ")");
    std::fflush(stdout);
  }
  /// Prints the total; true if all checks passed.
  bool finish() const {
    fmt::print("{} checks right, {} wrong, {} not run\n", right_, wrong_, left_out_);
    return wrong_ == 0 && right_ > 0;
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  const double seconds_;
  const std::string only_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int right_ = 0, wrong_ = 0, left_out_ = 0;
};

bool check_all(const Options& options) {
  Report report(options.seconds, options.only);
  const std::unique_ptr<cvl::Backend> backend = create(options, 0);
  const Extent usual{options.elements, ElemType::kI32, options.repetitions};
  report.run("issues without a read", [&](std::string&) { return issues_without_a_read(*backend); });
  report.run("memory exhausted", [&](std::string& note) {
    return memory_exhausted([&](std::size_t limit) { return create(options, limit); }, note);
  });
  report.run("faults of all elements", [&](std::string& note) { return whole_vector_faults(*backend, usual, note); });
  // Beyond 2^31 elements an INT of 32 bits cannot index; one repetition suffices for faults of long offsets.
  for (const Extent& extent : {usual, Extent{options.large, ElemType::kI64, 1}}) {
    if (extent.elements == 0) continue;
    for (const ResultCheck& check : result_checks())
      report.run(fmt::format("{}, {}", check.name, extent.elements), [&](std::string&) {
        DeviceVectors vectors(*backend);
        return check.check(vectors, extent);
      });
  }
  return report.finish();
}

}  // namespace
}  // namespace device_check

int main(int argc, char** argv) {
  device_check::Options options;
  CLI::App app("Checks results of a vector library on long vectors.", "check_results");
  app.add_option("backend", options.backend, "name of the library: libcvl-NAME.so")->required();
  // From 1000 on, each check has segments of all kinds; 32 bits count up to 2^31.
  app.add_option("--elements", options.elements, "of a vector with INTs of 32 bits")
      ->check(CLI::Range(std::int64_t{1000}, (std::int64_t{1} << 31) - 1))
      ->capture_default_str();
  app.add_option("--large", options.large, "elements of a vector with INTs of 64 bits; 0: none")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40))
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "of sums of floats")->capture_default_str();
  app.add_option("--seconds", options.seconds, "starts no check after this time");
  app.add_option("--only", options.only, "makes the check of this name only, as it is printed");
  CLI11_PARSE(app, argc, argv);
  try {
    return device_check::check_all(options) ? 0 : 1;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "check_results: {}\n", failure.what());
    return 1;
  }
}

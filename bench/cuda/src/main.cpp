// cuda_bench measures the CUDA vector library on a device. docs/gpu-check.md explains the numbers.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "cvl/loader.h"
#include "device.h"
#include "results.h"
#include "sampling.h"

namespace bench::cuda {
namespace {

void write_json(const Json& results, const Options& options) {
  if (options.json.empty()) return;
  // Writes to a second file and renames it, so that the results are complete whenever this process ends.
  const std::string written = options.json + ".new";
  std::ofstream file(written);
  if (!(file << results.dump(2) << '\n').flush()) throw std::runtime_error("cannot write " + written);
  std::filesystem::rename(written, options.json);
}

/// Measures part by part, and writes the results after each part: a device that fails may end this process.
Json measure_all(cvl::Backend& backend, const Options& options) {
  constexpr std::size_t kCopied = std::size_t{1} << 29;
  Json results{{"library", backend.description()},
               {"programs", Json::array()},
               {"classes", Json::array()},
               {"skew", Json::array()}};
  double bandwidth = 0;
  if (options.on_device()) {
    results["device"] = device_facts();
    bandwidth = copy_bandwidth(kCopied);
    results["copy_bytes_per_s"] = bandwidth;
  }
  results["latency"] = measure_latency(backend, options);
  write_json(results, options);
  if (options.measures_programs()) results["programs"] = measure_programs(options);
  write_json(results, options);
  if (options.only.empty()) results["classes"] = measure_classes(backend, options, bandwidth);
  if (options.measures_skew()) results["skew"] = measure_skew(backend, options, bandwidth);
  results["seconds"] = seconds_since_start();
  write_json(results, options);
  return results;
}

/// True if some measurement failed.
bool has_errors(const Json& results) {
  for (const char* part : {"classes", "skew"})
    for (const Json& row : results[part])
      if (row.contains("error")) return true;
  for (const Json& row : results["programs"])
    if (row["generated"].contains("error") || row["fused"].contains("error") || row.contains("peer_error") ||
        row.value("agrees", true) == false)
      return true;
  return false;
}

int run(const Options& options) {
  std::string error;
  const auto backend = cvl::load_backend(options.backend, cvl::default_backend_directories(), {}, error);
  if (backend == nullptr) {
    fmt::print(stderr, "cuda_bench: {}\n", error);
    return 1;
  }
  const Json results = measure_all(*backend, options);
  print_tables(results);
  fmt::print("\n{} programs and {} operations measured in {:.0f} seconds\n", results["programs"].size(),
             results["classes"].size() + results["skew"].size(), results["seconds"].get<double>());
  return has_errors(results) ? 1 : 0;
}

}  // namespace
}  // namespace bench::cuda

int main(int argc, char** argv) {
  bench::cuda::Options options;
  CLI::App app("Measures the CUDA vector library.");
  app.add_option("--backend", options.backend,
                 "vector library: cuda, or cuda-host to try this program without a device");
  app.add_option("--programs", options.programs, "folder with the compiled programs of bench/cuda/programs");
  app.add_option("--kernels", options.kernels,
                 "folder with their compiled kernels; others are compiled, and kept there");
  app.add_option("--json", options.json, "file for the results");
  app.add_option("--elements", options.elements, "most elements of a vector");
  app.add_option("--seconds", options.seconds, "start nothing after this time");
  app.add_option("--only", options.only,
                 "measure these programs only, and no operations; skew: operations over segments of skewed lengths")
      ->delimiter(',');
  app.add_flag("--quick", options.quick, "fewer sizes and samples");
  CLI11_PARSE(app, argc, argv);
  try {
    return bench::cuda::run(options);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "cuda_bench: {}\n", failure.what());
    return 1;
  }
}

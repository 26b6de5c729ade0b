/// Times the bulk operations of a vector library and their hand-written peers. Options beyond Google Benchmark's:
/// --backend=NAME, --quick.

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <string>

#include "compact_reporter.h"
#include "cvl/loader.h"
#include "runner.h"

namespace bench {
namespace {

struct Options {
  std::string backend = "cpu";
  bool quick = false;
};

/// Removes our options from the command line and returns them.
Options take_options(int& argc, char** argv) {
  Options options;
  int kept = 1;
  for (int a = 1; a < argc; ++a) {
    const std::string_view arg = argv[a];
    if (arg == "--quick")
      options.quick = true;
    else if (arg.starts_with("--backend="))
      options.backend = arg.substr(10);
    else
      argv[kept++] = argv[a];
  }
  argc = kept;
  return options;
}

/// One backend and one team of peers for each number of threads.
struct Machine {
  cvl::BackendPtr backend;
  std::unique_ptr<peers::Team> team;
};

void register_all(std::map<int, Machine>& machines, const Options& options) {
  const Effort effort = options.quick ? Effort{.seconds = 0.05, .least_samples = 5} : Effort{};
  const std::vector<std::int64_t> sizes = options.quick
                                              ? std::vector<std::int64_t>{1000, 1000000}
                                              : std::vector<std::int64_t>{1000, 10000, 100000, 1000000, 10000000};
  for (const Case& row : all_cases())
    for (const ElemType type : row.types)
      for (const Shape shape : row.shapes)
        for (const std::int64_t n : sizes)
          for (auto& entry : machines) {
            Machine& machine = entry.second;
            const std::string name =
                fmt::format("{}/{}/{}/{}/t{}", row.name, vcode::elem_name(type), shape_name(shape), n, entry.first);
            benchmark::RegisterBenchmark(name.c_str(),
                                         [&row, type, shape, n, &machine, effort](benchmark::State& state) {
                                           Workspace workspace(*machine.backend, *machine.team, shape, n);
                                           run_case(state, row, type, workspace, effort);
                                         })
                ->Iterations(1)
                ->UseManualTime()
                ->Unit(benchmark::kMicrosecond);
          }
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const bench::Options options = bench::take_options(argc, argv);
  std::map<int, bench::Machine> machines;
  for (const int threads : options.quick ? std::vector<int>{2} : std::vector<int>{1, 2}) {
    cvl::BackendOptions backend_options;
    backend_options.threads = threads;
    std::string error;
    cvl::BackendPtr backend =
        cvl::load_backend(options.backend, cvl::default_backend_directories(), backend_options, error);
    if (backend == nullptr) {
      fmt::print(stderr, "vector_bench: {}\n", error);
      return 1;
    }
    if (!backend->unified_memory()) {
      fmt::print(stderr, "vector_bench: the peers need memory that the host can read; '{}' has none\n",
                 options.backend);
      return 1;
    }
    benchmark::AddCustomContext("backend_" + std::to_string(threads), backend->description());
    machines[threads] = {std::move(backend), std::make_unique<peers::Team>(threads)};
  }
  bench::register_all(machines, options);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  bench::CompactReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return reporter.any_failed() ? 1 : 0;
}

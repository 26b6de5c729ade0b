/// Times the overhead of the interpreter: instructions on scalars and on short vectors, calls, recursion, and starting
/// up. A case is a piece of VCODE that leaves the stack unchanged. Its time is that of a loop with many copies of the
/// piece, less that of the same loop with a piece without the measured instruction. Options beyond Google Benchmark's:
/// --backend=NAME, --quick.

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cvl/loader.h"
#include "vcode-interp/run.h"
#include "vcode/reader.h"
#include "vcode/validator.h"

extern char** environ;

namespace bench {
namespace {

/// One instruction, or a few, to be timed.
struct Case {
  std::string name;
  std::string setup;     ///< runs once; leaves the operands of the piece below the loop's counter
  std::string piece;     ///< runs with the counter on top
  std::string overhead;  ///< the piece without the measured instruction
  int units = 1;         ///< number of measured instructions in the piece
};

constexpr int kCopies = 64;         ///< copies of the piece in the body of the loop
constexpr int kDepth = 5000;        ///< iterations of the loop
constexpr int kCountdown = 200000;  ///< levels of the countdown

/// A program with a loop, which in VCODE is a function that calls itself.
std::string loop_program(const std::string& setup, const std::string& piece, int rounds, int copies) {
  std::string body;
  for (int k = 0; k < copies; ++k) body += piece + "\n";
  return fmt::format(
      "FUNC MAIN\n{}\nCONST INT {}\nCALL LOOP\nEXIT\nRET\n"
      "FUNC LOOP\nCOPY 1 0\nCONST INT 0\n> INT\nIF\n{}\nCONST INT 1\n- INT\nCALL LOOP\nELSE\nENDIF\nRET\n"
      "FUNC NOTHING\nRET\n",
      setup, rounds, body);
}

/// A program ready to run.
class LinkedProgram {
 public:
  explicit LinkedProgram(std::string text) : source_("benchmark", std::move(text)) {
    base::Diagnostics diagnostics;
    program_ = vcode::parse_vcode(source_, diagnostics);
    if (program_) vcode::validate(*program_, {}, false, diagnostics);
    if (!program_ || diagnostics.has_errors()) {
      fmt::print(stderr, "{}", base::render(source_, diagnostics));
      std::exit(1);
    }
  }

  /// Runs the program and returns the seconds.
  double run(cvl::Backend& backend) const {
    const auto start = std::chrono::steady_clock::now();
    if (interp::run_program(source_, *program_, backend, {}) != 0) std::exit(1);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  base::Source source_;
  std::optional<vcode::Program> program_;
};

double median(std::vector<double> samples) {
  std::nth_element(samples.begin(), samples.begin() + std::ptrdiff_t(samples.size() / 2), samples.end());
  return samples[samples.size() / 2];
}

/// Nanoseconds that one program takes more than another, run in turns.
double difference(const LinkedProgram& more, const LinkedProgram& less, cvl::Backend& backend, int samples) {
  std::vector<double> differences;
  more.run(backend);
  for (int s = 0; s < samples; ++s) differences.push_back(more.run(backend) - less.run(backend));
  return median(std::move(differences)) * 1e9;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases{
      {"copy_pop", "", "COPY 1 0\nPOP 1 0", "", 2},
      {"swap", "CONST INT 0", "CPOP 1 1\nCPOP 1 1", "", 2},
      {"add_constant", "", "CONST INT 1\n+ INT\nCONST INT 1\n- INT", "", 2},
      {"call_return", "", "CALL NOTHING", "", 1},
  };
  for (const int n : {1, 8, 64}) {
    const std::string counting = fmt::format("CONST INT 0\nCONST INT 1\nCONST INT {}\nMAKE_SEGDES\nINDEX\n", n);
    const std::string descriptor = fmt::format("CONST INT {}\nMAKE_SEGDES\n", n);
    const auto add = [&](const char* name, const std::string& setup, const char* piece, const char* overhead) {
      cases.push_back({fmt::format("{}/{}", name, n), setup, piece, overhead});
    };
    add("add_vectors", counting + counting, "COPY 2 1\n+ INT\nPOP 1 0", "COPY 2 1\nPOP 2 0");
    add("dist", descriptor, "CONST INT 7\nCOPY 1 2\nDIST INT\nPOP 1 0", "CONST INT 7\nCOPY 1 2\nPOP 2 0");
    add("scan", counting + descriptor, "COPY 2 1\n+_SCAN INT\nPOP 1 0", "COPY 2 1\nPOP 2 0");
    add("reduce", counting + descriptor, "COPY 2 1\n+_REDUCE INT\nPOP 1 0", "COPY 2 1\nPOP 2 0");
    add("permute", counting + counting + descriptor, "COPY 3 1\nPERMUTE INT\nPOP 1 0", "COPY 3 1\nPOP 3 0");
    add("pack", counting + counting + "I_TO_B\n" + descriptor, "COPY 3 1\nPACK INT\nPOP 2 0", "COPY 3 1\nPOP 3 0");
  }
  return cases;
}

/// Seconds from starting vinterp on a program of one instruction to its end.
double start_to_finish(const std::string& vinterp, const std::string& file) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  char* const arguments[] = {const_cast<char*>(vinterp.c_str()), const_cast<char*>(file.c_str()), nullptr};
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  int status = -1;
  if (posix_spawn(&child, vinterp.c_str(), &actions, nullptr, arguments, environ) == 0) waitpid(child, &status, 0);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  posix_spawn_file_actions_destroy(&actions);
  return status == 0 ? seconds : -1;
}

void report(benchmark::State& state, double nanoseconds) {
  for (auto _ : state) state.SetIterationTime(nanoseconds * 1e-9);
  state.counters["ns"] = nanoseconds;
}

void add_benchmark(const std::string& name, std::function<void(benchmark::State&)> body) {
  benchmark::RegisterBenchmark(("interp/" + name).c_str(), std::move(body))->Iterations(1)->UseManualTime();
}

void register_all(cvl::Backend& backend, int samples) {
  for (const Case& c : all_cases())
    add_benchmark(c.name, [c, &backend, samples](benchmark::State& state) {
      const LinkedProgram more(loop_program(c.setup, c.piece, kDepth, kCopies));
      const LinkedProgram less(loop_program(c.setup, c.overhead, kDepth, c.overhead.empty() ? 0 : kCopies));
      report(state, difference(more, less, backend, samples) / (double(kDepth) * kCopies * c.units));
    });
  add_benchmark("countdown_level", [&backend, samples](benchmark::State& state) {
    const LinkedProgram more(loop_program("", "", kCountdown, 0)), less(loop_program("", "", 0, 0));
    report(state, difference(more, less, backend, samples) / kCountdown);
  });
  add_benchmark("start_to_finish", [samples](benchmark::State& state) {
    const std::string folder = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
    char name[] = "/tmp/interp_bench_XXXXXX";
    const int descriptor = mkstemp(name);
    std::ofstream(name) << "FUNC MAIN\nCONST INT 1\nRET\n";
    std::vector<double> seconds;
    for (int s = 0; s < 2 * samples; ++s) seconds.push_back(start_to_finish(folder + "/vinterp", name));
    close(descriptor);
    unlink(name);
    if (*std::min_element(seconds.begin(), seconds.end()) < 0)
      state.SkipWithError("vinterp is not beside this program, or failed");
    else
      report(state, median(seconds) * 1e9);
  });
}

/// Prints a line for each benchmark as it ends.
class Reporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override {
    fmt::print("{:<44}{:>12}\n", "benchmark", "ns");
    return true;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      any_failed_ |= run.error_occurred;
      if (run.error_occurred)
        fmt::print("{:<44}  FAILED: {}\n", run.run_name.function_name, run.error_message);
      else
        fmt::print("{:<44}{:>12.1f}\n", run.run_name.function_name, run.counters.at("ns").value);
    }
    std::fflush(stdout);
  }

  bool any_failed() const { return any_failed_; }

 private:
  bool any_failed_ = false;
};

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  std::string name = "cpu";
  bool quick = false;
  int kept = 1;
  for (int a = 1; a < argc; ++a) {
    const std::string_view arg = argv[a];
    if (arg == "--quick")
      quick = true;
    else if (arg.starts_with("--backend="))
      name = arg.substr(10);
    else
      argv[kept++] = argv[a];
  }
  argc = kept;
  std::string error;
  const cvl::BackendPtr backend = cvl::load_backend(name, cvl::default_backend_directories(), {}, error);
  if (backend == nullptr) {
    fmt::print(stderr, "interp_bench: {}\n", error);
    return 1;
  }
  benchmark::AddCustomContext("backend", backend->description());
  bench::register_all(*backend, quick ? 5 : 15);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  bench::Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}

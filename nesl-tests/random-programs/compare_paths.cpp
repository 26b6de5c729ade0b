#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "../support/verify_kernels.h"
#include "cvl/loader.h"
#include "fcode-opt/check_output.h"
#include "fcode-opt/optimize.h"
#include "in_process.h"
#include "oracle.h"
#include "random_program.h"
#include "seed.h"
#include "separate_memory.h"
#include "vcode/printer.h"
#include "vcode/reader.h"

// Random programs must behave the same on the oracle, with memory that the host can and cannot read, and on every
// configuration of the multicore library, unoptimized and optimized; or on the oracle and the library that --backend
// names.

namespace property {
namespace {

struct Configuration {
  std::string name;
  std::shared_ptr<cvl::Backend> backend;
  std::optional<fcode_opt::Fusion> fusion = {};  ///< if set, the program is optimized with this fusion
};

/// The text of the program optimized by fcode-opt.
std::string optimized(const std::string& text, fcode_opt::Fusion fusion) {
  const base::Source source("random", text);
  base::Diagnostics diagnostics;
  const fcode_opt::OptimizeResult result =
      fcode_opt::optimize(vcode::parse_vcode(source, diagnostics).value(), source, {.fusion = fusion});
  if (!result.error.empty()) return "{ " + result.error + " }";
  if (const std::string mistake = kernels::verify_kernels(result.program); !mistake.empty())
    return "{ a plan: " + mistake + " }";
  const std::string output = vcode::print_vcode(result.program);
  const std::string complaints = fcode_opt::check_output(output);
  return complaints.empty() ? output : "{ " + complaints + " }";
}

/// The difference between the results of one program on two configurations.
struct Difference {
  std::string configuration;
  std::string what;
  vcode::Widths widths;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Whether two lines have the same words, and numbers up to the last bits of library functions.
bool same_line(const std::string& a, const std::string& b, bool exact, vcode::Widths widths) {
  if (a == b) return true;
  const double tolerance = widths.float_type == vcode::ElemType::kF32 ? 1e-5 : 1e-12;
  std::istringstream x(a), y(b);
  std::string u, v;
  while (true) {
    const bool more = static_cast<bool>(x >> u);
    if (more != static_cast<bool>(y >> v)) return false;
    if (!more) return true;
    // The sign of a NaN has no meaning.
    if (u == v || (u.ends_with("nan") && v.ends_with("nan"))) continue;
    if (exact) return false;
    const double p = std::strtod(u.c_str(), nullptr), q = std::strtod(v.c_str(), nullptr);
    if (!(std::fabs(p - q) <= tolerance * std::fabs(p))) return false;
  }
}

std::string shortened(const std::string& line) {
  constexpr std::size_t kShown = 300;
  return line.size() <= kShown ? line : line.substr(0, kShown) + " …";
}

/// The beginning of a report, before elements and the stack: the report of a fault that is found late lacks these.
std::string cause_of(const std::string& report) {
  const std::string cause = report.substr(0, report.find_first_of("(\n"));
  return cause.substr(0, cause.find_last_not_of(' ') + 1);
}

class Comparison {
 public:
  /// `host_limit` as in interp::RunOptions, for all configurations except the oracle.
  Comparison(std::uint64_t seed, std::vector<Configuration>& configurations, std::int64_t host_limit)
      : seed_(seed), configurations_(configurations), host_limit_(host_limit) {}

  /// The first difference, if there is one.
  std::optional<Difference> compare(const RandomProgram& program) const {
    const std::string text = print_program(program, seed_);
    for (vcode::ElemType int_type : {vcode::ElemType::kI32, vcode::ElemType::kI64})
      for (vcode::ElemType float_type : {vcode::ElemType::kF64, vcode::ElemType::kF32})
        if (auto difference = compare(program, text, {int_type, float_type})) return difference;
    return std::nullopt;
  }

 private:
  std::optional<Difference> compare(const RandomProgram& program, const std::string& text, vcode::Widths widths) const {
    std::optional<RunResult> expected;
    for (Configuration& configuration : configurations_) {
      const std::optional<fcode_opt::Fusion> fusion = configuration.fusion;
      RunResult actual = run_text(fusion ? optimized(text, *fusion) : text, *configuration.backend, widths, seed_,
                                  false, expected ? host_limit_ : runtime::kShortLimit);
      auto differs = [&](const std::string& what) { return Difference{configuration.name, what, widths}; };
      if (actual.errors.starts_with("rejected")) return differs(actual.errors);
      if (std::size_t live = configuration.backend->memory_use().live; live != 0)
        return differs(fmt::format("{} bytes were never given back", live));
      if (!expected) {
        expected = std::move(actual);
        continue;
      }
      // An optimized program may meet another run-time error or failed check first (decision 008). Only a failed check
      // writes to standard error and exits with status 0.
      const auto stopped = [](const RunResult& r) { return r.status != 0 || !r.errors.empty(); };
      if (fusion && stopped(actual) && stopped(*expected)) continue;
      const bool late = !configuration.backend->unified_memory();
      const bool same_errors =
          late ? cause_of(actual.errors) == cause_of(expected->errors) : actual.errors == expected->errors;
      if (actual.status != expected->status || (!fusion && !same_errors))
        return differs(fmt::format("expected status {} and\n{}got status {} and\n{}", expected->status,
                                   expected->errors, actual.status, actual.errors));
      if (actual.output == expected->output) continue;
      const std::vector<std::string> want = lines_of(expected->output), got = lines_of(actual.output);
      if (want.size() != got.size()) return differs("the number of values differs");
      for (std::size_t k = 0; k < want.size(); ++k) {
        const bool exact = program.values[static_cast<std::size_t>(program.main.results[k])].exact;
        if (!same_line(want[k], got[k], exact, widths))
          return differs(fmt::format("expected {}\ngot      {}", shortened(want[k]), shortened(got[k])));
      }
    }
    return std::nullopt;
  }

  std::uint64_t seed_;
  std::vector<Configuration>& configurations_;
  std::int64_t host_limit_;
};

/// The smallest program found that differs as `program` does. `difference` becomes that of its run: a difference that
/// depends on chance may not show again.
RandomProgram shrink(const RandomProgram& program, const Comparison& comparison, Difference& difference) {
  RandomProgram smallest = program;
  auto try_program = [&](const RandomProgram& candidate) {
    std::optional<Difference> found = comparison.compare(candidate);
    if (!found) return false;
    smallest = candidate;
    difference = std::move(*found);
    return true;
  };
  // The first wrong value, with only the computations that it depends on.
  std::vector<ValueId> values = main_values(program);
  for (ValueId v : values)
    if (try_program(slice(program, {v}))) break;
  // Shorter vectors.
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t k = 0; k < smallest.main.nodes.size(); ++k) {
      const std::int64_t size = smallest.main.nodes[k].size;
      for (std::int64_t smaller : {std::int64_t{0}, std::int64_t{1}, size / 2, size - size / 8, size - 1}) {
        if (size < 0 || smaller >= size) continue;
        RandomProgram candidate = smallest;
        candidate.main.nodes[k].size = smaller;
        candidate.main.nodes[k].text = fmt::format("CONST INT {}", smaller);
        if (!try_program(candidate)) continue;
        progress = true;
        break;
      }
    }
  }
  return smallest;
}

/// The configurations to compare, starting with the oracle.
class Configurations {
 public:
  explicit Configurations(const std::string& directory)
      : directories_(directory.empty() ? cvl::default_backend_directories() : std::vector{directory}) {
    all_.push_back({"oracle", cvl::conformance::make_oracle({}, cvl::conformance::Addresses::kAnyHost)});
  }

  /// Returns false, after a message, if a library cannot be loaded. Instruction sets that the processor lacks are left
  /// out.
  bool add_every_one() {
    all_.push_back(
        {"oracle in a memory of its own", cvl::conformance::make_separate_memory(cvl::conformance::make_oracle({}))});
    if (!load("cuda-host", {}, "cuda on the host")) return false;
    if (!load("cuda-host-random", {}, "cuda on the host, in random order")) return false;
    bool found = false;
    for (const char* simd : {"baseline", "avx2", "avx512"}) {
      for (int threads : {1, 2}) {
        cvl::BackendOptions options;
        options.simd = simd;
        options.threads = threads;
        if (load("cpu", options, fmt::format("cpu, {}, {} threads", simd, threads))) found = true;
      }
    }
    if (!found) return false;
    cvl::BackendOptions native;
    native.native = "always";
    load("cpu", native, "cpu, kernels compiled");
    fuse(fcode_opt::Fusion::kIlp);
    all_.push_back({"cpu, greedily fused", all_.back().backend, fcode_opt::Fusion::kGreedy});
    all_.push_back({"cpu, fused as in 2012", all_.back().backend, fcode_opt::Fusion::kPaper});
    return true;
  }

  /// Returns false, after a message, if the library cannot be loaded. Fuses without CBC, which machines of devices may
  /// lack.
  bool add_only(const std::string& name, const std::string& native) {
    cvl::BackendOptions options;
    options.native = native.c_str();
    const bool found = load(name, options, name);
    fuse(fcode_opt::Fusion::kGreedy);
    return found;
  }

  std::vector<Configuration>& all() { return all_; }

 private:
  bool load(const std::string& name, const cvl::BackendOptions& options, const std::string& title) {
    std::string error;
    cvl::BackendPtr backend = cvl::load_backend(name, directories_, options, error);
    if (backend == nullptr) {
      fmt::print("not compared: {}: {}\n", title, error);
      return false;
    }
    all_.push_back({title, std::move(backend)});
    return true;
  }
  /// Adds a copy of each configuration that runs optimized programs.
  void fuse(fcode_opt::Fusion fusion) {
    const std::size_t plain = all_.size();
    for (std::size_t k = 0; k < plain; ++k) all_.push_back({all_[k].name + ", fused", all_[k].backend, fusion});
  }

  std::vector<std::string> directories_;
  std::vector<Configuration> all_;
};

}  // namespace
}  // namespace property

int main(int argc, char** argv) {
  using namespace property;
  Seed seed;
  std::int64_t programs = 1000000;
  double seconds = 20;
  int nodes = 40;
  std::int64_t host_limit = runtime::kShortLimit;
  bool print_only = false;
  std::string directory, backend, native;
  CLI::App app("Runs random VCODE programs on the oracle and on the vector libraries and compares.", "compare_paths");
  seed.add_to(app);
  app.add_option("--programs", programs, "at most so many")->capture_default_str();
  app.add_option("--seconds", seconds, "and for so long")->envname("NESL_PROPERTY_SECONDS")->capture_default_str();
  app.add_option("--nodes", nodes, "computations in a program")->capture_default_str();
  app.add_option("--directory", directory, "where the libraries are; default: beside this program");
  app.add_option("--backend", backend, "compare only this library with the oracle, a device's for instance");
  app.add_option("--native", native, "as of vinterp, for the library that --backend names");
  app.add_option("--host-limit", host_limit, "as of vinterp, for everything but the oracle")
      ->check(CLI::Range(std::int64_t{0}, runtime::kShortLimit))
      ->capture_default_str();
  app.add_flag("--print", print_only, "print the program of this seed instead");
  CLI11_PARSE(app, argc, argv);

  if (print_only) {
    cvl::conformance::Rng rng(seed.of(0));
    fmt::print("{}", print_program(make_program(rng, nodes), seed.of(0)));
    return 0;
  }
  Configurations chosen(directory);
  if (!(backend.empty() ? chosen.add_every_one() : chosen.add_only(backend, native))) return 1;
  std::vector<Configuration>& configurations = chosen.all();
  seed.print();
  const auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  std::int64_t done = 0, stopped = 0;
  for (; done < programs && elapsed() < seconds; ++done) {
    const std::uint64_t this_seed = seed.of(done);
    cvl::conformance::Rng rng(this_seed);
    const RandomProgram program = make_program(rng, nodes);
    const Comparison comparison(this_seed, configurations, host_limit);
    std::optional<Difference> found = comparison.compare(program);
    if (!found) {
      stopped += run_text(print_program(program, this_seed), *configurations[0].backend, {}, this_seed).status != 0;
      continue;
    }
    const auto report = [&](const Difference& d) {
      fmt::print("seed {}: {} (--int={} --float={} --seed={}) differs from the oracle:\n{}\n\n", this_seed,
                 d.configuration, vcode::elem_size(d.widths.int_type) * 8, vcode::elem_size(d.widths.float_type) * 8,
                 this_seed, d.what);
      std::fflush(stdout);
    };
    Difference difference = std::move(*found);
    report(difference);
    const RandomProgram smallest = shrink(program, comparison, difference);
    fmt::print("Shrunk:\n");
    report(difference);
    fmt::print("The program:\n\n{}\nThe program as generated:\n\n{}\nTo repeat: {}\n",
               print_program(smallest, this_seed), print_program(program, this_seed),
               seed.command(done, fmt::format("--nodes {} --host-limit {}{}{}", nodes, host_limit,
                                              backend.empty() ? "" : " --backend " + backend,
                                              native.empty() ? "" : " --native " + native)));
    return 1;
  }
  fmt::print("{} programs agree on {} configurations; {} of them were stopped by their data\n", done,
             configurations.size(), stopped);
  return 0;
}

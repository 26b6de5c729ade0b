#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "peers/device_peers.h"
#include "results.h"
#include "sampling.h"

namespace bench::cuda {
namespace {

using MakePeer = std::unique_ptr<Peer>(std::int64_t elements);

/// A NESL program, with the size that the paper measures (Bergstrom and Reppy, "Nested data-parallelism on the GPU",
/// ICFP 2012, table 1; the sparse matrix is not from the paper).
struct BenchProgram {
  const char* name;
  std::int64_t elements;
  const char* peer_name;
  MakePeer* make_peer;
};

const BenchProgram kPrograms[] = {
    {"dot", 10000000, "CUB TransformReduce", make_dot},
    {"sort", 1000000, "CUB radix sort of keys", make_sort},
    {"black_scholes", 10000000, "fused kernel", make_black_scholes},
    {"sparse_matrix", 1000000, "CSR, one warp per row", make_sparse_matrix},
    {"convex_hull", 5000000, "quickhull by Thrust", make_convex_hull},
    {"barnes_hut", 75000, "radix tree of Morton codes", make_barnes_hut},
};

std::string quoted(const std::string& word) { return "'" + word + "'"; }

/// Runs a command and returns its output, errors included.
std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((command + " 2>&1").c_str(), "r"), pclose);
  if (pipe == nullptr) return "it cannot be started";
  std::string output;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), int(part.size()), pipe.get()) != nullptr) output += part.data();
  return output;
}

/// Finds the number in the line "NAME number".
bool find_number(const std::string& output, const std::string& name, double& number) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + " ")) {
      number = std::strtod(line.c_str() + name.size() + 1, nullptr);
      return true;
    }
  return false;
}

/// Runs in vinterp the file with this extension of a program, and returns the output.
std::string run_vinterp(const Options& options, const BenchProgram& program, const std::string& extension,
                        std::int64_t elements, int repetitions, const std::string& arguments) {
  const auto file = std::filesystem::path(options.programs) / (std::string(program.name) + extension);
  const auto vinterp = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "vinterp";
  const double left = std::max(1.0, options.seconds - seconds_since_start());
  return output_of(fmt::format("echo '({} {})' | {} --backend={} --float=32 --timeout={:.0f} {} {}", elements,
                               repetitions, quoted(vinterp.string()), quoted(options.backend), left, arguments,
                               quoted(file.string())));
}

/// The options of vinterp that say whether kernels are compiled, and where they are cached.
std::string kernels_from(const std::string& native, const std::string& cache) {
  return fmt::format("--native={} --kernel-cache={}", native, cache.empty() ? "off" : quoted(cache));
}

Json run_nesl(const Options& options, const BenchProgram& program, const std::string& extension,
              const std::string& native, std::int64_t elements, double& value) {
  const std::string output =
      run_vinterp(options, program, extension, elements, options.quick ? 3 : 5, kernels_from(native, options.kernels));
  double seconds = 0;
  if (!find_number(output, "result", value) || !find_number(output, "seconds", seconds))
    return {{"error", output.substr(0, output.find('\n'))}};
  return {{"seconds", seconds}, {"result", value}};
}

/// A folder that is removed with its contents.
struct TemporaryFolder {
  std::string path = (std::filesystem::temp_directory_path() / "cuda_bench-XXXXXX").string();
  TemporaryFolder() {
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error(path + " cannot be created");
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

/// Sums the milliseconds that follow `words` in a profile, one number per kernel. Adds the sum and the largest number
/// to the row, in seconds, under `name`.
void add_compiling(Json& row, const std::string& name, const std::string& profile, const std::string& words) {
  std::vector<double> seconds;
  for (std::size_t at = profile.find(words); at != profile.npos; at = profile.find(words, at + 1))
    seconds.push_back(std::strtod(profile.c_str() + at + words.size(), nullptr) * 1e-3);
  if (seconds.empty()) return;
  row["kernels"] = seconds.size();
  row[name + "_seconds"] = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  row[name + "_most_seconds"] = *std::max_element(seconds.begin(), seconds.end());
}

std::int64_t count_before(const std::string& profile, const std::string& words) {
  const std::size_t end = profile.find(words);
  if (end == profile.npos) return 0;
  return std::atoll(profile.c_str() + profile.find_last_not_of("0123456789", end - 1) + 1);
}

/// Measures compiling the kernels with an empty cache, loading them from a filled cache, and the launches of one
/// repetition by generated kernels.
Json measure_compiling(const Options& options, const BenchProgram& program, std::int64_t elements) {
  const TemporaryFolder empty;
  const auto profile = [&](int repetitions, const std::string& cache) {
    return run_vinterp(options, program, ".fcode", elements, repetitions, "--profile " + kernels_from("always", cache));
  };
  Json row;
  const std::string cold = profile(1, empty.path);
  add_compiling(row, "cold", cold, "compiled in ");
  // Without a compiler, the kernels that came with the programs are used.
  const std::string& filled = options.kernels.empty() ? empty.path : options.kernels;
  const std::string once = profile(1, filled), twice = profile(2, filled);
  add_compiling(row, "cached", once, "from the cache in ");
  row["launches"] = count_before(twice, " launches, ") - count_before(once, " launches, ");
  row["waits"] = count_before(twice, " waits, ") - count_before(once, " waits, ");
  return row;
}

/// True if two 32-bit sums agree up to their association.
bool close(double a, double b) { return std::abs(a - b) <= 1e-3 * std::max({1.0, std::abs(a), std::abs(b)}); }

Json measure(const Options& options, const BenchProgram& program) {
  const std::int64_t elements = std::min(program.elements, options.elements);
  double value = 0;
  Json row{{"program", program.name}, {"elements", elements}};
  if (!options.quick) row["unfused"] = run_nesl(options, program, ".vcode", "off", elements, value);
  row["fused"] = run_nesl(options, program, ".fcode", "off", elements, value);
  row["generated"] = run_nesl(options, program, ".fcode", "always", elements, value);
  row["compiling"] = measure_compiling(options, program, elements);
  if (!options.on_device()) return row;
  row["peer"] = program.peer_name;
  try {
    const auto peer = program.make_peer(elements);
    Contestant by_peer{[&] { peer->issue(); }, wait_for_device};
    Contestant* contestants[] = {&by_peer};
    compete(contestants, {.sample_seconds = 0, .samples = 15});
    row["peer_seconds"] = *std::min_element(by_peer.samples.begin(), by_peer.samples.end());
    row["agrees"] = close(value, peer->result());
    if (row["generated"].contains("seconds"))
      row["times_peer"] = row["generated"]["seconds"].get<double>() / row["peer_seconds"].get<double>();
  } catch (const std::exception& failure) {
    row["peer_error"] = failure.what();
  }
  return row;
}

}  // namespace

Json measure_programs(const Options& options) {
  Json rows = Json::array();
  const auto is_wanted = [&](const std::string& name) {
    return options.only.empty() || std::find(options.only.begin(), options.only.end(), name) != options.only.end();
  };
  for (const std::string& name : options.only)
    if (name != Options::kSkew &&
        std::none_of(std::begin(kPrograms), std::end(kPrograms), [&](const auto& p) { return p.name == name; }))
      throw std::runtime_error("there is no program " + name);
  for (const BenchProgram& program : kPrograms)
    if (is_wanted(program.name) && seconds_since_start() < options.seconds) rows.push_back(measure(options, program));
  return rows;
}

}  // namespace bench::cuda

/// Times a library with the classic C interface: calls on one element, then calls on many elements. The latter are
/// compared with the C++ interface (--backend) on the same vectors or with another classic library. CVL_THREADS is the
/// number of threads.
///
///   classic_bench [--elements=N] [--library=FILE] [--against=FILE] [--quick]

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "classic_cases.h"
#include "contestant.h"
#include "cvl/loader.h"

namespace bench {
namespace {

struct Options {
  std::string library = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../lib/libcvl-classic.so";
  std::string against;  ///< path of a library; empty: the C++ interface
  int elements = 10000000;
  double seconds = 0.4;  ///< for all samples of a case
};

/// Times calls on one element each.
void time_calls(const ClassicApi& api, double seconds) {
  const ClassicVectors v(api, 1);
  fmt::print("{:<24} {:>10}\n", "call on one element", "ns");
  const auto time = [&](std::string_view name, const std::function<void()>& call) {
    Contestant contestant{call};
    contestant.calibrate(1e-4);
    while (double(contestant.samples.size()) < seconds / 1e-4 / 4) contestant.sample();
    fmt::print("{:<24} {:>10.1f}\n", name, contestant.median() * 1e9);
  };
  for (const ClassicCase& row : classic_cases()) time(row.name, [&] { row.classic(v); });
  int number = 7;
  time("rep_vuz", [&] { api.rep_vuz(v.ints, 0, 7, 1, v.scratch); });
  time("ext_vub", [&] { api.ext_vub(v.flags, 0, 1, v.scratch); });
  time("dis_vuz", [&] { api.dis_vuz(v.int_result, 7, 1, v.scratch); });
  time("c2v_fuz", [&] { api.c2v_fuz(v.int_result, &number, 1, v.scratch); });
  time("v2c_fuz", [&] { api.v2c_fuz(&number, v.int_result, 1, v.scratch); });
  time("mke_fov", [&] { api.mke_fov(v.descriptor, v.ints, number = api.add_ruz(v.ints, 1, v.scratch), 1, v.scratch); });
  time("len_fos", [&] { api.len_fos(v.int_result, v.descriptor, 1, 1, v.scratch); });
}

/// Times calls on many elements, by the library and by its competitor, in turns.
void time_cases(const ClassicApi& api, const Options& options) {
  const ClassicVectors v(api, options.elements);
  std::optional<ClassicApi> other;
  std::optional<ClassicVectors> other_vectors;
  cvl::BackendPtr backend;
  if (!options.against.empty()) {
    other.emplace(options.against);
    other_vectors.emplace(*other, options.elements);
  } else {
    cvl::BackendOptions backend_options;
    if (const char* threads = std::getenv("CVL_THREADS")) backend_options.threads = std::atoi(threads);
    std::string error;
    backend = cvl::load_backend("cpu", cvl::default_backend_directories(), backend_options, error);
    if (backend == nullptr) throw std::runtime_error(error);
    fmt::print("\n{}\n", backend->description());
  }
  fmt::print("\n{:<24} {:>10} {:>10} {:>10} {:>10}\n", fmt::format("{} elements", options.elements), "ns/element",
             "GB/s", "other", "other/this");
  for (const ClassicCase& row : classic_cases()) {
    Contestant ours{[&] { row.classic(v); }};
    Contestant theirs{[&] {
      if (other_vectors)
        row.classic(*other_vectors);
      else
        row.backend(*backend, v);
    }};
    const bool compared = other_vectors.has_value() || row.backend != nullptr;
    const auto start = std::chrono::steady_clock::now();
    for (int s = 0;
         s < 5 || std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < options.seconds;
         ++s) {
      ours.sample();
      if (compared) theirs.sample();
    }
    const double time = ours.median() / options.elements;
    fmt::print("{:<24} {:>10.3f} {:>10.2f}", row.name, time * 1e9, row.bytes / time * 1e-9);
    if (compared)
      fmt::print(" {:>10.3f} {:>10.2f}", theirs.median() / options.elements * 1e9, theirs.median() / ours.median());
    fmt::print("\n");
  }
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int a = 1; a < argc; ++a) {
    const std::string_view arg = argv[a];
    if (arg.starts_with("--elements="))
      options.elements = std::atoi(argv[a] + 11);
    else if (arg.starts_with("--library="))
      options.library = arg.substr(10);
    else if (arg.starts_with("--against="))
      options.against = arg.substr(10);
    else if (arg == "--quick")
      options.seconds = 0.04;
    else
      throw std::runtime_error(fmt::format("unknown option {}", arg));
  }
  if (options.elements < 1) throw std::runtime_error("the number of elements is at least 1");
  return options;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  try {
    const bench::Options options = bench::read_options(argc, argv);
    const bench::ClassicApi api(options.library);
    bench::time_calls(api, options.seconds);
    bench::time_cases(api, options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "classic_bench: {}\n", error.what());
    return 1;
  }
}

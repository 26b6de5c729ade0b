// device_smoke BACKEND FOLDER [OPTION]...: tests a vector library layer by layer, from the ground up, and stops at the
// first layer that does not work. Prints a layer's name before it begins, since the layer may end this process. FOLDER
// has the programs of smoke/.
//   --kernels=FOLDER  compiled kernels of these programs
//   --layers=N        tests only the first N layers

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "smoke_layers.h"

namespace device_check {
namespace {

Finding finding_of(const SmokeLayer& layer, Smoke& smoke) {
  try {
    return layer.check(smoke);
  } catch (const std::exception& failure) {
    return failure.what();
  }
}

/// True if all layers work.
bool try_layers(Smoke& smoke, std::size_t layers) {
  using Clock = std::chrono::steady_clock;
  std::size_t done = 0;
  for (const SmokeLayer& layer : smoke_layers()) {
    if (done == layers) break;
    fmt::print("{}: begun\n", layer.name);
    std::fflush(stdout);
    const Clock::time_point start = Clock::now();
    const Finding finding = finding_of(layer, smoke);
    if (!finding.empty()) {
      fmt::print("{}: {}\n", layer.name, finding);
      return false;
    }
    const std::chrono::duration<double, std::milli> took = Clock::now() - start;
    fmt::print("{}: right, {:.1f} ms\n", layer.name, took.count());
    ++done;
  }
  fmt::print("{} layers work\n", done);
  return true;
}

}  // namespace
}  // namespace device_check

int main(int argc, char** argv) {
  device_check::Smoke smoke;
  std::size_t layers = SIZE_MAX;
  std::vector<std::string> names;
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    const std::string value = argument.substr(argument.find('=') + 1);
    if (argument.starts_with("--kernels="))
      smoke.kernels = value;
    else if (argument.starts_with("--layers="))
      layers = static_cast<std::size_t>(std::atoll(value.c_str()));
    else
      names.push_back(argument);
  }
  if (names.size() != 2 || names[0].starts_with("-")) {
    std::fputs("usage: device_smoke BACKEND FOLDER [--kernels=FOLDER] [--layers=N]\n", stderr);
    return 2;
  }
  smoke.backend = names[0];
  smoke.folder = names[1];
  return device_check::try_layers(smoke, layers) ? 0 : 1;
}

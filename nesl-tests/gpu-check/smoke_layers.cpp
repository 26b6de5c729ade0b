#include "smoke_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <vector>

#include "../support/interpreter_testing.h"
#include "../support/read_text.h"
#include "cvl/loader.h"

namespace device_check {
namespace {

using Ints = std::vector<std::int32_t>;
constexpr ElemType kInt = ElemType::kI32;

Ints on_host(DeviceVectors& v, const Operand& a) {
  Ints numbers(static_cast<std::size_t>(a.length));
  v.check_faults();
  v.backend().download(numbers.data(), a.data, numbers.size() * sizeof numbers[0]);
  return numbers;
}

/// The vector f(0), f(1), …, f(n - 1).
template <class F>
Ints numbers_of(std::int64_t n, F f) {
  Ints numbers(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k) numbers[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(f(k));
  return numbers;
}

Finding compare(const Ints& found, const Ints& expected) {
  for (std::size_t k = 0; k < expected.size(); ++k)
    if (found[k] != expected[k])
      return fmt::format("element {} of {} is {}, and should be {}", k, expected.size(), found[k], expected[k]);
  return "";
}

Finding check_context(Smoke& smoke) {
  cvl::BackendOptions options;
  options.native = "always";
  options.kernel_cache = smoke.kernels.c_str();
  std::string error;
  smoke.library = cvl::load_backend(smoke.backend, cvl::default_backend_directories(), options, error);
  if (smoke.library == nullptr) return error;
  fmt::print("library: {}\n", smoke.library->description());
  return "";
}

/// Copies n elements to the library's memory and back.
Finding check_copies(Smoke& smoke, std::int64_t n) {
  DeviceVectors v(*smoke.library);
  const Ints numbers = numbers_of(n, [](std::int64_t k) { return 3 * k + 1; });
  const Result there = v.make(kInt, n);
  smoke.library->upload(there.data, numbers.data(), numbers.size() * sizeof numbers[0]);
  return compare(on_host(v, operand(there)), numbers);
}
Finding check_memory(Smoke& smoke) { return check_copies(smoke, 1 << 20); }
/// Copies a vector so short that the host polls for it.
Finding check_mailbox(Smoke& smoke) { return check_copies(smoke, 16); }

Finding check_map(Smoke& smoke) {
  constexpr std::int64_t n = 1000000;
  DeviceVectors v(*smoke.library);
  const Operand up = v.sequence(kInt, n, 0, 1), down = v.sequence(kInt, n, 5 * n, -3);
  return compare(on_host(v, v.elementwise(Op::kAdd, kInt, {up, down})),
                 numbers_of(n, [](std::int64_t k) { return 5 * n - 2 * k; }));
}

/// A scan over `tiles` tiles of 4096 elements, the last of them not full.
template <std::int64_t tiles>
Finding check_scan(Smoke& smoke) {
  constexpr std::int64_t n = tiles * 4096 - 5;
  DeviceVectors v(*smoke.library);
  const Operand sums = v.scan(Monoid::kSum, v.ints(kInt, n, 3), SegmentDescriptor::single(n));
  return compare(on_host(v, sums), numbers_of(n, [](std::int64_t k) { return 3 * k; }));
}

/// Each operation adds to the result of the one before, and all wait for one launch.
Finding check_short_operations(Smoke& smoke) {
  constexpr std::int64_t n = 100;
  DeviceVectors v(*smoke.library);
  const Operand ones = v.ints(kInt, n, 1);
  Operand numbers = v.sequence(kInt, n, 0, 1);
  for (int k = 0; k < 10; ++k) numbers = v.elementwise(Op::kAdd, kInt, {numbers, ones});
  numbers = v.scan(Monoid::kSum, numbers, SegmentDescriptor::single(n));
  return compare(on_host(v, numbers), numbers_of(n, [](std::int64_t k) { return k * (k - 1) / 2 + 10 * k; }));
}

Finding check_sort(Smoke& smoke) {
  constexpr std::int64_t n = 300000;
  DeviceVectors v(*smoke.library);
  const Operand ranks = v.rank(false, v.sequence(kInt, n, n, -1), kInt);
  return compare(on_host(v, ranks), numbers_of(n, [](std::int64_t k) { return n - 1 - k; }));
}

/// Runs a program that is a single kernel, as a whole.
Finding check_generated(Smoke& smoke, const char* file, const Ints& expected) {
  std::string lines = "(";
  for (const std::int32_t number : expected) lines += fmt::format(" {}", number);
  lines += " )\n";
  interp::RunOptions options;
  options.widths.float_type = ElemType::kF32;
  options.host_limit = 0;
  const std::string text = read_text(std::filesystem::path(smoke.folder) / file);
  const interp::testing::Outcome outcome = interp::testing::run_text(text, *smoke.library, options);
  if (outcome.status != 0) return outcome.errors;
  if (outcome.out == lines) return "";
  const std::size_t same = static_cast<std::size_t>(
      std::mismatch(lines.begin(), lines.end(), outcome.out.begin(), outcome.out.end()).first - lines.begin());
  return fmt::format("after {} characters there should be \"{}\", and is \"{}\"", same, lines.substr(same, 20),
                     outcome.out.substr(std::min(same, outcome.out.size()), 20));
}
Finding check_generated_map(Smoke& smoke) {
  return check_generated(smoke, "map.fcode", numbers_of(3000, [](std::int64_t k) { return k * k + k; }));
}
Finding check_generated_scan(Smoke& smoke) {
  Ints sums = numbers_of(40000, [](std::int64_t k) { return k % 7; });
  std::exclusive_scan(sums.begin(), sums.end(), sums.begin(), 0);
  return check_generated(smoke, "scan.fcode", sums);
}

constexpr SmokeLayer kLayers[] = {
    {"context", check_context},
    {"memory", check_memory},
    {"mailbox", check_mailbox},
    {"map", check_map},
    {"scan of 1 tile", check_scan<1>},
    {"scan of 2 tiles", check_scan<2>},
    {"scan of 33 tiles", check_scan<33>},
    {"scan of 1100 tiles", check_scan<1100>},
    {"line of short operations", check_short_operations},
    {"sort", check_sort},
    {"generated kernel", check_generated_map},
    {"generated kernel with look-back", check_generated_scan},
};

}  // namespace

std::span<const SmokeLayer> smoke_layers() { return kLayers; }

}  // namespace device_check

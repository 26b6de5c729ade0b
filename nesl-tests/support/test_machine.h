#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "operations/context.h"

namespace cvl::cpu {

/// All objects that an operation needs, for one instruction set and number of threads.
struct TestMachine {
  TestMachine(const Kernels& kernels, int threads, std::size_t limit = std::size_t(1) << 30)
      : parallel(threads), arena(limit), context{kernels, parallel, arena, faults} {}
  Parallel parallel;
  Arena arena;
  FaultSink faults;
  Context context;
};

/// Calls f(context, faults) for every instruction set of this processor, with 1, 2 and 8 threads.
template <class F>
void on_all_machines(F&& f) {
  for (const char* simd : {"baseline", "avx2", "avx512"}) {
    std::string error;
    const Kernels* kernels = choose_kernels(simd, error);
    if (kernels == nullptr) continue;
    for (const int threads : {1, 2, 8}) {
      SCOPED_TRACE(std::string(simd) + ", threads: " + std::to_string(threads));
      TestMachine machine(*kernels, threads);
      f(machine.context);
    }
  }
}

/// A segmentation with its offsets.
struct TestSegments {
  explicit TestSegments(const std::vector<std::int64_t>& lengths) {
    for (const std::int64_t n : lengths) offsets.push_back(offsets.back() + n);
    descriptor = {std::int64_t(lengths.size()), offsets.back(), -1, offsets.data()};
    if (lengths.size() == 1) descriptor = SegmentDescriptor::single(offsets.back());
  }
  TestSegments(const TestSegments&) = delete;
  TestSegments& operator=(const TestSegments&) = delete;
  std::vector<std::int64_t> offsets{0};
  SegmentDescriptor descriptor;
};

/// Lists of segment lengths: none, one, tiny, mixed with empty ones, a huge one among tiny ones; and lists so long that
/// several threads share them.
inline std::vector<std::vector<std::int64_t>> test_lengths() {
  std::vector<std::vector<std::int64_t>> all{{}, {0}, {1}, {5}, {100}, {3000}, {200000}, {0, 0, 0}, {3, 0, 5, 1}};
  std::mt19937 random(7);
  for (const int longest : {3, 20, 200, 5000}) {
    std::vector<std::int64_t> lengths(longest < 100 ? 9000 : 60);
    for (std::int64_t& n : lengths) n = random() % unsigned(longest + 1);
    all.push_back(lengths);
  }
  std::vector<std::int64_t> huge(40001, 1);
  huge[20000] = 70000;
  huge[30000] = 0;
  all.push_back(huge);
  return all;
}

template <class T>
Operand operand(const std::vector<T>& v) {
  return {vcode::kElemTypeOf<T>, std::int64_t(v.size()), v.data()};
}
template <class T>
Result result(std::vector<T>& v) {
  return {vcode::kElemTypeOf<T>, std::int64_t(v.size()), v.data()};
}

/// Flags as an operand. They are vectors of bytes, because elements of std::vector<bool> have no addresses.
inline Operand flag_operand(const std::vector<std::uint8_t>& v) {
  return {ElemType::kB8, std::int64_t(v.size()), v.data()};
}
inline Result flag_result(std::vector<std::uint8_t>& v) { return {ElemType::kB8, std::int64_t(v.size()), v.data()}; }

inline std::vector<std::uint8_t> random_flags(std::int64_t n, std::mt19937& random, unsigned of_hundred) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(n));
  for (auto& f : flags) f = random() % 100 < of_hundred;
  return flags;
}

template <class T>
std::vector<T> random_vector(std::int64_t n, std::mt19937& random) {
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) x = static_cast<T>(random());
  return v;
}

}  // namespace cvl::cpu

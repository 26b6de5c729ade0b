#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "device_backend.h"

// Fixtures of the tests of the backend on the host executor.

namespace cvl::cuda {

inline constexpr std::size_t kMemory = std::size_t{1} << 30;

/// A vector in the memory of a backend.
template <class T>
class Vector {
 public:
  Vector(Backend& backend, const std::vector<T>& elements) : Vector(backend, elements.size()) {
    backend.upload(data_, elements.data(), elements.size() * sizeof(T));
  }
  Vector(Backend& backend, std::size_t n) : backend_(backend), n_(n), data_(backend.allocate(n * sizeof(T))) {}
  ~Vector() { backend_.deallocate(data_, n_ * sizeof(T)); }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;

  operator Operand() const { return {vcode::kElemTypeOf<T>, static_cast<std::int64_t>(n_), data_}; }
  operator Result() const { return {vcode::kElemTypeOf<T>, static_cast<std::int64_t>(n_), data_}; }
  const void* data() const { return data_; }
  T first() const {
    T x;
    backend_.download(&x, data_, sizeof x);
    return x;
  }

 private:
  Backend& backend_;
  std::size_t n_;
  void* data_;
};

struct BackendTest : testing::Test {
  DeviceBackend backend{kMemory};

  std::uint64_t launches() const { return backend.counters().launches; }
  std::uint64_t waits() const { return backend.counters().waits; }
  /// The number of launches of an operation.
  template <class F>
  std::uint64_t launches_of(F&& operation) {
    const std::uint64_t before = launches();
    operation();
    backend.flush();
    EXPECT_FALSE(backend.has_fault());
    return launches() - before;
  }
};

/// SegmentDescriptor::nonempty of segments with the given starts.
inline std::vector<int> nonempty_of(const std::vector<std::int64_t>& starts) {
  std::vector<int> nonempty(starts.size());
  int& count = nonempty.back();
  for (std::size_t k = 0; k + 1 < starts.size(); ++k)
    if (starts[k] < starts[k + 1]) nonempty[static_cast<std::size_t>(count++)] = static_cast<int>(k);
  return nonempty;
}

inline std::vector<int> iota(int n) {
  std::vector<int> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 0);
  return v;
}

}  // namespace cvl::cuda

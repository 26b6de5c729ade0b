#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "cvl/backend.h"
#include "peers/peers.h"

namespace bench {

using cvl::ElemType;

/// How the elements of a case are divided into segments.
enum class Shape : std::uint8_t { kFlat, kShort, kRegular, kLong, kHuge };
inline constexpr int kShapes = 5;

/// "flat", "seg10", "reg10", "seg1000" or "huge".
constexpr std::string_view shape_name(Shape shape) {
  constexpr std::string_view kNames[] = {"flat", "seg10", "reg10", "seg1000", "huge"};
  return kNames[static_cast<int>(shape)];
}

/// The memory and the segments of one run of a case. Everything is allocated from the backend, written before any
/// timing, and released at the end.
class Workspace {
 public:
  Workspace(cvl::Backend& backend, peers::Team& team, Shape shape, std::int64_t elements);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  cvl::Backend& backend() { return backend_; }
  peers::Team& team() { return team_; }
  std::mt19937_64& random() { return random_; }
  std::int64_t elements() const { return descriptor_.elements; }
  std::int64_t segments() const { return descriptor_.segments; }
  const cvl::SegmentDescriptor& descriptor() const { return descriptor_; }
  const peers::Segments& peer_segments() const { return peer_segments_; }
  /// Bytes of the segment descriptor that an operation reads.
  std::int64_t descriptor_bytes() const { return descriptor_.is_regular() ? 0 : 8 * (descriptor_.segments + 1); }

  /// A vector of n elements, all written.
  template <class T>
  T* vector(std::int64_t n) {
    T* data = static_cast<T*>(memory(std::size_t(n) * sizeof(T)));
    std::fill_n(data, std::size_t(n), T());
    return data;
  }
  /// A vector of the results of n calls of make().
  template <class T, class F>
  T* filled(std::int64_t n, F&& make) {
    T* data = vector<T>(n);
    for (std::int64_t e = 0; e < n; ++e) data[e] = static_cast<T>(make());
    return data;
  }
  /// Small numbers, whose sums are exact or nearly so.
  template <class T>
  T* numbers(std::int64_t n) {
    return filled<T>(n, [&] { return T(random_() % 1000) / T(std::is_integral_v<T> ? 1 : 1000); });
  }
  /// Flags, half of them true.
  bool* flags(std::int64_t n) {
    return filled<bool>(n, [&] { return random_() >> 63; });
  }

 private:
  void* memory(std::size_t bytes);

  cvl::Backend& backend_;
  peers::Team& team_;
  cvl::SegmentDescriptor descriptor_;
  peers::Segments peer_segments_;
  std::mt19937_64 random_{20240611};
  std::vector<std::pair<void*, std::size_t>> blocks_;
};

template <class T>
cvl::Operand operand(const T* data, std::int64_t n) {
  return {vcode::kElemTypeOf<T>, n, data};
}
template <class T>
cvl::Result result(T* data, std::int64_t n) {
  return {vcode::kElemTypeOf<T>, n, data};
}

}  // namespace bench

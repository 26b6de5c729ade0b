#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "cvl/backend.h"

namespace bench::cuda {

using cvl::ElemType;

/// How the elements of a case are divided into segments.
enum class Shape : std::uint8_t { kFlat, kShort, kLong, kHuge, kEqual16, kEqual1000, kPowerLaw, kLongRow };

/// "flat"; "seg10" or "seg1000" (lengths from 0 to twice the number); "huge" (one segment with half of the elements, or
/// with all but a million, and segments of one element); "equal16" or "equal1000"; "power_law" (one segment in l has l
/// elements or more, up to a tenth of all); "long_row" (one segment with half of the elements, and segments of 16).
constexpr std::string_view shape_name(Shape shape) {
  constexpr std::string_view kNames[] = {"flat",    "seg10",     "seg1000",   "huge",
                                         "equal16", "equal1000", "power_law", "long_row"};
  return kNames[static_cast<int>(shape)];
}

/// The memory and the segments of one case. The library itself computes the data on the device.
class Workspace {
 public:
  Workspace(cvl::Backend& backend, Shape shape, std::int64_t elements);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  cvl::Backend& backend() { return backend_; }
  const cvl::SegmentDescriptor& descriptor() const { return descriptor_; }
  /// Starts of the segments on the device, and behind them the number of elements; also those of regular descriptors.
  /// Null for one segment.
  const std::int64_t* offsets() const { return offsets_; }
  std::int64_t longest_segment() const { return longest_; }
  /// Bytes of the segment descriptor that an operation reads.
  std::int64_t map_bytes() const { return descriptor_.is_regular() ? 0 : 8 * (descriptor_.segments + 1); }

  cvl::Result vector(ElemType type, std::int64_t n);
  /// Random numbers in [0, below).
  cvl::Operand numbers(ElemType type, std::int64_t n, std::int32_t below);
  /// Flags, half of them true.
  cvl::Operand flags(std::int64_t n);
  /// The indices of a random permutation of each segment.
  cvl::Operand permutation();

 private:
  cvl::Backend& backend_;
  cvl::SegmentDescriptor descriptor_;
  const std::int64_t* offsets_ = nullptr;
  std::int64_t longest_ = 0;
  std::uint64_t drawn_ = 0;
  std::vector<std::pair<void*, std::size_t>> blocks_;
};

inline cvl::Operand operand(const cvl::Result& vector) { return {vector.type, vector.length, vector.data}; }

}  // namespace bench::cuda

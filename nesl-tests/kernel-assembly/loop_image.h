#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cvl::conformance {

/// Address at which an image is mapped by every process, of whatever kind of machine: pointers into it stay valid.
inline constexpr std::uintptr_t kImageAddress = std::uintptr_t{1} << 36;
/// Most calls in an image.
inline constexpr std::size_t kMostCalls = 2000;

/// A call of a compiled loop (cvl::cpu::LoopFunction), whose argument is in the image.
struct ImageCall {
  const void* arguments = nullptr;
  std::int64_t first = 0, last = 0;
  std::int64_t is_at_fault = -1;  ///< its result
};

/// The begin of an image.
struct ImageHead {
  std::uint64_t bytes = 0;  ///< of the whole image
  std::int64_t calls = 0;
  ImageCall call[kMostCalls];
};

}  // namespace cvl::conformance

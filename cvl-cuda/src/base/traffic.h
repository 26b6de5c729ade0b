#pragma once

#include <cstdint>

namespace cvl::cuda {

/// The operations on the stream that a radix sort by so many bits issues, as CUB does it: it clears counters and
/// histograms, counts digits of 8 bits, sums the counts, and for each digit clears a board and moves the elements.
constexpr std::uint64_t sort_operations(int bits) { return 4 + 2 * ((static_cast<std::uint64_t>(bits) + 7) / 8); }

/// Counters, since the start, of launches and of transfers between host and device.
struct Traffic {
  std::uint64_t launches = 0;  ///< a sort counts as its operations, as each costs the host about as much
  std::uint64_t waits = 0;
  std::uint64_t replies = 0;  ///< waits for what a kernel was to reply, without another kernel for that
  std::uint64_t uploads = 0;  ///< copies of at least one byte, each a call of the driver
  std::uint64_t bytes_up = 0, bytes_down = 0;  ///< vectors among the arguments of a launch included
};

}  // namespace cvl::cuda

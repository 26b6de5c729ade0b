#pragma once

#include <cstdint>

namespace cvl::cuda {

/// Counters, since the start, of launches and of transfers between host and device.
struct Traffic {
  std::uint64_t launches = 0;
  std::uint64_t waits = 0;
  std::uint64_t replies = 0;  ///< waits for what a kernel was to reply, without another kernel for that
  std::uint64_t uploads = 0;  ///< copies of at least one byte, each a call of the driver
  std::uint64_t bytes_up = 0, bytes_down = 0;  ///< vectors among the arguments of a launch included
};

}  // namespace cvl::cuda

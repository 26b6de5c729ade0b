#pragma once

#include <cstdint>

namespace cvl::cuda {

/// What went between host and device so far.
struct Traffic {
  std::uint64_t launches = 0;
  std::uint64_t waits = 0;
  std::uint64_t bytes_up = 0, bytes_down = 0;
};

}  // namespace cvl::cuda

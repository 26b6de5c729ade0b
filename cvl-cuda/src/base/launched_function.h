#pragma once

#include <cstdint>

namespace cvl::cuda {

/// A function of a generated kernel (generated/kernel_prelude.h), as the executor launches it: on a device a
/// cudaKernel_t, on the host the address of a function that runs all blocks.
using LaunchedFunction = const void*;

/// What numbers the blocks of a launch in the order in which they begin; nothing on the host, where they run in order.
struct Ticket {
  std::uint32_t* counter = nullptr;  ///< goes on from launch to launch
  std::uint32_t before = 0;          ///< what it is when the launch begins
};

}  // namespace cvl::cuda

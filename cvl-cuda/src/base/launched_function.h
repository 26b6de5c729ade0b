#pragma once

#include <cstdint>

namespace cvl::cuda {

/// A function of a generated kernel (generated/kernel_threads.h) in the form that the executor launches: on a device a
/// cudaKernel_t, on the host the address of a function that runs all blocks.
using LaunchedFunction = const void*;

/// Numbers the blocks of a launch in the order in which they take it.
struct Ticket {
  std::uint32_t* counter = nullptr;  ///< never reset between launches
  std::uint32_t before = 0;          ///< value of the counter when the launch begins
};

}  // namespace cvl::cuda

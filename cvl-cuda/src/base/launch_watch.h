#pragma once

#include <cstdint>
#include <string>

namespace cvl::cuda {

/// True if the environment variable CVL_CUDA_SYNC is "on". Each launch is then waited for, and one that fails or runs
/// for seconds is named, to find the launch that fails.
bool watches_launches_from_environment();

/// The operations that a launch computes: the numbers given to Backend::set_site for the first and the last of them.
struct Sites {
  std::uint32_t first = 0, last = 0;
};

/// A launch as messages name it: "kernel k, 12 blocks of 256 threads, site 5". `function` may be a mangled C++ name or
/// any other name.
std::string name_launch(const std::string& function, std::int64_t blocks, int threads, Sites sites);

}  // namespace cvl::cuda

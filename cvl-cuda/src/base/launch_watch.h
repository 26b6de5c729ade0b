#pragma once

#include <cstdint>
#include <string>

namespace cvl::cuda {

/// True if the environment variable CVL_CUDA_SYNC is "on", for finding a launch that fails: each launch is then waited
/// for, and one that fails, or runs for seconds, is named.
bool watches_launches_from_environment();

/// Which operations a launch is of: what Backend::set_site said of the first and the last of them.
struct Sites {
  std::uint32_t first = 0, last = 0;
};

/// A launch as messages name it: "kernel k, 12 blocks of 256 threads, site 5". The name of a function is one that the
/// C++ compiler has mangled, or any other.
std::string name_launch(const std::string& function, std::int64_t blocks, int threads, Sites sites);

}  // namespace cvl::cuda

#pragma once

#include <cstdint>
#include <string>

namespace bench::cuda {

struct Options {
  std::string backend = "cuda";
  std::string programs;               ///< folder with the compiled NESL programs; empty: none are run
  std::string kernels;                ///< folder with their compiled kernels
  std::string json;                   ///< file for the results; empty: none is written
  std::int64_t elements = 100000000;  ///< most elements of a vector
  double seconds = 150;               ///< nothing is started after this time
  bool quick = false;

  bool on_device() const { return backend == "cuda"; }
};

}  // namespace bench::cuda

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench::cuda {

struct Options {
  std::string backend = "cuda";
  std::string programs;               ///< folder with the compiled NESL programs; none are run if empty
  std::string kernels;                ///< folder with their compiled kernels
  std::string json;                   ///< file for the results; none is written if empty
  std::int64_t elements = 100000000;  ///< most elements of a vector
  double seconds = 150;               ///< time after which no measurement is started
  std::vector<std::string> only;      ///< if there are any, only these programs are measured, and no operations
  bool quick = false;

  bool on_device() const { return backend == "cuda"; }
};

}  // namespace bench::cuda

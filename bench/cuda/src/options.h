#pragma once

#include <algorithm>
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
  /// If there are any, only these programs are measured, and no operations; kSkew stands for those of measure_skew().
  std::vector<std::string> only;
  bool quick = false;

  static constexpr const char* kSkew = "skew";
  bool measures_skew() const { return std::ranges::find(only, kSkew) != only.end(); }
  bool measures_programs() const { return !programs.empty() && (only.empty() || only.size() > 1 || !measures_skew()); }
  bool on_device() const { return backend == "cuda"; }
};

}  // namespace bench::cuda

#pragma once

#include <cstdint>

namespace vcode {

/// Key of the numbers of one RAND instruction: the key and an element's index determine the number.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint64_t call = 0;  ///< number of RAND instructions run since the seed was set
};

}  // namespace vcode

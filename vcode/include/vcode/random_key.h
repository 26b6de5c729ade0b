#pragma once

#include <cstdint>

namespace vcode {

/// Key of the numbers of one RAND instruction: with an element's index it determines the number.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint64_t call = 0;  ///< how many RAND instructions ran since the seed was set
};

}  // namespace vcode

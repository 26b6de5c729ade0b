#pragma once

#include <cstdint>

namespace cvl::cpu {

/// Storage for one element of any type.
using Slot = std::uint64_t;

}  // namespace cvl::cpu

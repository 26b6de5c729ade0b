#pragma once

#include <cstdint>

namespace cvl::cpu {

/// Room for one element of any type.
using Slot = std::uint64_t;

}  // namespace cvl::cpu

#pragma once

#include <cstddef>

namespace cvl::cpu {

/// Memory limit if the user gives none: half of the memory that is free now, that the process's control group
/// (container) may have, or that the address space has room for, whichever is least.
std::size_t default_memory_limit();

}  // namespace cvl::cpu

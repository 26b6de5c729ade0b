#pragma once

#include <cstddef>

namespace cvl::cpu {

/// Memory limit if the user gives none: the physical memory or the limit of the process's control group (container),
/// whichever is smaller, less a sixteenth for everything that is not a vector. If the address space is limited, at most
/// half of it.
std::size_t default_memory_limit();

}  // namespace cvl::cpu

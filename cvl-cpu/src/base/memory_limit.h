#pragma once

#include <cstddef>

namespace cvl::cpu {

/// The memory limit where none is given: the physical memory or the limit of the process's control group (container),
/// whichever is smaller, less a sixteenth for everything that is not a vector; or half of the address space, if that is
/// limited and less.
std::size_t default_memory_limit();

}  // namespace cvl::cpu

#pragma once

#include <cstddef>

namespace cvl::cpu {

/// What this process may use of the machine's memory: the physical memory or the limit of the control
/// group (container) it runs in, whichever is smaller, less a sixteenth for everything that is no vector.
std::size_t default_memory_limit();

}  // namespace cvl::cpu

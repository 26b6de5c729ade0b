#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace base {

/// How many bytes of address space the process may still take, if that is limited (RLIMIT_AS, which ulimit -v sets).
/// What reserves address space by the gigabyte otherwise must then leave some to all others.
std::optional<std::size_t> address_space_left();

/// Whether it is limited. Allocates nothing.
bool address_space_is_limited();

/// What to do about memory that has run out: "see --memory", and the limit of address space if there is one.
std::string memory_advice();

}  // namespace base

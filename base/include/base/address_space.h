#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace base {

/// Bytes of address space that the process may still reserve; nothing if there is no limit (RLIMIT_AS, set by ulimit
/// -v). Code that reserves address space by the gigabyte must leave some of a limited one to all other code.
std::optional<std::size_t> address_space_left();

/// Whether address space is limited. Allocates nothing.
bool address_space_is_limited();

/// Advice for messages about exhausted memory: how it is limited.
std::string memory_advice();

}  // namespace base

#pragma once

#include <cstddef>

/// Tuning numbers (see README.md in this folder) of memory (decision 015).

namespace cvl::cpu {

/// Bytes of a slab, which is divided into blocks of one size.
inline constexpr std::size_t kSlabBytes = 256 << 10;
/// Bytes at the begin of an arena that are in small pages, so that small programs hold little memory.
inline constexpr std::size_t kSmallPagesBytes = 2 << 20;
/// Bytes of a huge page on most machines; a wrong guess only loses speed. First touch runs at 8 to 9.5 GB/s in huge
/// pages, at 2.4 to 2.8 in small ones.
inline constexpr std::size_t kHugePageBytes = 2 << 20;
/// Bytes of address space that one system call makes accessible.
inline constexpr std::size_t kCommitBytes = 32 << 20;
/// Bytes of a granule, the unit in which memory is counted and returned to the system.
inline constexpr std::size_t kGranuleBytes = 64 << 10;
/// Bytes that may be held beyond 5/4 of the peak before memory is returned to the system.
inline constexpr std::size_t kSlackBytes = 32 << 20;

}  // namespace cvl::cpu

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cvl::mpi {

// Ascending positions, without duplicates, in few bytes for a message: a bit for each number between the first and the
// last one, or, if that is shorter, each position in 4 or 8 bytes.

/// Bytes of the code of some positions.
std::size_t code_size(std::span<const std::int64_t> positions);
/// Writes code_size(positions) bytes.
void encode(std::span<const std::int64_t> positions, std::byte* code);
/// Appends the positions that a code of this size has.
void decode(std::span<const std::byte> code, std::vector<std::int64_t>& positions);

}  // namespace cvl::mpi

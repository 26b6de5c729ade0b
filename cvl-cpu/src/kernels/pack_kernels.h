#pragma once

#include <cstdint>
#include <memory>

#include "base/pieces.h"
#include "cvl/backend.h"

namespace cvl::cpu {

/// True flags in a piece.
struct PackCount {
  std::int64_t kept = 0;
  std::int64_t tail = 0;  ///< those behind the last segment that ends in the piece
};

struct PackKernels {
  /// Counts the flags of a piece, and into lengths[k] those that segment k has in the piece, for each segment k
  /// that ends in it. By 64-bit lengths.
  using Count = PackCount(const bool* flags, const SegmentMap& map, const Piece& piece, void* lengths);
  Count* count[2] = {};

  /// Packs elements [begin, end) of a to result[at…at + kept), and writes nowhere else.
  /// By element size (index of 1, 4, 8).
  using Pack = void(const void* a, const bool* flags, std::int64_t begin, std::int64_t end, void* result,
                    std::int64_t at, std::int64_t kept);
  Pack* pack[3] = {};
};

}  // namespace cvl::cpu

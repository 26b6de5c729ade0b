#pragma once

#include <atomic>
#include <cstdint>

#include "operations/context.h"

namespace cvl::cpu {

/// A scatter without defaults, which gets its elements piece by piece, in any order and from any threads. As long as no
/// place is written twice, that makes no difference.
class PiecewiseScatter {
 public:
  /// `places` are those of the result. `flagged`: not every element is written.
  PiecewiseScatter(Context& context, const SegmentMap& elements, const SegmentMap& places, bool flagged,
                   ElemType indices, Result result);

  /// To be called first. False if there is no memory, which is reported.
  bool begin();
  /// Writes the elements of a piece. Element e of each of the vectors is at address + e * size; only those of the piece
  /// have to be there. False if an index is outside its segment, which is reported.
  bool write(const void* source, const void* indices, const bool* flags, const Piece& piece);
  /// When all pieces are written: false if a place was written twice.
  bool places_were_distinct();

 private:
  ScatterJob job_;
  Context& context_;
  const bool is_permutation_;  ///< every place must be written, so it need not be cleared before
  const bool wide_;            ///< places need more than 32 bits
  const std::size_t size_;     ///< of an element
  ScatterKernels::Run* const run_;
  Arena::Scratch<std::uint8_t> marks_;
  std::atomic<std::uint64_t> fingerprint_ = 0;
  std::atomic<std::int64_t> written_ = 0;
};

/// Sets memory to 0.
void fill_zero(Context& context, void* data, std::int64_t bytes);

}  // namespace cvl::cpu

#pragma once

#include <atomic>
#include <cstdint>

#include "operations/context.h"

namespace cvl::cpu {

/// A scatter without defaults whose elements are passed piece by piece, in any order and from any threads. Unless a
/// place is written twice, which is a fault, the order makes no difference.
class PiecewiseScatter {
 public:
  /// `places` are the segments of the result. `flagged`: elements have flags, so not every element is written.
  PiecewiseScatter(Context& context, const SegmentMap& elements, const SegmentMap& places, bool flagged,
                   ElemType indices, Result result);

  /// To be called before write(). False, after a report, if memory ran out.
  bool begin();
  /// Writes the elements of a piece. Element e of each vector is at address + e * size; only the elements of the piece
  /// are read. False, after a report, if an index is out of range.
  bool write(const void* source, const void* indices, const bool* flags, const Piece& piece);
  /// Where place 0 is.
  void* result() const { return job_.result; }
  /// Takes note of elements of a permutation that others have written to their places: the sum of the hashes of these
  /// (see place_hash.h). Places must not need more than 32 bits.
  void add_written(std::uint64_t hashes);
  /// To be called when all pieces are written: false if a place was written twice.
  bool places_were_distinct();

 private:
  ScatterJob job_;
  Context& context_;
  const bool is_permutation_;  ///< every place must be written, so none has to be cleared
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

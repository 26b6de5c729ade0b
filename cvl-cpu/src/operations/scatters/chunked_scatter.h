#pragma once

#include <atomic>
#include <cstdint>

#include "operations/context.h"

namespace cvl::cpu {

/// A scatter without defaults whose elements are passed chunk by chunk, in any order and from any threads. The order
/// makes no difference, except if a target is written twice, which is a fault.
class ChunkedScatter {
 public:
  /// `positions` is the segmentation of the result. `flagged`: elements have flags, so not every element is written.
  ChunkedScatter(Context& context, const SegmentDescriptor& elements, const SegmentDescriptor& positions, bool flagged,
                 ElemType indices, Result result);

  /// Prepares the result; must be called before write(). False, after a report, if memory ran out.
  bool begin();
  /// Writes the elements of a chunk. Element e of each vector is at address + e * size; only the elements of the chunk
  /// are read. False, after a report, if an index is out of range.
  bool write(const void* source, const void* indices, const bool* flags, const Chunk& chunk);
  /// The address of target 0.
  void* result() const { return job_.result; }
  /// Accounts for elements of a permutation that other code has written: `hashes` is the sum of the hashes of their
  /// targets (see position_hash.h). Targets must not need more than 32 bits.
  void add_written(std::uint64_t hashes);
  /// Must be called when all chunks are written. False if a target was written twice.
  bool positions_were_distinct();

 private:
  ScatterJob job_;
  Context& context_;
  const bool is_permutation_;  ///< every target must be written, so none has to be cleared
  const bool wide_;            ///< targets need more than 32 bits
  const std::size_t size_;     ///< bytes of an element
  ScatterKernels::Run* const run_;
  Arena::Scratch<std::uint8_t> marks_;
  std::atomic<std::uint64_t> fingerprint_ = 0;
  std::atomic<std::int64_t> written_ = 0;
};

/// Sets memory to 0.
void fill_zero(Context& context, void* data, std::int64_t bytes);
/// Copies the defaults of a scatter to its result, unless they are its memory.
void copy_defaults(Context& context, const Operand& defaults, const Result& result);

}  // namespace cvl::cpu

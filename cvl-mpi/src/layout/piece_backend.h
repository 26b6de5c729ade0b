#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "cvl/backend.h"

namespace cvl::mpi {

/// The memory of pieces of calls, which a rank computes by itself: as much as the vectors of the rank leave. Any thread
/// may allocate.
class PieceMemory {
 public:
  explicit PieceMemory(std::size_t limit) : limit_(limit) {}

  /// Sets the most bytes that may be allocated. Nothing that is allocated is affected.
  void set_limit(std::size_t limit) { limit_ = limit; }
  /// False, without counting the bytes, if they exceed the limit.
  bool add(std::size_t bytes);
  void remove(std::size_t bytes) { live_ -= bytes; }
  MemoryUse use() const { return {live_, live_, peak_, limit_}; }

 private:
  std::size_t limit_;
  std::atomic<std::size_t> live_ = 0, peak_ = 0;
};

/// The wrapped backend of a rank, as the backend of pieces: the same operations in the same memory, which counts toward
/// a PieceMemory. Both must outlive the result.
std::unique_ptr<Backend> make_piece_backend(Backend& inner, PieceMemory& memory);

}  // namespace cvl::mpi

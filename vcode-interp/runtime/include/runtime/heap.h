#pragma once

#include <array>
#include <memory>
#include <vector>

#include "runtime/value.h"

namespace runtime {

/// Makes and recycles the shared objects behind values. A short vector and its header share a block from a list of free
/// blocks by size, so that making one costs a few nanoseconds; the backend allocates the elements of long vectors. All
/// memory counts toward the backend's memory limit.
class Heap {
 public:
  /// Most elements of a vector whose elements are in the block of its header: the room for the offsets of a descriptor
  /// of kShortLimit segments.
  static constexpr std::int64_t kInlineLimit = room_of_offsets(kShortLimit, true);

  explicit Heap(Backend& device);
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  Backend& device() const { return device_; }

  /// A vector with undefined elements: up to kInlineLimit elements on the host (readable by the backend too where
  /// memory is unified), more on the device. Null if memory is exhausted.
  VectorObject* make_vector(ElemType type, std::int64_t length);
  /// A vector with undefined elements in the memory of the device, also if it is short. With `may_become_short`, the
  /// block of a long vector has room for a host copy of kInlineLimit elements; see shrink(). Null if memory is
  /// exhausted.
  VectorObject* make_device_vector(ElemType type, std::int64_t length, bool may_become_short = false);
  /// A vector with undefined elements whose memory has room for at least so many more in front of them and behind them,
  /// for extend(). Only with unified memory, and for more than kInlineLimit elements. Null if memory is exhausted.
  VectorObject* make_extensible(ElemType type, std::int64_t length, std::int64_t before, std::int64_t behind);
  /// Adds undefined elements in front of those of a vector, with a reference count of 1, and behind them, which stay in
  /// their places. Elements may then begin at any multiple of their size. False if the memory of the vector has no
  /// room.
  bool extend(VectorObject* vector, std::int64_t before, std::int64_t behind) noexcept;
  /// A vector of elements in memory of the caller, which counts toward no limit. can_borrow(length) must be true. Null
  /// if memory is exhausted; the loan is then not taken.
  VectorObject* borrow(ElemType type, std::int64_t length, const void* elements, Loan loan);
  bool can_borrow(std::int64_t length) const { return unified_ && length > kInlineLimit; }
  /// As borrow(), of elements in memory of a device: cvl/shared_device.h. `length` must exceed kInlineLimit.
  VectorObject* borrow_on_device(ElemType type, std::int64_t length, const void* elements, Loan loan);
  /// A vector that borrows elements on the host, which must outlive it, if can_borrow(length); else a copy. kNone if
  /// memory is exhausted.
  Value view(ElemType type, const void* elements, std::int64_t length);
  SegdesObject* make_segdes();
  /// An irregular descriptor with a known number of elements. The lengths are not read, even if they are all equal.
  /// kNone if memory is exhausted.
  Value make_segdes(Value lengths, std::int64_t elements);
  PairObject* make_pair(Value first, Value second);

  /// Address of a vector's elements on the host or on the device. Elements that are only in the other memory are copied
  /// first. Null if memory is exhausted; may be null for an empty vector.
  const void* host_data(const Value& vector) {
    if (vector.is_scalar()) return vector.scalar_data();
    if (vector.vector()->host != nullptr) return vector.vector()->host;
    return copy_to_host(vector.vector());
  }
  const void* device_data(const Value& vector);

  /// Truncates a vector on the device, with a reference count of 1, to its first `length` elements. `length` must
  /// exceed kInlineLimit unless the block has room for a host copy (make_device_vector()).
  void shrink(VectorObject* vector, std::int64_t length) noexcept;

  /// Bytes of elements outside of blocks.
  std::size_t live() const { return live_; }
  /// Size in bytes of the last request that could not be met.
  std::size_t last_request() const { return last_request_; }

  /// Called when the reference count drops to 0.
  void release(VectorObject* object) noexcept;
  void release(SegdesObject* object) noexcept;
  void release(PairObject* object) noexcept;

 private:
  static constexpr std::array<std::size_t, 6> kBlockSizes = {64, 128, 192, 320, 640, 896};
  static constexpr std::size_t kSlabBytes = 256 * 1024;

  VectorObject* make_header(ElemType type, std::int64_t length, std::size_t inline_bytes);
  void* take_block(std::size_t bytes, std::uint8_t& size_class);
  void* refill(std::size_t size_class);
  const void* copy_to_host(VectorObject* vector);
  void return_block(Object* object) noexcept;
  /// Null if memory is exhausted, and for 0 bytes.
  void* allocate_device(std::size_t bytes);

  struct FreeBlock {
    FreeBlock* next;
  };
  Backend& device_;
  const bool unified_;
  std::array<FreeBlock*, kBlockSizes.size()> free_{};
  std::vector<std::pair<void*, std::size_t>> slabs_;
  std::size_t last_request_ = 0;
  std::size_t live_ = 0;
};

}  // namespace runtime

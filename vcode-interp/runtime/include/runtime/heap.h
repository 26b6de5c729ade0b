#pragma once

#include <array>
#include <memory>
#include <vector>

#include "runtime/value.h"

namespace runtime {

/// Makes and recycles the shared objects behind values. Short vectors live with their header in blocks
/// recycled by size, so that making one costs a few nanoseconds; the elements of long ones come from the
/// backend. Everything allocated counts toward the backend's memory limit.
class Heap {
 public:
  /// The most elements of a vector whose block has room for them behind the header. One more than kShortLimit, for the
  /// offsets of a descriptor of that many segments.
  static constexpr std::int64_t kInlineLimit = kShortLimit + 1;

  explicit Heap(Backend& device);
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  Backend& device() const { return device_; }

  /// A vector to be filled: short ones on the host (readable by the backend too where
  /// memory is unified), longer ones on the device. Null if memory is exhausted.
  VectorObject* make_vector(ElemType type, std::int64_t length);
  /// A short vector that a non-unified backend is about to fill; or a long one, which such a backend may let be cut to
  /// a short one if it `may_become_short`.
  VectorObject* make_device_vector(ElemType type, std::int64_t length, bool may_become_short = false);
  /// A vector of elements that lie elsewhere, where memory is unified and it is longer than kInlineLimit: others are to
  /// be copied. They count toward no limit. Null, with the loan not taken, if memory is exhausted.
  VectorObject* borrow(ElemType type, std::int64_t length, const void* elements, Loan loan);
  bool can_borrow(std::int64_t length) const { return unified_ && length > kInlineLimit; }
  /// A vector of these elements, on the host: of the elements themselves, which then outlive it, if they can be
  /// borrowed, else of copies. kNone if memory is exhausted.
  Value view(ElemType type, const void* elements, std::int64_t length);
  SegdesObject* make_segdes();
  /// A descriptor whose total is known; whether it is regular is not worth a pass over the lengths. kNone if memory is
  /// exhausted.
  Value make_segdes(Value lengths, std::int64_t elements);
  PairObject* make_pair(Value first, Value second);

  /// The address of a vector's elements for the host or for the backend, copying them there first where
  /// they are not. Null if memory is exhausted, and perhaps for no elements.
  const void* host_data(const Value& vector) {
    if (vector.is_scalar()) return vector.scalar_data();
    if (vector.vector()->host != nullptr) return vector.vector()->host;
    return copy_to_host(vector.vector());
  }
  const void* device_data(const Value& vector);

  /// Cuts a vector of the device with a reference count of 1 to its first `length` elements. These are more than
  /// kInlineLimit unless its block has room for a copy of them on the host.
  void shrink(VectorObject* vector, std::int64_t length) noexcept;

  /// Bytes of all vectors that are too long for a block.
  std::size_t live() const { return live_; }
  /// Size in bytes of the last request that could not be met.
  std::size_t last_request() const { return last_request_; }

  /// Called when the reference count drops to 0.
  void release(VectorObject* object) noexcept;
  void release(SegdesObject* object) noexcept;
  void release(PairObject* object) noexcept;

 private:
  static constexpr std::array<std::size_t, 5> kBlockSizes = {64, 128, 192, 320, 640};
  static constexpr std::size_t kSlabBytes = 256 * 1024;

  VectorObject* make_header(ElemType type, std::int64_t length, std::size_t inline_bytes);
  void* take_block(std::size_t bytes, std::uint8_t& size_class);
  void* refill(std::size_t size_class);
  const void* copy_to_host(VectorObject* vector);
  void return_block(Object* object) noexcept;
  /// Null for no bytes, too.
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

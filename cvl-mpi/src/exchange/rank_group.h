#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "cvl/backend.h"
#include "layout/distribution.h"
#include "layout/held_vectors.h"
#include "messages/messenger.h"
#include "staging/staged_backend.h"

namespace cvl::mpi {

/// The length of the vectors that describe segments: a value for each, or the offsets of an irregular descriptor.
inline std::int64_t entries_of(const SegmentDescriptor& descriptor) {
  return descriptor.segments + (descriptor.is_regular() ? 0 : 1);
}

inline std::size_t size_of(ElemType type, std::int64_t length) {
  return static_cast<std::size_t>(length) * elem_size(type);
}

/// A rank among the ranks of a job: how it computes, and how it exchanges parts of vectors.
struct RankGroup {
  Backend& inner;  ///< the wrapped backend, which computes on the rank's part
  Messenger& messenger;
  const Distribution& distribution;
  std::size_t exchange_bytes = SIZE_MAX;  ///< most memory for the buffers of an exchange, the same on every rank
  HeldVectors* held = nullptr;            ///< which divided vectors are whole; null: none
  StagedBackend* staged = nullptr;        ///< the wrapped backend, if that computes on a device

  int rank() const { return messenger.rank(); }
  int ranks() const { return messenger.ranks(); }
  bool is_divided(std::int64_t length) const { return distribution.is_divided(length); }
  bool is_divided(const Operand& vector) const { return is_divided(vector.length); }
  bool is_divided(const Result& vector) const { return is_divided(vector.length); }
  /// Whether elements, or values or offsets of segments, are divided.
  bool is_divided(const SegmentDescriptor& descriptor) const {
    return is_divided(descriptor.elements) || is_divided(entries_of(descriptor));
  }
  /// Whether every rank has all elements of a vector: those of a replicated one, and of a divided one that is whole.
  bool has_all(const Operand& vector) const {
    return !is_divided(vector) ||
           (held != nullptr && held->is_whole(vector.data, elem_size(vector.type), vector.length));
  }
  /// The elements of a vector that this rank holds.
  Range part(std::int64_t length) const { return distribution.part(length, rank()); }

  /// To be called before the host reads elements that operations of the wrapped backend may have filled.
  void before_reading(const Operand& elements) const {
    if (staged != nullptr && !elements.on_host)
      staged->before_reading(elements.data, size_of(elements.type, elements.length));
  }
  /// To be called before the host writes elements that operations of the wrapped backend may read or have filled.
  void before_writing(const Result& elements) const {
    if (staged != nullptr) staged->before_writing(elements.data, size_of(elements.type, elements.length));
  }

  /// Elements whose buffers fit, at so many bytes for each.
  std::int64_t fitting(std::size_t bytes_of_element) const {
    return static_cast<std::int64_t>(std::clamp<std::size_t>(exchange_bytes / bytes_of_element, 1, INT64_MAX));
  }
  /// The number of exchanges in which a rank exchanges `elements`; at least 1.
  std::int64_t turns_for(std::int64_t elements, std::size_t bytes_of_element) const {
    const std::int64_t most = fitting(bytes_of_element);
    return std::max<std::int64_t>(1, (elements - 1) / most + 1);
  }
};

/// Working memory of the wrapped backend, freed by the destructor.
class Scratch {
 public:
  Scratch() = default;
  /// Fails the job if there is no memory: one rank cannot skip an operation that all ranks take part in.
  Scratch(const RankGroup& group, std::size_t bytes);
  Scratch(Scratch&& other) noexcept
      : inner_(other.inner_), bytes_(other.bytes_), data_(std::exchange(other.data_, nullptr)) {}
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(inner_, other.inner_);
    std::swap(bytes_, other.bytes_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~Scratch() {
    if (data_ != nullptr) inner_->deallocate(data_, bytes_);
  }

  void* data() const { return data_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  Backend* inner_ = nullptr;
  std::size_t bytes_ = 0;
  void* data_ = nullptr;
};

/// Room for a vector in working memory.
inline Scratch scratch_for(const RankGroup& group, ElemType type, std::int64_t length) {
  return Scratch(group, size_of(type, length));
}

/// Some elements of a vector as a vector.
inline Operand elements_of(const Operand& vector, Range range) {
  return {vector.type, range.size(), static_cast<const std::byte*>(vector.data) + size_of(vector.type, range.begin),
          vector.on_host && range.size() == 1};
}
inline Result elements_of(const Result& vector, Range range) {
  return {vector.type, range.size(), static_cast<std::byte*>(vector.data) + size_of(vector.type, range.begin)};
}
inline Operand operand_of(const Result& result) { return {result.type, result.length, result.data}; }

/// The memory of a divided vector.
inline HeldVector held_vector(const Operand& vector) {
  return {static_cast<std::byte*>(const_cast<void*>(vector.data)), elem_size(vector.type), vector.length};
}

/// Returns the memory that the elements of other ranks take in a divided vector; they are then undefined.
void discard_other_parts(const RankGroup& group, const HeldVector& vector);

}  // namespace cvl::mpi

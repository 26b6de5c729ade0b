#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "layout/distribution.h"

namespace cvl::mpi {

/// The memory that a divided vector occupies on every rank, of which only the rank's part has its elements unless the
/// vector is *whole*: then every rank has all elements.
struct HeldVector {
  std::byte* data = nullptr;
  std::size_t element = 0;  ///< bytes of an element
  std::int64_t length = 0;
  bool is_whole = false;
  std::size_t spent = 0;  ///< cost, in bytes, of all messages that brought some of the elements to every rank

  std::size_t bytes() const { return element * static_cast<std::size_t>(length); }
};

/// Which memory has divided vectors now. All other memory has the same bytes on every rank. The same on every rank, but
/// for the addresses.
class HeldVectors {
 public:
  /// Whole vectors have at most so many bytes together.
  explicit HeldVectors(std::size_t most_whole_bytes = 0) : most_whole_bytes_(most_whole_bytes) {}

  /// Records that an operation has filled a divided vector. Vectors that it overlaps are gone.
  void add(const HeldVector& vector);
  /// Forgets the vectors that overlap these bytes.
  void remove(const void* data, std::size_t bytes);
  /// Forgets the vectors all of whose bytes are among these.
  void remove_covered(const void* data, std::size_t bytes);

  /// Whether these bytes are exactly one divided vector of this length.
  bool has(const void* data, std::size_t element, std::int64_t length) const;
  /// The first divided vector, by address, that overlaps these bytes; null if there is none.
  const HeldVector* find(const void* data, std::size_t bytes) const;

  /// Whether these bytes are exactly one divided vector of this length, and whole.
  bool is_whole(const void* data, std::size_t element, std::int64_t length) const;
  /// Whether the divided vector at an address may become whole.
  bool can_be_whole(const void* data) const;
  /// Adds to the cost of messages that brought some elements of the divided vector at an address to every rank. True if
  /// they come to cost as much as all elements would, and the vector may become whole.
  bool spend(const void* data, std::size_t cost);
  /// Records whether the divided vector at an address is whole now.
  void set_whole(const void* data, bool is_whole);

 private:
  using Vectors = std::map<const std::byte*, HeldVector>;  // by address; they do not overlap

  HeldVector* at(const void* data) {
    const auto found = vectors_.find(static_cast<const std::byte*>(data));
    return found == vectors_.end() ? nullptr : &found->second;
  }
  Vectors::iterator erase(Vectors::iterator vector);

  std::size_t most_whole_bytes_;
  std::size_t whole_bytes_ = 0;
  Vectors vectors_;
};

}  // namespace cvl::mpi

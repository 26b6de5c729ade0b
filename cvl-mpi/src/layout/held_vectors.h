#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "layout/distribution.h"

namespace cvl::mpi {

/// The memory that a divided vector occupies on every rank, of which only the rank's part has its elements.
struct HeldVector {
  std::byte* data = nullptr;
  std::size_t element = 0;  ///< bytes of an element
  std::int64_t length = 0;

  std::size_t bytes() const { return element * static_cast<std::size_t>(length); }
};

/// Which memory has divided vectors now. All other memory has the same bytes on every rank. The same on every rank, but
/// for the addresses.
class HeldVectors {
 public:
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

 private:
  std::map<const std::byte*, HeldVector> vectors_;  ///< by address; they do not overlap
};

}  // namespace cvl::mpi

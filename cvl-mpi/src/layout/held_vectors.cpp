#include "layout/held_vectors.h"

#include <iterator>

namespace cvl::mpi {

void HeldVectors::add(const HeldVector& vector) {
  const auto known = vectors_.find(vector.data);
  if (known != vectors_.end() && known->second.bytes() == vector.bytes()) {
    known->second = vector;
    return;
  }
  remove(vector.data, vector.bytes());
  vectors_.emplace(vector.data, vector);
}

void HeldVectors::remove(const void* data, std::size_t bytes) {
  while (const HeldVector* vector = find(data, bytes)) vectors_.erase(vector->data);
}

void HeldVectors::remove_covered(const void* data, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(data);
  auto next = vectors_.lower_bound(begin);
  while (next != vectors_.end() && next->first + next->second.bytes() <= begin + bytes) next = vectors_.erase(next);
}

bool HeldVectors::has(const void* data, std::size_t element, std::int64_t length) const {
  const auto found = vectors_.find(static_cast<const std::byte*>(data));
  return found != vectors_.end() && found->second.element == element && found->second.length == length;
}

const HeldVector* HeldVectors::find(const void* data, std::size_t bytes) const {
  const auto* begin = static_cast<const std::byte*>(data);
  if (bytes == 0 || vectors_.empty()) return nullptr;
  auto next = vectors_.upper_bound(begin);
  if (next != vectors_.begin()) {
    const HeldVector& before = std::prev(next)->second;
    if (begin < before.data + before.bytes()) return &before;
  }
  return next != vectors_.end() && next->first < begin + bytes ? &next->second : nullptr;
}

}  // namespace cvl::mpi

#include "layout/held_vectors.h"

#include <iterator>

namespace cvl::mpi {

void HeldVectors::add(const HeldVector& vector) {
  if (HeldVector* const known = at(vector.data); known != nullptr && known->bytes() == vector.bytes()) {
    set_whole(vector.data, false);
    *known = vector;
    return;
  }
  remove(vector.data, vector.bytes());
  vectors_.emplace(vector.data, vector);
}

void HeldVectors::remove(const void* data, std::size_t bytes) {
  while (const HeldVector* vector = find(data, bytes)) erase(vectors_.find(vector->data));
}

void HeldVectors::remove_covered(const void* data, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(data);
  auto next = vectors_.lower_bound(begin);
  while (next != vectors_.end() && next->first + next->second.bytes() <= begin + bytes) next = erase(next);
}

bool HeldVectors::has(const void* data, std::size_t element, std::int64_t length) const {
  const auto found = vectors_.find(static_cast<const std::byte*>(data));
  return found != vectors_.end() && found->second.element == element && found->second.length == length;
}

HeldVectors::Vectors::iterator HeldVectors::erase(Vectors::iterator vector) {
  if (vector->second.is_whole) whole_bytes_ -= vector->second.bytes();
  return vectors_.erase(vector);
}

bool HeldVectors::is_whole(const void* data, std::size_t element, std::int64_t length) const {
  const auto found = vectors_.find(static_cast<const std::byte*>(data));
  return found != vectors_.end() && found->second.is_whole && found->second.element == element &&
         found->second.length == length;
}

bool HeldVectors::can_be_whole(const void* data) const {
  const auto found = vectors_.find(static_cast<const std::byte*>(data));
  return found != vectors_.end() && found->second.bytes() <= most_whole_bytes_ - whole_bytes_;
}

bool HeldVectors::spend(const void* data, std::size_t cost) {
  HeldVector* const vector = at(data);
  if (vector == nullptr) return false;
  vector->spent += cost;
  return vector->spent >= vector->bytes() && can_be_whole(data);
}

void HeldVectors::set_whole(const void* data, bool is_whole) {
  HeldVector* const vector = at(data);
  if (vector == nullptr || vector->is_whole == is_whole) return;
  vector->is_whole = is_whole;
  whole_bytes_ = is_whole ? whole_bytes_ + vector->bytes() : whole_bytes_ - vector->bytes();
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

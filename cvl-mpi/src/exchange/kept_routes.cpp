#include "exchange/kept_routes.h"

#include <algorithm>
#include <utility>

namespace cvl::mpi {

namespace {

bool are_equal(const SegmentDescriptor& a, const SegmentDescriptor& b) {
  return a.segments == b.segments && a.elements == b.elements && a.regular_length == b.regular_length &&
         (a.is_regular() || a.offsets == b.offsets);
}

bool overlap(const void* a, std::size_t bytes_of_a, const void* b, std::size_t bytes_of_b) {
  const auto *const first = static_cast<const std::byte*>(a), *const second = static_cast<const std::byte*>(b);
  return first < second + bytes_of_b && second < first + bytes_of_a;
}

}  // namespace

bool KeptRoutes::Indices::operator==(const Indices& other) const {
  return indices.data == other.indices.data && indices.type == other.indices.type &&
         indices.length == other.indices.length && are_equal(from, other.from) && are_equal(to, other.to);
}

bool KeptRoutes::Indices::overlap(const void* data, std::size_t bytes) const {
  const auto has_some = [&](const SegmentDescriptor& descriptor) {
    return !descriptor.is_regular() &&
           mpi::overlap(descriptor.offsets, size_of(ElemType::kI64, entries_of(descriptor)), data, bytes);
  };
  return mpi::overlap(indices.data, size_of(indices.type, indices.length), data, bytes) || has_some(from) ||
         has_some(to);
}

const KeptRoute* KeptRoutes::find(const Indices& indices) const {
  const auto found = std::ranges::find(found_, indices, &Found::indices);
  return found == found_.end() || !found->is_kept ? nullptr : &found->route;
}

bool KeptRoutes::is_found_again(const Indices& indices) {
  const auto found = std::ranges::find(found_, indices, &Found::indices);
  const bool is_again = found != found_.end();
  Found first = is_again ? std::move(*found) : Found{indices};
  if (is_again)
    found_.erase(found);
  else if (found_.size() == kMost)
    found_.pop_back();
  found_.push_front(std::move(first));
  return is_again;
}

void KeptRoutes::keep(KeptRoute route) {
  found_.front().route = std::move(route);
  found_.front().is_kept = true;
}

void KeptRoutes::remove(const void* data, std::size_t bytes) {
  std::erase_if(found_, [&](const Found& found) { return found.indices.overlap(data, bytes); });
}

}  // namespace cvl::mpi

#include "base/pool.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string_view>

#include "base/check.h"

namespace cvl::cuda {
namespace {

constexpr std::size_t kSmallest = 256;

}  // namespace

Keeping keeping_from_environment() {
  const char* pool = std::getenv("CVL_CUDA_POOL");
  return pool != nullptr && std::string_view(pool) == "off" ? Keeping::kNone : Keeping::kAll;
}

/// Rounds up to one of the eight sizes between a power of two and the next.
std::size_t Pool::block_size(std::size_t bytes) const {
  if (keeping_ == Keeping::kNone) return std::max<std::size_t>(bytes, 1);
  if (bytes <= kSmallest) return kSmallest;
  const std::size_t step = std::max(kSmallest, std::bit_floor(bytes - 1) / 8);
  return (bytes + step - 1) / step * step;
}

void* Pool::allocate(std::size_t bytes) noexcept {
  if (refused_ > 0 && --refused_ == 0) return nullptr;
  // Sizes beyond the first bound would overflow when they are rounded up.
  if (bytes > SIZE_MAX / 2 || bytes > use_.limit - use_.live) return nullptr;
  const std::size_t size = block_size(bytes);
  void* data = nullptr;
  if (auto found = free_.find(size); found != free_.end() && !found->second.empty()) {
    data = found->second.back();
    found->second.pop_back();
  } else {
    if (use_.held + size > use_.limit) trim();
    data = source_.take(size);
    if (data == nullptr) {
      give_back();
      data = source_.take(size);
    }
    if (data == nullptr) return nullptr;
    use_.held += size;
  }
  use_.live += bytes;
  use_.peak = std::max(use_.peak, use_.live);
  return data;
}

void Pool::deallocate(void* data, std::size_t bytes, bool waits) noexcept {
  if (data == nullptr) return;
  VC_CHECK(bytes <= use_.live);
  use_.live -= bytes;
  const std::size_t size = block_size(bytes);
  if (keeping_ == Keeping::kNone) {
    if (before_giving_back_) before_giving_back_();
    source_.give_back(data, size);
    use_.held -= size;
  } else if (waits) {
    waiting_.emplace_back(size, data);
  } else {
    free_[size].push_back(data);
  }
}

void Pool::end_waiting() noexcept {
  for (const auto& [size, data] : waiting_) free_[size].push_back(data);
  waiting_.clear();
}

void Pool::trim() noexcept {
  if (before_giving_back_) before_giving_back_();
  end_waiting();
  for (auto& [size, blocks] : free_) {
    for (void* block : blocks) source_.give_back(block, size);
    use_.held -= size * blocks.size();
    blocks.clear();
  }
}

}  // namespace cvl::cuda

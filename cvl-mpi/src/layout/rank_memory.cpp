#include "layout/rank_memory.h"

#include <sys/mman.h>

#include <bit>
#include <cstdint>
#include <new>

namespace cvl::mpi {

namespace {

constexpr std::size_t kPage = 4096;
/// Share of the limit that unused ranges may count, so that new vectors find pages that are already there.
constexpr std::size_t kUnusedShare = 8;

/// Sizes of ranges: multiples of an eighth of a power of two, so that unused ranges fit later vectors.
std::size_t range_size(std::size_t bytes) {
  const std::size_t step = std::max(kPage, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) / step * step;
}

}  // namespace

RankMemory::RankMemory(Backend& inner, const Distribution& distribution, std::size_t limit)
    : inner_(inner), distribution_(distribution), limit_(limit) {}

RankMemory::~RankMemory() { release_unused(0); }

std::size_t RankMemory::counted(std::size_t bytes) const {
  constexpr std::size_t kMostOfElement = 8, kGranule = 64;
  std::size_t most = bytes;
  if (is_range(bytes)) {
    const auto ranks = static_cast<std::size_t>(distribution_.ranks());
    most = std::min(bytes, bytes / ranks + static_cast<std::size_t>(distribution_.block()) * kMostOfElement);
  }
  return (most + kGranule - 1) / kGranule * kGranule;
}

void* RankMemory::allocate(std::size_t bytes) noexcept {
  constexpr std::size_t kMost = SIZE_MAX / 4;
  if (bytes > kMost || counted(bytes) > limit_ - live_) return nullptr;
  void* data = nullptr;
  if (!is_range(bytes)) {
    data = inner_.allocate(bytes);
  } else {
    const std::size_t size = range_size(bytes);
    if (const auto unused = unused_.find(size); unused != unused_.end()) {
      data = unused->second;
      unused_counted_ -= counted(size);
      unused_.erase(unused);
    } else {
      // Ranges that nobody uses must not keep others out of memory.
      if (live_ + counted(bytes) + unused_counted_ > limit_) release_unused(0);
      void* const mapped =
          mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (mapped != MAP_FAILED) data = mapped;
    }
    try {
      if (data != nullptr) ranges_[data] = size;
    } catch (const std::bad_alloc&) {
      munmap(data, size);
      data = nullptr;
    }
  }
  if (data == nullptr) {
    failed_ = bytes > 0;
    return nullptr;
  }
  live_ += counted(bytes);
  peak_ = std::max(peak_, live_);
  return data;
}

void RankMemory::deallocate(void* data, std::size_t bytes) noexcept {
  live_ -= counted(bytes);
  const auto range = ranges_.find(data);
  if (range == ranges_.end()) return inner_.deallocate(data, bytes);
  const std::size_t size = range->second;
  ranges_.erase(range);
  try {
    unused_.emplace(size, data);
    unused_counted_ += counted(size);
  } catch (const std::bad_alloc&) {
    munmap(data, size);
  }
  release_unused(limit_ / kUnusedShare);
}

std::size_t RankMemory::shrink(void* data, std::size_t bytes, std::size_t wanted) noexcept {
  // A range keeps its addresses; only what it counts changes.
  const bool is_of_range = ranges_.contains(data);
  std::size_t now = bytes;
  if (!is_of_range)
    now = inner_.shrink(data, bytes, wanted);
  else if (is_range(wanted))
    now = wanted;
  if (is_of_range) discard(static_cast<std::byte*>(data) + now, bytes - now);
  live_ -= counted(bytes) - counted(now);
  return now;
}

MemoryUse RankMemory::use() const { return {live_, live_ + unused_counted_, peak_, limit_}; }

void RankMemory::discard(void* data, std::size_t bytes) noexcept {
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / kPage * kPage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

void RankMemory::release_unused(std::size_t most) noexcept {
  while (unused_counted_ > most && !unused_.empty()) {
    const auto largest = std::prev(unused_.end());
    munmap(largest->second, largest->first);
    unused_counted_ -= counted(largest->first);
    unused_.erase(largest);
  }
}

}  // namespace cvl::mpi

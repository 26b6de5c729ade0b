#include "base/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/address_space.h"
#include "base/check.h"
#include "tuning/memory_tuning.h"

namespace cvl::cpu {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kPage = 4 * kKiB;
constexpr std::size_t kLargestSmall = 64 * kKiB;

constexpr std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

/// Size classes: multiples of 64 up to 1 KiB, then eight per doubling.
constexpr int class_of(std::size_t bytes) {
  if (bytes <= kKiB) return bytes == 0 ? 0 : static_cast<int>((bytes - 1) / 64);
  const int doubling = std::bit_width(bytes - 1) - 11;
  return 16 + doubling * 8 + static_cast<int>((bytes - 1 - (kKiB << doubling)) / (128u << doubling));
}
constexpr std::size_t class_size(int c) {
  return c < 16 ? (c + 1) * std::size_t{64} : std::size_t{128 * (9u + (c - 16) % 8)} << (c - 16) / 8;
}
static_assert(class_of(1024) == 15 && class_of(1025) == 16 && class_of(1152) == 16 && class_of(1153) == 17);
static_assert(class_size(16) == 1152 && class_size(class_of(kLargestSmall)) == kLargestSmall);
static_assert(class_of(kLargestSmall) == 63);

}  // namespace

/// A run of kSlabBytes that is divided into small blocks of one size. Free blocks that were in use before are linked by
/// their first word.
struct Arena::Slab {
  std::uint32_t free_head;  ///< 1 + number of the first free block, or 0
  std::uint16_t fresh;      ///< blocks from this one on were never in use
  std::uint16_t live;
  std::uint16_t blocks;
  std::uint8_t size_class;
  bool listed;
  std::uint32_t previous, next;  ///< 1 + slab in the list of its class, or 0
};

void Arena::Free::operator()(void* p) const { std::free(p); }

Arena::Arena(std::shared_ptr<MemoryAccount> account) : account_(std::move(account)) {
  const std::size_t limit = account_->limit();
  // Address space of twice the limit, as fragmentation costs addresses but no memory.
  std::size_t wanted = round_up(std::min(limit, std::size_t{1} << 44), kCommitBytes) * 2 + 4 * kCommitBytes;
  // A limited address space must also suffice for other arenas and the rest of the process.
  if (const auto left = base::address_space_left())
    wanted = std::min(wanted, std::max(round_up(*left / 3, kCommitBytes), 4 * kCommitBytes));
  for (reserved_ = wanted; reserved_ >= 4 * kCommitBytes; reserved_ = round_up(reserved_ / 2, kCommitBytes)) {
    void* range = mmap(nullptr, reserved_ + kSlabBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) continue;
    char* start = static_cast<char*>(range);
    base_ = reinterpret_cast<char*>(round_up(reinterpret_cast<std::uintptr_t>(start), kSlabBytes));
    // The range was one slab too long: unmap what lies before and after the aligned part.
    const auto before = static_cast<std::size_t>(base_ - start);
    if (before > 0) munmap(start, before);
    munmap(base_ + reserved_, kSlabBytes - before);
    break;
  }
  touched_.reset(static_cast<std::uint64_t*>(std::calloc(reserved_ / kGranuleBytes / 64 + 1, 8)));
  slabs_.reset(static_cast<Slab*>(std::calloc(reserved_ / kSlabBytes + 1, sizeof(Slab))));
  if (!touched_ || !slabs_) base_ = nullptr;
}

Arena::~Arena() {
  account_->give(live_);
  account_->let_go(held_);
  if (base_ != nullptr) munmap(base_, reserved_);
}

void* Arena::allocate(std::size_t bytes) noexcept {
  const std::size_t size = bytes <= kLargestSmall ? round_up(std::max<std::size_t>(bytes, 1), 64) : bytes;
  if (!account_->take(size)) return nullptr;
  void* data = nullptr;
  if (bytes <= kLargestSmall) {
    data = allocate_small(class_of(bytes));
  } else {
    Offset at;
    if (take(round_up(size, kPage), kPage, at)) {
      touch(at, size);
      data = base_ + at;
    }
  }
  if (data == nullptr) {
    account_->give(size);
    return nullptr;
  }
  live_ += size;
  peak_ = std::max(peak_, live_);
  if (excess() > 0) trim();
  return data;
}

void Arena::deallocate(void* data, std::size_t bytes) noexcept {
  if (data == nullptr) return;
  const Offset at = static_cast<std::size_t>(static_cast<char*>(data) - base_);
  VC_CHECK(at < top_ && bytes <= live_);
  if (bytes <= kLargestSmall) {
    release(round_up(std::max<std::size_t>(bytes, 1), 64));
    deallocate_small(at);
  } else {
    release(bytes);
    give(at, round_up(bytes, kPage));
  }
}

std::size_t Arena::shrink(void* data, std::size_t bytes, std::size_t wanted) noexcept {
  VC_CHECK(wanted <= bytes);
  const std::size_t kept = round_up(std::max(wanted, kLargestSmall + 1), kPage), had = round_up(bytes, kPage);
  if (bytes <= kLargestSmall || kept >= had) return bytes;
  give(static_cast<std::size_t>(static_cast<char*>(data) - base_) + kept, had - kept);
  release(bytes - kept);
  return kept;
}

void Arena::release(std::size_t bytes) noexcept {
  live_ -= bytes;
  account_->give(bytes);
}

void* Arena::allocate_small(int size_class) noexcept {
  const std::size_t size = class_size(size_class);
  if (open_[size_class] == 0) {
    Offset at;
    if (!take(kSlabBytes, kSlabBytes, at)) return nullptr;
    const auto index = static_cast<std::uint32_t>(at / kSlabBytes);
    slabs_[index] = {0,     0, 0, static_cast<std::uint16_t>(kSlabBytes / size), static_cast<std::uint8_t>(size_class),
                     false, 0, 0};
    add_to_list(index);
  }
  const std::uint32_t index = open_[size_class] - 1;
  Slab& slab = slabs_[index];
  char* start = base_ + index * kSlabBytes;
  char* data;
  if (slab.free_head != 0) {
    data = start + (slab.free_head - 1) * size;
    slab.free_head = *reinterpret_cast<std::uint32_t*>(data);
  } else {
    data = start + slab.fresh++ * size;
    touch(static_cast<Offset>(data - base_), size);
  }
  if (++slab.live == slab.blocks) drop_from_list(index);
  return data;
}

void Arena::deallocate_small(Offset at) noexcept {
  const auto index = static_cast<std::uint32_t>(at / kSlabBytes);
  Slab& slab = slabs_[index];
  VC_CHECK(slab.live > 0 && at % kSlabBytes % class_size(slab.size_class) == 0);
  *reinterpret_cast<std::uint32_t*>(base_ + at) = slab.free_head;
  slab.free_head = 1 + static_cast<std::uint32_t>(at % kSlabBytes / class_size(slab.size_class));
  if (!slab.listed) add_to_list(index);
  // Keep the last slab of a class with free blocks, so that allocating and freeing a single vector stays cheap.
  if (--slab.live == 0 && (slab.previous != 0 || slab.next != 0)) {
    drop_from_list(index);
    give(index * kSlabBytes, kSlabBytes);
  }
}

void Arena::add_to_list(std::uint32_t index) {
  Slab& slab = slabs_[index];
  std::uint32_t& head = open_[slab.size_class];
  slab.previous = 0;
  slab.next = head;
  slab.listed = true;
  if (head != 0) slabs_[head - 1].previous = index + 1;
  head = index + 1;
}

void Arena::drop_from_list(std::uint32_t index) {
  Slab& slab = slabs_[index];
  (slab.previous != 0 ? slabs_[slab.previous - 1].next : open_[slab.size_class]) = slab.next;
  if (slab.next != 0) slabs_[slab.next - 1].previous = slab.previous;
  slab.previous = slab.next = 0;
  slab.listed = false;
}

/// Finds a range of free addresses below top_ (best fit) or above it.
bool Arena::take(std::size_t size, std::size_t alignment, Offset& at) {
  for (auto it = by_size_.lower_bound({size, 0}); it != by_size_.end(); ++it) {
    const auto [free_size, begin] = *it;
    at = round_up(begin, alignment);
    if (at + size > begin + free_size) continue;
    remove_range(by_address_.find(begin));
    if (at > begin) add_range(begin, at - begin);
    if (at + size < begin + free_size) add_range(at + size, begin + free_size - at - size);
    return true;
  }
  at = round_up(top_, alignment);
  if (!commit(at + size)) return false;
  if (at > top_) add_range(top_, at - top_);
  top_ = at + size;
  return true;
}

/// Frees a range and joins it with free neighbours.
void Arena::give(Offset at, std::size_t size) {
  VC_CHECK(at + size <= top_);
  auto next = by_address_.lower_bound(at);
  VC_CHECK(next == by_address_.end() || next->first >= at + size);
  if (next != by_address_.begin()) {
    auto before = std::prev(next);
    VC_CHECK(before->first + before->second <= at);
    if (before->first + before->second == at) {
      at = before->first;
      size += before->second;
      remove_range(before);
    }
  }
  if (next != by_address_.end() && next->first == at + size) {
    size += next->second;
    remove_range(next);
  }
  if (at + size == top_)
    top_ = at;
  else
    add_range(at, size);
}

void Arena::add_range(Offset at, std::size_t size) {
  by_address_.emplace(at, size);
  by_size_.emplace(size, at);
}

void Arena::remove_range(std::map<Offset, std::size_t>::iterator range) {
  by_size_.erase({range->second, range->first});
  by_address_.erase(range);
}

/// Makes addresses [0, end) accessible. All but the first kSmallPagesBytes get huge pages. Memory is taken from low
/// addresses on, so that only the last page in use may be larger than what lies in it.
bool Arena::commit(Offset end) {
  if (end <= committed_) return true;
  if (end > reserved_) return false;
  const std::size_t bytes = std::min(reserved_, round_up(end, kCommitBytes)) - committed_;
  if (mprotect(base_ + committed_, bytes, PROT_READ | PROT_WRITE) != 0) return false;
  const auto begin = reinterpret_cast<std::uintptr_t>(base_ + std::max(committed_, kSmallPagesBytes));
  committed_ += bytes;
  const std::uintptr_t first = round_up(begin, kHugePageBytes),
                       last = reinterpret_cast<std::uintptr_t>(base_ + committed_);
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  return true;
}

/// Counts the granules of a block that is about to be used as held.
void Arena::touch(Offset at, std::size_t size) {
  for (std::size_t g = at / kGranuleBytes; g <= (at + size - 1) / kGranuleBytes; ++g) {
    if (touched(g)) continue;
    touched_[g / 64] |= std::uint64_t{1} << g % 64;
    held_ += kGranuleBytes;
    account_->hold(kGranuleBytes);
  }
}

/// Bytes that are held beyond what is allowed.
std::size_t Arena::excess() const {
  const std::size_t allowed = peak_ + peak_ / 4 + kSlackBytes;
  return std::max(held_ > allowed ? held_ - allowed : 0, account_->excess());
}

/// Returns free pages to the system until no more is held than allowed: first those above the last block, then the
/// largest holes.
void Arena::trim() {
  trim_range(top_, committed_, excess());
  for (auto it = by_size_.rbegin(); it != by_size_.rend() && excess() > 0 && it->first >= kGranuleBytes; ++it)
    trim_range(it->second, it->second + it->first, excess());
}

/// Returns up to `wanted` bytes (rounded up to whole granules) of a free range to the system.
std::size_t Arena::trim_range(Offset at, Offset end, std::size_t wanted) {
  std::size_t freed = 0;
  std::size_t g = round_up(at, kGranuleBytes) / kGranuleBytes;
  const std::size_t last = end / kGranuleBytes;
  while (g < last && freed < wanted) {
    std::size_t run = 0;
    while (g + run < last && touched(g + run) && freed + run * kGranuleBytes < wanted) {
      touched_[(g + run) / 64] &= ~(std::uint64_t{1} << (g + run) % 64);
      ++run;
    }
    if (run > 0) madvise(base_ + g * kGranuleBytes, run * kGranuleBytes, MADV_DONTNEED);
    freed += run * kGranuleBytes;
    g += run + 1;
  }
  held_ -= freed;
  account_->let_go(freed);
  return freed;
}

}  // namespace cvl::cpu

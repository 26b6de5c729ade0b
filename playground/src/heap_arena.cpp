// Memory of vectors from the heap, in place of a reserved range of addresses, which WebAssembly does not have.
#include <algorithm>
#include <cstdlib>

#include "base/arena.h"
#include "base/check.h"

namespace cvl::cpu {
namespace {

constexpr std::size_t kAlignment = 64;

/// Size of the block for a vector, a multiple of the alignment, as aligned_alloc() requires.
std::size_t block_size(std::size_t bytes) {
  return (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
}

char g_unused_base;

}  // namespace

struct Arena::Slab {};
void Arena::Free::operator()(void* data) const { std::free(data); }

Arena::Arena(std::shared_ptr<MemoryAccount> account) : base_(&g_unused_base), account_(std::move(account)) {}

Arena::~Arena() {
  account_->give(live_);
  account_->let_go(live_);
}

void* Arena::allocate(std::size_t bytes) noexcept {
  if (bytes > SIZE_MAX - kAlignment) return nullptr;
  const std::size_t size = block_size(bytes);
  if (!account_->take(size)) return nullptr;
  void* const data = std::aligned_alloc(kAlignment, size);
  if (data == nullptr) {
    account_->give(size);
    return nullptr;
  }
  account_->hold(size);
  live_ += size;
  return data;
}

void Arena::deallocate(void* data, std::size_t bytes) noexcept {
  if (data == nullptr) return;
  const std::size_t size = block_size(bytes);
  VC_CHECK(size <= live_);
  std::free(data);
  live_ -= size;
  account_->give(size);
  account_->let_go(size);
}

std::size_t Arena::shrink(void*, std::size_t bytes, std::size_t) noexcept { return bytes; }

}  // namespace cvl::cpu

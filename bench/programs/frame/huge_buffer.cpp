#include "huge_buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace program_peers {
namespace {

constexpr std::size_t kHugePage = 2 << 20;

std::vector<std::span<const std::byte>>& blocks() {
  static std::vector<std::span<const std::byte>> alive;
  return alive;
}

}  // namespace

HugeBlock::HugeBlock(std::size_t bytes)
    : bytes_((std::max<std::size_t>(bytes, 1) + kHugePage - 1) / kHugePage * kHugePage) {
  // A mapping of whole huge pages is aligned to them by the kernel.
  data_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data_ == MAP_FAILED) throw std::bad_alloc();
  madvise(data_, bytes_, MADV_HUGEPAGE);
  blocks().push_back({static_cast<const std::byte*>(data_), bytes});
}

HugeBlock::HugeBlock(HugeBlock&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

HugeBlock::~HugeBlock() {
  if (data_ == nullptr) return;
  std::erase_if(blocks(), [&](std::span<const std::byte> block) { return block.data() == data_; });
  munmap(data_, bytes_);
}

const std::vector<std::span<const std::byte>>& HugeBlock::all() { return blocks(); }

}  // namespace program_peers

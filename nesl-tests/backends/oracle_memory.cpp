#include "oracle_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace cvl::conformance {

namespace {

constexpr int kFreshByte = 0xA5;
constexpr int kFreedByte = 0xDD;
/// Bytes at the beginning of a block that are poisoned: huge blocks must stay cheap.
constexpr std::size_t kPoisonedBytes = 4096;

}  // namespace

void misuse(const std::string& what) {
  fmt::print(stderr, "oracle backend misused: {}\n", what);
  std::abort();
}

OracleMemory::OracleMemory(const BackendOptions& options, Addresses addresses)
    : addresses_(addresses),
      limit_(options.memory_limit == 0 ? std::numeric_limits<std::size_t>::max() : options.memory_limit) {}

OracleMemory::~OracleMemory() {
  for (auto [data, bytes] : blocks_) std::free(data);
}

void* OracleMemory::allocate(std::size_t bytes) noexcept {
  if (bytes > limit_ - live_) return nullptr;
  constexpr std::size_t kAlignment = 64;
  std::size_t rounded = std::max(bytes, kAlignment);
  if (rounded > std::numeric_limits<std::size_t>::max() / 2) return nullptr;
  rounded = (rounded + kAlignment - 1) / kAlignment * kAlignment;
  void* data = std::aligned_alloc(kAlignment, rounded);
  if (data == nullptr) return nullptr;
  std::memset(data, kFreshByte, std::min(rounded, kPoisonedBytes));
  blocks_[static_cast<char*>(data)] = bytes;
  live_ += bytes;
  peak_ = std::max(peak_, live_);
  return data;
}

void OracleMemory::deallocate(void* data, std::size_t bytes) noexcept {
  auto block = blocks_.find(static_cast<char*>(data));
  if (block == blocks_.end()) misuse("deallocate of an address that is not allocated");
  if (block->second != bytes)
    misuse(fmt::format("deallocate of {} bytes where {} were allocated", bytes, block->second));
  std::memset(data, kFreedByte, std::min(bytes, kPoisonedBytes));
  live_ -= bytes;
  blocks_.erase(block);
  std::free(data);
}

void OracleMemory::upload(void* device, const void* host, std::size_t bytes) {
  check_range(device, bytes, "upload");
  if (bytes > 0) std::memcpy(device, host, bytes);
}

void OracleMemory::download(void* host, const void* device, std::size_t bytes) {
  check_range(device, bytes, "download");
  if (bytes > 0) std::memcpy(host, device, bytes);
}

void OracleMemory::check_range(const void* data, std::size_t bytes, const char* operation) const {
  if (bytes == 0) return;
  const char* begin = static_cast<const char*>(data);
  auto next = blocks_.upper_bound(const_cast<char*>(begin));
  const bool before_all = next == blocks_.begin();
  if (addresses_ == Addresses::kAnyHost && (before_all || begin >= std::prev(next)->first + std::prev(next)->second))
    return;
  if (before_all) misuse(fmt::format("{}: address not allocated here", operation));
  auto [block, size] = *std::prev(next);
  if (begin + bytes > block + size) misuse(fmt::format("{}: {} bytes are not allocated there", operation, bytes));
}

void OracleMemory::check(const Operand& operand, const char* operation) const {
  if (operand.length < 0) misuse(fmt::format("{}: negative length", operation));
  if (operand.on_host) {
    if (operand.length != 1) misuse(fmt::format("{}: {} elements on the host", operation, operand.length));
    return;
  }
  check_range(operand.data, static_cast<std::size_t>(operand.length) * elem_size(operand.type), operation);
}

void OracleMemory::check_result(const Result& result, const char* operation) const {
  check({result.type, result.length, result.data}, operation);
}

void OracleMemory::check_map(const SegmentDescriptor& descriptor, const char* operation) const {
  if (descriptor.segments < 0 || descriptor.elements < 0) misuse(fmt::format("{}: negative segment map", operation));
  if (descriptor.is_regular()) {
    if (descriptor.segments * descriptor.regular_length != descriptor.elements)
      misuse(fmt::format("{}: {} segments of {} elements are not {}", operation, descriptor.segments,
                         descriptor.regular_length, descriptor.elements));
    return;
  }
  check({ElemType::kI64, descriptor.segments + 1, descriptor.offsets}, operation);
  for (std::int64_t k = 0; k < descriptor.segments; ++k)
    if (descriptor.offsets[k] > descriptor.offsets[k + 1]) misuse(fmt::format("{}: offsets not ascending", operation));
  if (descriptor.offsets[0] != 0 || descriptor.offsets[descriptor.segments] != descriptor.elements)
    misuse(fmt::format("{}: offsets do not span the elements", operation));
  if (descriptor.heads != nullptr) check_heads(descriptor, operation);
}

void OracleMemory::check_heads(const SegmentDescriptor& descriptor, const char* operation) const {
  check({ElemType::kI64, head_words(descriptor.elements), descriptor.heads}, operation);
  if (descriptor.nonempty != nullptr) check({ElemType::kI32, descriptor.segments + 1, descriptor.nonempty}, operation);
  std::uint32_t count = 0;
  for (std::int64_t k = 0; k < descriptor.segments; ++k) {
    for (std::int64_t e = descriptor.offsets[k]; e < descriptor.offsets[k + 1]; ++e) {
      const SegmentHeads& word = descriptor.heads[e / 32];
      const bool is_head = (word.bits >> (e % 32) & 1) != 0;
      if (is_head != (e == descriptor.offsets[k]) || (e % 32 == 0 && word.before != count))
        misuse(fmt::format("{}: wrong heads at {}", operation, e));
      if (!is_head) continue;
      if ((descriptor.nonempty == nullptr ? std::int64_t{count} : descriptor.nonempty[count]) != k)
        misuse(fmt::format("{}: head {} is not segment {}", operation, count, k));
      ++count;
    }
  }
  if (descriptor.nonempty != nullptr && descriptor.nonempty[descriptor.segments] != std::int64_t{count})
    misuse(fmt::format("{}: {} segments with elements, not {}", operation, count,
                       descriptor.nonempty[descriptor.segments]));
}

void OracleMemory::check_same_length(std::int64_t a, std::int64_t b, const char* operation) {
  if (a != b) misuse(fmt::format("{}: lengths {} and {} differ", operation, a, b));
}

void OracleMemory::check_same_type(ElemType a, ElemType b, const char* operation) {
  if (a != b) misuse(fmt::format("{}: types {} and {} differ", operation, vcode::elem_name(a), vcode::elem_name(b)));
}

void OracleMemory::check_overlap(const Operand& operand, const Result& result, bool same_allowed,
                                 const char* operation) {
  const char* a = static_cast<const char*>(operand.data);
  const char* r = static_cast<const char*>(result.data);
  std::size_t a_bytes = static_cast<std::size_t>(operand.length) * elem_size(operand.type);
  std::size_t r_bytes = static_cast<std::size_t>(result.length) * elem_size(result.type);
  if (a_bytes == 0 || r_bytes == 0 || a + a_bytes <= r || r + r_bytes <= a) return;
  if (same_allowed && a == r && elem_size(operand.type) == elem_size(result.type)) return;
  misuse(fmt::format("{}: the result overlaps an operand", operation));
}

}  // namespace cvl::conformance

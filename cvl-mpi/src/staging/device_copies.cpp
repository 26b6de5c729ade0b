#include "staging/device_copies.h"

#include <algorithm>
#include <limits>

namespace cvl::mpi {

namespace {

/// Bytes of the memory that stands for vectors without elements.
constexpr std::size_t kOfNothing = 64;
/// An operand that is all of a longer copy but for such a share of it replaces the copy, as the next ones will be like
/// it.
constexpr std::size_t kShareLeftOut = 8;
/// Share of the device's memory that copies may take. The rest is for the working memory of operations.
constexpr std::size_t kShareOfCopies = 2;

}  // namespace

DeviceCopies::DeviceCopies(Backend& device) : device_(device), shared_(dynamic_cast<SharedDevice&>(device)) {}

DeviceCopies::~DeviceCopies() {
  end_operation();
  while (!copies_.empty()) remove(copies_.begin());
  if (nothing_.data != nullptr) device_.deallocate(nothing_.data, nothing_.bytes);
}

DeviceCopies::Copies::iterator DeviceCopies::first_overlapping(const std::byte* host) {
  auto next = copies_.upper_bound(host);
  if (next == copies_.begin()) return next;
  const auto before = std::prev(next);
  return host < before->first + before->second.bytes ? before : next;
}

DeviceCopies::Copies::value_type* DeviceCopies::containing(const std::byte* host, std::size_t bytes) {
  const auto copy = first_overlapping(host);
  const bool contains =
      copy != copies_.end() && copy->first <= host && host + bytes <= copy->first + copy->second.bytes;
  return contains ? &*copy : nullptr;
}

const void* DeviceCopies::operand(const void* host, std::size_t bytes) {
  if (host == nullptr) return nullptr;
  if (bytes == 0) {
    if (nothing_.data == nullptr) nothing_ = allocate(kOfNothing);
    return nothing_.data;
  }
  const auto* const begin = static_cast<const std::byte*>(host);
  auto* const copy = containing(begin, bytes);
  if (copy == nullptr || (copy->second.bytes != bytes && copy->second.bytes - bytes <= bytes / kShareLeftOut))
    return compose(begin, bytes);
  auto& [first, found] = *copy;
  found.last_use = operation_;
  if (!refresh(*copy)) return nullptr;
  if (found.bytes == bytes) return found.block.data;
  // For this operation alone.
  const Block block = allocate(bytes);
  if (block.data == nullptr) return nullptr;
  shared_.copy(block.data, address(found.block) + (begin - first), bytes);
  retired_.push_back(block);
  return block.data;
}

void* DeviceCopies::result(void* host, std::size_t bytes) {
  if (host == nullptr || bytes == 0) return const_cast<void*>(operand(host, 0));
  const auto* const begin = static_cast<const std::byte*>(host);
  auto* copy = containing(begin, bytes);
  if (copy == nullptr || copy->second.bytes != bytes) {
    drop(begin, bytes);
    const Block block = allocate(bytes);
    if (block.data == nullptr) return nullptr;
    copy = &*copies_.emplace(begin, Copy{bytes, block, false, {}, operation_, {}}).first;
  }
  drop_expansion(copy->second);
  copy->second.is_newer = true;
  copy->second.written = {};
  copy->second.last_use = operation_;
  return copy->second.block.data;
}

/// Makes a copy of bytes of which others have some: those are copied on the device, and the rest is uploaded.
const void* DeviceCopies::compose(const std::byte* begin, std::size_t bytes) {
  const Block block = allocate(bytes);
  if (block.data == nullptr) return nullptr;
  const std::byte *const end = begin + bytes, *at = begin;
  Copy made{bytes, block, false, {}, operation_, {}};
  auto next = first_overlapping(begin);
  while (next != copies_.end() && next->first < end) {
    auto& [first, other] = *next;
    other.last_use = operation_;
    if (!refresh(*next)) {
      retired_.push_back(block);
      return nullptr;
    }
    const std::byte *const from = std::max(begin, first), *const other_end = first + other.bytes;
    const std::byte* const to = std::min(end, other_end);
    upload(address(block) + (at - begin), at, static_cast<std::size_t>(from - at));
    shared_.copy(address(block) + (from - begin), address(other.block) + (from - first),
                 static_cast<std::size_t>(to - from));
    if (other.is_newer) {
      made.is_newer = true;
      download(*next, first, from);
      download(*next, to, other_end);
    }
    at = to;
    next = remove(next);
  }
  upload(address(block) + (at - begin), at, static_cast<std::size_t>(end - at));
  copies_.emplace(begin, made);
  return block.data;
}

SegmentDescriptor DeviceCopies::descriptor(const SegmentDescriptor& descriptor) {
  SegmentDescriptor on_device = descriptor;
  on_device.heads = nullptr;
  on_device.nonempty = nullptr;
  if (descriptor.is_regular() || descriptor.offsets == nullptr) return on_device;
  const auto* const begin = reinterpret_cast<const std::byte*>(descriptor.offsets);
  const std::size_t bytes = static_cast<std::size_t>(descriptor.segments + 1) * sizeof(std::int64_t);
  // Heads belong to a copy of just these offsets.
  if (auto* const copy = containing(begin, bytes); copy != nullptr && copy->second.bytes != bytes) {
    before_reading(begin, bytes);
    drop(begin, bytes);
  }
  on_device.offsets = static_cast<const std::int64_t*>(operand(begin, bytes));
  if (on_device.offsets == nullptr || !device_.wants_segment_heads() ||
      descriptor.segments > std::numeric_limits<std::int32_t>::max())
    return on_device;
  Copy& copy = containing(begin, bytes)->second;
  if (copy.expansion.elements != descriptor.elements) {
    drop_expansion(copy);
    if (!expand(copy, on_device, descriptor.offsets)) return on_device;
  }
  on_device.nonempty = static_cast<const std::int32_t*>(copy.expansion.nonempty.data);
  on_device.heads = static_cast<const SegmentHeads*>(copy.expansion.heads.data);
  return on_device;
}

/// Makes the heads and the list of non-empty segments of a descriptor. False without memory.
bool DeviceCopies::expand(Copy& copy, const SegmentDescriptor& on_device, const std::int64_t* offsets) {
  const auto segments = static_cast<std::size_t>(on_device.segments);
  before_reading(offsets, copy.bytes);
  std::vector<std::int32_t> nonempty(segments + 1);
  std::size_t count = 0;
  for (std::size_t k = 0; k < segments; ++k)
    if (offsets[k] < offsets[k + 1]) nonempty[count++] = static_cast<std::int32_t>(k);
  nonempty[segments] = static_cast<std::int32_t>(count);
  SegmentDescriptor descriptor = on_device;
  Expansion& made = copy.expansion;
  if (count < segments) {
    made.nonempty = allocate(nonempty.size() * sizeof nonempty[0]);
    if (made.nonempty.data == nullptr) return false;
    upload(made.nonempty.data, nonempty.data(), made.nonempty.bytes);
    descriptor.nonempty = static_cast<const std::int32_t*>(made.nonempty.data);
  }
  const std::int64_t words = head_words(descriptor.elements);
  made.heads = allocate(std::max<std::size_t>(1, static_cast<std::size_t>(words)) * sizeof(SegmentHeads));
  if (made.heads.data == nullptr) return false;
  device_.run(MakeSegmentHeads{descriptor, {ElemType::kI64, words, made.heads.data}});
  made.elements = descriptor.elements;
  return true;
}

void DeviceCopies::end_operation() {
  for (const Block& block : retired_) device_.deallocate(block.data, block.bytes);
  retired_.clear();
  failed_bytes_ = 0;
  ++operation_;
}

void DeviceCopies::shorten(const void* host, std::size_t bytes) {
  const auto copy = copies_.find(static_cast<const std::byte*>(host));
  if (copy != copies_.end() && copy->second.bytes > bytes) shorten(copy, bytes);
}

DeviceCopies::Copies::iterator DeviceCopies::shorten(Copies::iterator copy, std::size_t bytes) {
  if (bytes == 0) return remove(copy);
  auto& [first, shortened] = *copy;
  shortened.bytes = bytes;
  Bytes& written = shortened.written;
  written.end = std::min(written.end, first + bytes);
  if (written.begin >= written.end) written = {};
  drop_expansion(shortened);
  return std::next(copy);
}

bool DeviceCopies::would_wait(const void* host) const {
  const auto* const at = static_cast<const std::byte*>(host);
  const auto next = copies_.upper_bound(at);
  if (next == copies_.begin()) return false;
  const auto& [first, copy] = *std::prev(next);
  return copy.is_newer && at < first + copy.bytes && device_.would_wait(address(copy.block) + (at - first));
}

void DeviceCopies::before_reading(const void* host, std::size_t bytes) {
  if (bytes == 0) return;
  const auto* const begin = static_cast<const std::byte*>(host);
  for (auto next = first_overlapping(begin); next != copies_.end() && next->first < begin + bytes; ++next) {
    auto& [first, copy] = *next;
    if (!copy.is_newer) continue;
    const std::byte* const from = std::max(begin, first);
    const std::byte* const to = std::min(begin + bytes, first + copy.bytes);
    download_newer(*next, from, to);
    if (from == first && to == first + copy.bytes) copy.is_newer = false;
  }
}

void DeviceCopies::before_writing(const void* host, std::size_t bytes) {
  if (bytes == 0) return;
  const auto* const begin = static_cast<const std::byte*>(host);
  const std::byte* const end = begin + bytes;
  auto next = first_overlapping(begin);
  while (next != copies_.end() && next->first < end) {
    auto& [first, copy] = *next;
    if (begin <= first && first + copy.bytes <= end) {
      next = remove(next);
      continue;
    }
    const Bytes now{std::max(begin, first), std::min(end, first + copy.bytes)};
    const Bytes before = copy.written.empty() ? now : copy.written;
    // Bytes between those written now and before are the host's, too.
    if (copy.is_newer) {
      download(*next, now.end, before.begin);
      download(*next, before.end, now.begin);
    }
    copy.written = {std::min(now.begin, before.begin), std::max(now.end, before.end)};
    drop_expansion(copy);
    if (static_cast<std::size_t>(copy.written.end - copy.written.begin) > copy.bytes / 2) {
      write_back(*next);
      next = remove(next);
    } else {
      ++next;
    }
  }
}

void DeviceCopies::drop(const std::byte* begin, std::size_t bytes) {
  auto next = first_overlapping(begin);
  while (next != copies_.end() && next->first < begin + bytes) {
    const auto& [first, copy] = *next;
    if (copy.is_newer) {
      download_newer(*next, first, begin);
      download_newer(*next, begin + bytes, first + copy.bytes);
    }
    next = remove(next);
  }
}

/// Brings what the host has written of a copy to the device. False without memory.
bool DeviceCopies::refresh(Copies::value_type& copy) {
  auto& [first, of_device] = copy;
  const Bytes written = of_device.written;
  if (written.empty()) return true;
  // Operations that were issued may still read the copy, which they know by its first address.
  const auto bytes = static_cast<std::size_t>(written.end - written.begin);
  const Block block = allocate(bytes);
  if (block.data == nullptr) return false;
  upload(block.data, written.begin, bytes);
  shared_.copy(address(of_device.block) + (written.begin - first), block.data, bytes);
  retired_.push_back(block);
  of_device.written = {};
  return true;
}

void DeviceCopies::forget(const void* host, std::size_t bytes) {
  if (bytes == 0) return;
  const auto* const begin = static_cast<const std::byte*>(host);
  auto copy = first_overlapping(begin);
  while (copy != copies_.end() && copy->first < begin + bytes) copy = remove(copy);
}

void DeviceCopies::discard(const void* host, std::size_t bytes) {
  if (bytes == 0) return;
  const auto* const begin = static_cast<const std::byte*>(host);
  auto copy = first_overlapping(begin);
  while (copy != copies_.end() && copy->first < begin + bytes) {
    const std::byte* const end = copy->first + copy->second.bytes;
    const std::byte* const kept_end = end <= begin + bytes ? std::max(begin, copy->first) : end;
    copy = shorten(copy, static_cast<std::size_t>(kept_end - copy->first));
  }
}

DeviceCopies::Block DeviceCopies::allocate(std::size_t bytes) {
  for (MemoryUse use = device_.memory_use(); use.live + bytes > use.limit / kShareOfCopies && evict();
       use = device_.memory_use())
    continue;
  void* data = device_.allocate(bytes);
  while (data == nullptr && evict()) data = device_.allocate(bytes);
  if (data == nullptr) failed_bytes_ = bytes;
  return {data, bytes};
}

bool DeviceCopies::evict() {
  auto oldest = copies_.end();
  for (auto copy = copies_.begin(); copy != copies_.end(); ++copy)
    if (copy->second.last_use != operation_ &&
        (oldest == copies_.end() || copy->second.last_use < oldest->second.last_use))
      oldest = copy;
  if (oldest == copies_.end()) return false;
  write_back(*oldest);
  remove(oldest);
  return true;
}

void DeviceCopies::upload(void* to, const void* host, std::size_t bytes) {
  if (bytes == 0) return;
  device_.upload(to, host, bytes);
  ++transfers_.uploads;
  transfers_.uploaded_bytes += static_cast<std::int64_t>(bytes);
}

void DeviceCopies::download(const Copies::value_type& copy, const std::byte* begin, const std::byte* end) {
  if (begin >= end) return;
  const auto bytes = static_cast<std::size_t>(end - begin);
  device_.download(const_cast<std::byte*>(begin), address(copy.second.block) + (begin - copy.first), bytes);
  ++transfers_.downloads;
  transfers_.downloaded_bytes += static_cast<std::int64_t>(bytes);
}

void DeviceCopies::download_newer(const Copies::value_type& copy, const std::byte* begin, const std::byte* end) {
  const Bytes& written = copy.second.written;
  if (written.empty()) return download(copy, begin, end);
  download(copy, begin, std::min(end, written.begin));
  download(copy, std::max(begin, written.end), end);
}

void DeviceCopies::write_back(Copies::value_type& copy) {
  if (!copy.second.is_newer) return;
  download_newer(copy, copy.first, copy.first + copy.second.bytes);
  copy.second.is_newer = false;
}

DeviceCopies::Copies::iterator DeviceCopies::remove(Copies::iterator copy) {
  drop_expansion(copy->second);
  free(copy->second.block, copy->second.last_use == operation_);
  return copies_.erase(copy);
}

void DeviceCopies::free(const Block& block, bool is_used) {
  if (block.data == nullptr) return;
  if (is_used)
    retired_.push_back(block);
  else
    device_.deallocate(block.data, block.bytes);
}

void DeviceCopies::drop_expansion(Copy& copy) {
  free(copy.expansion.heads, copy.last_use == operation_);
  free(copy.expansion.nonempty, copy.last_use == operation_);
  copy.expansion = {};
}

}  // namespace cvl::mpi

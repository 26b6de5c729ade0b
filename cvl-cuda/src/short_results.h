#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "base/scratch.h"

namespace cvl::cuda {

/// A cache of the latest short results of operations, such as sums, which the host is likely to read. One wait
/// fetches all of them, so that reading the others does not wait.
class ShortResults {
 public:
  /// Called before an operation is issued that fills `bytes` at `device`: a value fetched before is stale.
  void wrote(const void* device, std::size_t bytes) {
    Entry* entry = find(device);
    if (bytes == 0 || bytes > sizeof(Entry::content)) {
      if (entry != nullptr) *entry = {};
      return;
    }
    if (entry == nullptr) entry = &entries_[next_++ % entries_.size()];
    entry->device = device;
    entry->bytes = bytes;
    entry->is_known = false;
  }
  /// True if the value at this address was fetched, so that reading it does not wait.
  bool knows(const void* device) const {
    const Entry* entry = const_cast<ShortResults*>(this)->find(device);
    return entry != nullptr && entry->is_known;
  }
  /// Called when some bytes are released, or overwritten by an upload or a copy.
  void forget(const void* device, std::size_t bytes) {
    const auto* const begin = static_cast<const std::byte*>(device);
    for (Entry& entry : entries_) {
      const auto* const first = static_cast<const std::byte*>(entry.device);
      if (first != nullptr && first < begin + bytes && begin < first + entry.bytes) entry = {};
    }
  }

  /// True if reading `bytes` at this address waits for the device and then fetches all results.
  bool has(const void* device, std::size_t bytes) const {
    const Entry* entry = const_cast<ShortResults*>(this)->find(device);
    return entry != nullptr && bytes <= entry->bytes;
  }
  /// Copies a result to the host. False if it was not fetched.
  bool read(void* host, const void* device, std::size_t bytes) {
    if (!knows(device) || !has(device, bytes)) return false;
    std::memcpy(host, find(device)->content.data(), bytes);
    return true;
  }

  /// Copies of all results that are not known.
  struct Transfers {
    std::array<Transfer, kMostTransfers> pieces;
    int count = 0;
  };
  Transfers unknown() {
    Transfers transfers;
    for (Entry& entry : entries_)
      if (entry.device != nullptr && !entry.is_known)
        transfers.pieces[static_cast<std::size_t>(transfers.count++)] = {entry.content.data(), entry.device,
                                                                         entry.bytes};
    return transfers;
  }
  /// Called when these have arrived.
  void fetched() {
    for (Entry& entry : entries_) entry.is_known = entry.device != nullptr;
  }

 private:
  struct Entry {
    const void* device = nullptr;
    std::size_t bytes = 0;
    bool is_known = false;
    std::array<std::byte, kMostTransferBytes> content = {};
  };

  Entry* find(const void* device) {
    auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.device == device; });
    return device == nullptr || found == entries_.end() ? nullptr : &*found;
  }
  std::array<Entry, kMostTransfers> entries_;
  std::size_t next_ = 0;
};

}  // namespace cvl::cuda

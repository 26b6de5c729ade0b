#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "executor/executor.h"

namespace cvl::cuda {

/// A cache of the latest short results of operations, such as sums, which the host is likely to read. Reading one waits
/// for the device and then fetches all of them in one transfer, so that reading the others does not wait.
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
  /// Called when the memory is released, or overwritten by an upload.
  void forget(const void* device) {
    if (Entry* entry = find(device)) *entry = {};
  }

  /// Copies a result to the host, after waiting for the device unless the result was fetched before. False if no short
  /// result is at this address.
  bool read(Executor& executor, void* host, const void* device, std::size_t bytes) {
    Entry* entry = find(device);
    if (entry == nullptr || bytes > entry->bytes) return false;
    if (!entry->is_known) fetch(executor);
    std::memcpy(host, entry->content.data(), bytes);
    return true;
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
  void fetch(Executor& executor) {
    std::array<Transfer, kMostTransfers> transfers;
    int count = 0;
    for (Entry& entry : entries_) {
      if (entry.device == nullptr || entry.is_known) continue;
      transfers[static_cast<std::size_t>(count++)] = {entry.content.data(), entry.device, entry.bytes};
    }
    executor.download(transfers.data(), count);
    for (Entry& entry : entries_) entry.is_known = entry.device != nullptr;
  }

  std::array<Entry, kMostTransfers> entries_;
  std::size_t next_ = 0;
};

}  // namespace cvl::cuda

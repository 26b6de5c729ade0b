#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "executor/executor.h"

namespace cvl::cuda {

/// The latest short results of operations, a sum for instance, which the host is likely to read. To read one, the host
/// has to wait for the device; it then fetches all of them in one transfer, so that reading the others does not wait.
class ShortResults {
 public:
  /// An operation that fills `bytes` at `device` is about to be issued: what was fetched from there before is stale.
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
  /// Whether what is there was fetched, so that to read it does not wait.
  bool knows(const void* device) const {
    const Entry* entry = const_cast<ShortResults*>(this)->find(device);
    return entry != nullptr && entry->is_known;
  }
  /// The memory was given back, or is overwritten by an upload.
  void forget(const void* device) {
    if (Entry* entry = find(device)) *entry = {};
  }

  /// Copies a result to the host, after waiting for the device unless the result was fetched before. False if it is not
  /// one of the short results.
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
    std::array<std::byte, kMostPieceBytes> content = {};
  };

  Entry* find(const void* device) {
    auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.device == device; });
    return device == nullptr || found == entries_.end() ? nullptr : &*found;
  }
  void fetch(Executor& executor) {
    std::array<Piece, kMostPieces> pieces;
    int count = 0;
    for (Entry& entry : entries_) {
      if (entry.device == nullptr || entry.is_known) continue;
      pieces[static_cast<std::size_t>(count++)] = {entry.content.data(), entry.device, entry.bytes};
    }
    executor.download(pieces.data(), count);
    for (Entry& entry : entries_) entry.is_known = entry.device != nullptr;
  }

  std::array<Entry, kMostPieces> entries_;
  std::size_t next_ = 0;
};

}  // namespace cvl::cuda

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "executor/executor.h"

namespace cvl::cuda {

/// Results so short that the host may want them, a sum for instance. Whoever wants one has to wait for the device, and
/// then gets all of them that are there, so that the next need not wait.
class ShortResults {
 public:
  /// To be called for every result that is issued, and for what is uploaded.
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
  /// The memory is given back.
  void forget(const void* device) {
    if (Entry* entry = find(device)) *entry = {};
  }

  /// Copies a result to the host if it is one of them, after waiting if it must.
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
    std::array<std::byte, 64> content = {};
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
      entry.is_known = true;
    }
    executor.download(pieces.data(), count);
  }

  std::array<Entry, kMostPieces> entries_;
  std::size_t next_ = 0;
};

}  // namespace cvl::cuda

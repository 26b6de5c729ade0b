#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cvl/backend.h"

namespace cvl {

/// Object files in a folder, each under a key, which is a text. A cache: whatever cannot be written is not kept, and
/// whatever cannot be read is not there.
///
/// Any number of threads and processes may use a folder at the same time, and end at any moment: a file gets its name
/// when it is complete (rename(2)), and what is found in it is checked. The folder and files that belong to another
/// user, or that others may write to, are not read.
class ObjectCache {
 public:
  /// What the files of a folder may take. Beyond it, those that were used longest ago are removed.
  static constexpr std::uint64_t kMostBytes = 64 << 20;

  /// Creates nothing yet. An empty name stands for a cache that keeps nothing.
  explicit ObjectCache(std::string folder, std::uint64_t most_bytes = kMostBytes);

  /// The object under this key, if there is one.
  std::optional<std::string> find(const std::string& key) const;
  /// Keeps an object, in place of one that the key may have. Creates the folder, and those above it, for this user
  /// alone. Removes what exceeds the limit, and files left unfinished by processes that were killed.
  void keep(const std::string& key, const std::string& object) const;

  /// Creates the folder, to see whether that is possible.
  KernelCacheUse use() const;
  /// Removes the files of the cache; others stay.
  void clear() const;

 private:
  struct Entry {
    std::string path;
    std::uint64_t bytes = 0;
    std::int64_t last_use = 0;  ///< nanoseconds of the system's clock
    bool is_finished = true;
  };
  std::vector<Entry> entries() const;
  void remove_excess() const;
  /// Makes sure that there is a folder whose files can be trusted. False, with a reason, if there is none.
  bool prepare(std::string& reason) const;

  std::string folder_;
  std::uint64_t most_bytes_;
};

}  // namespace cvl

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cvl/backend.h"

namespace cvl {

/// A cache of object files in a folder, each under a key, which is a text. A file that cannot be written is not kept,
/// and a file that cannot be read counts as missing.
///
/// Any number of threads and processes may use a folder at the same time, and end at any moment: a file gets its name
/// when it is complete (rename(2)), and its content is checked when it is read. Folders and files that belong to
/// another user, or that others may write to, are not read.
class ObjectCache {
 public:
  /// Size limit of the files of a folder. Beyond it, the least recently used files are removed.
  static constexpr std::uint64_t kMostBytes = 64 << 20;

  /// Creates nothing yet. An empty name makes a cache that keeps nothing.
  explicit ObjectCache(std::string folder, std::uint64_t most_bytes = kMostBytes);

  const std::string& folder() const { return folder_; }
  /// The object under this key, if there is one. If there is a file that is not read, `problem` becomes a clause that
  /// says why, unless it is null.
  std::optional<std::string> find(const std::string& key, std::string* problem = nullptr) const;
  /// Keeps an object, and replaces that of the same key. Creates the folder, and missing folders above it, for this
  /// user alone. Removes files that exceed the limit, and files left unfinished by processes that were killed. Returns
  /// a clause that says why the object is not kept; an empty one if it is, or if there is no cache.
  std::string keep(const std::string& key, const std::string& object) const;
  /// The keys of all objects that were last used before `time`. Reads all files.
  std::vector<std::string> keys_before(std::chrono::system_clock::time_point time) const;

  /// The content of the folder. Creates the folder, to find out whether that is possible.
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
  /// The content of a file of the folder, which must be trusted. Nothing, with a reason, if it is not to be read.
  std::optional<std::string> read(const std::string& path, std::string& reason) const;
  void remove_excess() const;
  /// Ensures that there is a folder whose files can be trusted. False, with a reason, if there is none.
  bool prepare(std::string& reason) const;

  std::string folder_;
  std::uint64_t most_bytes_;
};

}  // namespace cvl

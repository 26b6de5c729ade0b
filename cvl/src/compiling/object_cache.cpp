#include "cvl/object_cache.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "cached_object.h"

namespace cvl {
namespace {

/// The time of last change of a file stands for its last use. A use renews a time that is older than this.
constexpr std::chrono::nanoseconds kUseResolution = std::chrono::hours(1);
/// Age from which an unfinished file was left by a killed process: writing never takes so long.
constexpr std::chrono::nanoseconds kUnfinishedForGood = std::chrono::hours(1);

std::int64_t nanoseconds(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}
std::int64_t now() { return nanoseconds(std::chrono::system_clock::now()); }

std::int64_t last_change(const struct stat& status) {
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

bool is_ours(const struct stat& status) { return status.st_uid == geteuid(); }
bool others_may_write(const struct stat& status) { return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0; }

/// False, with a reason, if the content of the folder may be written by another user.
bool is_trusted(const std::string& folder, std::string& reason) {
  struct stat status = {};
  if (stat(folder.c_str(), &status) != 0)
    reason = strerror(errno);
  else if (!S_ISDIR(status.st_mode))
    reason = "it is not a folder";
  else if (!is_ours(status))
    reason = "it belongs to another user";
  else if (others_may_write(status))
    reason = "other users may write to it";
  return reason.empty();
}

/// Creates a folder, and missing folders above it. False, with errno, on failure.
bool create_folder(const std::string& path) {
  const auto create = [&] { return mkdir(path.c_str(), S_IRWXU) == 0 || errno == EEXIST; };
  if (create()) return true;
  const std::size_t parent = path.find_last_of('/');
  if (errno != ENOENT || parent == path.npos || parent == 0) return false;
  return create_folder(path.substr(0, parent)) && create();
}

/// An open file, closed by the destructor; none if `number` is negative.
class OpenFile {
 public:
  explicit OpenFile(int number) : number_(number) {}
  ~OpenFile() {
    if (number_ >= 0) close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int number() const { return number_; }

  /// Up to `bytes` bytes from the beginning of the file.
  std::string read_up_to(std::size_t bytes) const {
    std::string content(bytes, '\0');
    std::size_t size = 0;
    while (size < bytes) {
      const ssize_t n = read(number_, content.data() + size, bytes - size);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      size += static_cast<std::size_t>(n);
    }
    content.resize(size);
    return content;
  }

  bool write_all(std::string_view content) const {
    while (!content.empty()) {
      const ssize_t n = write(number_, content.data(), content.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      content.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

 private:
  int number_;
};

void note_use(const std::string& path) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) == 0 && now() - last_change(status) > kUseResolution.count())
    utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

/// Gives the file at `path` this content as a whole or not at all. An existing file is replaced, not written to. False,
/// with errno, if it is not written.
bool replace_file(const std::string& path, std::string_view content) {
  std::string unfinished = path;
  unfinished += kUnfinishedSuffix;
  const OpenFile file(mkostemp(unfinished.data(), O_CLOEXEC));
  if (file.number() < 0) return false;
  if (file.write_all(content) && rename(unfinished.c_str(), path.c_str()) == 0) return true;
  const int error = errno;
  unlink(unfinished.c_str());
  errno = error;
  return false;
}

}  // namespace

ObjectCache::ObjectCache(std::string folder, std::uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {}

std::optional<std::string> ObjectCache::read(const std::string& path, std::string& reason) const {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status = {};
  if (file.number() < 0 || fstat(file.number(), &status) != 0) {
    if (errno != ENOENT) reason = errno == ELOOP ? "it is a link" : strerror(errno);
    return {};
  }
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (!S_ISREG(status.st_mode))
    reason = "it is not a file";
  else if (!is_ours(status))
    reason = "it belongs to another user";
  else if (others_may_write(status))
    reason = "other users may write to it";
  else if (bytes > most_bytes_)
    reason = "it is larger than the cache";
  if (!reason.empty()) return {};
  return file.read_up_to(bytes);
}

std::optional<std::string> ObjectCache::find(const std::string& key, std::string* problem) const {
  std::string reason;
  const auto ignore = [&](std::string_view what) -> std::optional<std::string> {
    if (problem != nullptr && !reason.empty()) *problem = std::string(what) + " is ignored: " + reason;
    return {};
  };
  if (folder_.empty()) return {};
  if (access(folder_.c_str(), F_OK) != 0 && errno == ENOENT) return {};
  if (!is_trusted(folder_, reason)) return ignore("the cache");
  const std::string path = folder_ + "/" + cached_object_name(key);
  const std::optional<std::string> content = read(path, reason);
  if (!content) return ignore("its file in the cache");
  const CachedObject cached = decode_cached_object(*content);
  reason = cached.problem;
  if (reason.empty() && cached.key != key) reason = "it is of another kernel";
  if (!reason.empty()) return ignore("its file in the cache");
  note_use(path);
  return std::string(cached.object);
}

std::string ObjectCache::keep(const std::string& key, const std::string& object) const {
  if (folder_.empty()) return "";
  std::string reason;
  if (prepare(reason)) {
    const std::string content = encode_cached_object(key, object);
    if (content.size() > most_bytes_)
      reason = "it is larger than the cache";
    else if (!replace_file(folder_ + "/" + cached_object_name(key), content))
      reason = strerror(errno);
    else
      remove_excess();
  }
  return reason.empty() ? "" : "it is not kept in the cache: " + reason;
}

std::vector<std::string> ObjectCache::keys_before(std::chrono::system_clock::time_point time) const {
  std::string reason;
  if (folder_.empty() || !is_trusted(folder_, reason)) return {};
  const std::int64_t end = nanoseconds(time);
  std::vector<std::string> keys;
  for (const Entry& entry : entries()) {
    if (!entry.is_finished || entry.last_use >= end) continue;
    const std::optional<std::string> content = read(entry.path, reason);
    const CachedObject cached = content ? decode_cached_object(*content) : CachedObject{};
    if (content && cached.problem.empty()) keys.emplace_back(cached.key);
  }
  return keys;
}

KernelCacheUse ObjectCache::use() const {
  KernelCacheUse use;
  if (!prepare(use.problem)) return use;
  if (faccessat(AT_FDCWD, folder_.c_str(), W_OK | X_OK, AT_EACCESS) != 0) use.problem = strerror(errno);
  for (const Entry& entry : entries()) {
    if (!entry.is_finished) continue;
    ++use.kernels;
    use.bytes += static_cast<std::int64_t>(entry.bytes);
  }
  return use;
}

void ObjectCache::clear() const {
  std::string reason;
  if (folder_.empty() || !is_trusted(folder_, reason)) return;
  for (const Entry& entry : entries()) unlink(entry.path.c_str());
}

std::vector<ObjectCache::Entry> ObjectCache::entries() const {
  std::vector<Entry> entries;
  std::error_code error;
  const std::filesystem::directory_iterator end;
  for (std::filesystem::directory_iterator at(folder_, error); !error && at != end; at.increment(error)) {
    const CachedFile kind = kind_of_cached_file(at->path().filename().native());
    struct stat status = {};
    if (kind == CachedFile::kForeign || lstat(at->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    entries.push_back(
        {at->path(), static_cast<std::uint64_t>(status.st_size), last_change(status), kind == CachedFile::kObject});
  }
  return entries;
}

/// Tolerates that other processes remove the same files at the same time.
void ObjectCache::remove_excess() const {
  std::vector<Entry> files = entries();
  const std::int64_t time = now();
  std::uint64_t bytes = 0;
  for (const Entry& file : files) {
    if (file.is_finished)
      bytes += file.bytes;
    else if (time - file.last_use > kUnfinishedForGood.count())
      unlink(file.path.c_str());
  }
  if (bytes <= most_bytes_) return;
  std::erase_if(files, [](const Entry& file) { return !file.is_finished; });
  std::sort(files.begin(), files.end(), [](const Entry& a, const Entry& b) { return a.last_use < b.last_use; });
  for (const Entry& file : files) {
    if (bytes <= most_bytes_) return;
    unlink(file.path.c_str());
    bytes -= file.bytes;
  }
}

bool ObjectCache::prepare(std::string& reason) const {
  if (folder_.empty()) {
    reason = "there is no folder for them";
    return false;
  }
  if (access(folder_.c_str(), F_OK) != 0 && !create_folder(folder_)) {
    reason = strerror(errno);
    return false;
  }
  return is_trusted(folder_, reason);
}

}  // namespace cvl

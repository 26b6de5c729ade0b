#pragma once

#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

#include "files/file_value.h"

namespace interp {

/// Reads the files, stored or deflated, of a zip archive in memory. `bytes` must outlive the object.
class ZipReader {
 public:
  /// Throws FileError if the bytes are no archive.
  ZipReader(const FileRequest& request, std::string_view bytes);
  ~ZipReader();
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;

  /// The content of the file `name`; nothing if the archive has no such file. Throws FileError if the file is damaged.
  std::optional<FileBytes> content_of(const std::string& name);

 private:
  struct Source {
    std::string_view bytes;
    std::size_t at = 0;
  };
  [[noreturn]] void fail_entry(const std::string& name, const char* why) const;

  const FileRequest& request_;
  Source source_;
  void* archive_ = nullptr;  // minizip's unzFile
};

/// Makes an archive in memory.
class ZipWriter {
 public:
  ZipWriter();
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  /// Adds a file, deflated or stored.
  void add(const std::string& name, const FileContent& content, bool deflated);
  /// Completes and returns the archive; add() must not be called afterwards.
  std::string finish();

 private:
  struct Target {
    std::string bytes = {};
    std::size_t at = 0;
  };

  Target target_;
  void* archive_ = nullptr;  // minizip's zipFile
};

}  // namespace interp

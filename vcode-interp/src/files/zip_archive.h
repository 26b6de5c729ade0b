#pragma once

#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

#include "files/file_value.h"

namespace interp {

/// The files in a zip archive in memory, which are stored or deflated. The bytes must outlive it.
class ZipReader {
 public:
  /// Throws FileError if this is no archive.
  ZipReader(const FileRequest& request, std::string_view bytes);
  ~ZipReader();
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;

  /// The content of the file `name` in the archive; nothing if there is none. Throws FileError if it is damaged.
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

/// An archive that is made in memory.
class ZipWriter {
 public:
  ZipWriter();
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  /// Adds a file, deflated or stored.
  void add(const std::string& name, const FileContent& content, bool deflated);
  /// The archive, which gets no more files.
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

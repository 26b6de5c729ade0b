// Zip archives by minizip, with file functions that access memory.
#include "files/zip_archive.h"

#include <unzip.h>
#include <zip.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <new>
#include <utility>

#include "files/file_formats.h"

namespace interp {

namespace {

/// The file functions of minizip for a Source or a Target, whose address serves as file name and as open file.
template <class Memory>
zlib_filefunc64_def memory_functions() {
  zlib_filefunc64_def functions{};
  functions.zopen64_file = [](void*, const void* memory, int) { return const_cast<void*>(memory); };
  functions.ztell64_file = [](void*, void* memory) -> ZPOS64_T { return static_cast<Memory*>(memory)->at; };
  functions.zseek64_file = [](void*, void* memory, ZPOS64_T offset, int origin) -> long {
    auto& [bytes, at] = *static_cast<Memory*>(memory);
    const std::size_t from = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                             : origin == ZLIB_FILEFUNC_SEEK_CUR ? at
                                                                : bytes.size();
    if (from + offset > bytes.size()) return -1;
    at = from + offset;
    return 0;
  };
  functions.zclose_file = [](void*, void*) { return 0; };
  functions.zerror_file = [](void*, void*) { return 0; };
  functions.zread_file = [](void*, void* memory, void* to, uLong size) -> uLong {
    auto& [bytes, at] = *static_cast<Memory*>(memory);
    const std::size_t count = std::min<std::size_t>(size, bytes.size() - at);
    std::memcpy(to, bytes.data() + at, count);
    at += count;
    return count;
  };
  return functions;
}

/// The largest expansion factor of deflated data.
constexpr ZPOS64_T kMostExpansion = 1032;

constexpr std::size_t kPiece = 1 << 30;  // bytes; minizip counts them in 32 bits

/// Throws if minizip failed: writing to memory fails only for lack of memory.
void require_memory(int status) {
  if (status != ZIP_OK) throw std::bad_alloc();
}

}  // namespace

ZipReader::ZipReader(const FileRequest& request, std::string_view bytes) : request_(request), source_{bytes} {
  zlib_filefunc64_def functions = memory_functions<Source>();
  archive_ = unzOpen2_64(&source_, &functions);
  if (archive_ == nullptr) fail_file(request, "this is no zip archive, or its end is missing");
}

ZipReader::~ZipReader() { unzClose(archive_); }

void ZipReader::fail_entry(const std::string& name, const char* why) const {
  fail_file(request_, name + " in the archive " + why);
}

std::optional<FileBytes> ZipReader::content_of(const std::string& name) {
  constexpr int kCaseMatters = 1;
  if (unzLocateFile(archive_, name.c_str(), kCaseMatters) != UNZ_OK) return std::nullopt;
  unz_file_info64 about{};
  if (unzGetCurrentFileInfo64(archive_, &about, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK)
    fail_entry(name, "is damaged");
  if ((about.flag & 1) != 0) fail_entry(name, "is encrypted");
  if (about.compression_method != 0 && about.compression_method != Z_DEFLATED)
    fail_entry(name, "is neither stored nor deflated");
  if (about.compressed_size > source_.bytes.size() || about.uncompressed_size / kMostExpansion > about.compressed_size)
    fail_entry(name, "promises more bytes than the archive can hold");
  if (unzOpenCurrentFile(archive_) != UNZ_OK) fail_entry(name, "is damaged");
  FileBytes content(about.uncompressed_size, request_.memory);
  std::size_t size = 0;
  while (size < content.size()) {
    const auto wanted = static_cast<unsigned>(std::min(content.size() - size, kPiece));
    const int count = unzReadCurrentFile(archive_, content.data() + size, wanted);
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (unzCloseCurrentFile(archive_) != UNZ_OK || size < content.size()) fail_entry(name, "is damaged");
  return content;
}

ZipWriter::ZipWriter() {
  zlib_filefunc64_def functions = memory_functions<Target>();
  functions.zwrite_file = [](void*, void* memory, const void* from, uLong size) -> uLong {
    auto& [bytes, at] = *static_cast<Target*>(memory);
    const std::string_view part(static_cast<const char*>(from), size);
    bytes.replace(at, std::min<std::size_t>(size, bytes.size() - at), part);
    at += size;
    return size;
  };
  archive_ = zipOpen2_64(&target_, APPEND_STATUS_CREATE, nullptr, &functions);
  if (archive_ == nullptr) throw std::bad_alloc();
}

ZipWriter::~ZipWriter() {
  if (archive_ != nullptr) zipClose(archive_, nullptr);
}

void ZipWriter::add(const std::string& name, const FileContent& content, bool deflated) {
  constexpr uLong kFirstOf1980 = 1 << 21 | 1 << 16, kNamesAreUtf8 = 1 << 11, kVersion = 0;
  const zip_fileinfo about{.tmz_date = {}, .dosDate = kFirstOf1980, .internal_fa = 0, .external_fa = 0};
  const int is_large = content.text.size() + content.elements.size() >= UINT32_MAX ? 1 : 0;
  require_memory(zipOpenNewFileInZip4_64(archive_, name.c_str(), &about, nullptr, 0, nullptr, 0, nullptr,
                                         deflated ? Z_DEFLATED : 0, Z_DEFAULT_COMPRESSION, 0, -MAX_WBITS, DEF_MEM_LEVEL,
                                         Z_DEFAULT_STRATEGY, nullptr, 0, kVersion, kNamesAreUtf8, is_large));
  for (std::string_view part : {std::string_view(content.text), content.elements})
    for (; !part.empty(); part.remove_prefix(std::min(part.size(), kPiece)))
      require_memory(zipWriteInFileInZip(archive_, part.data(), static_cast<unsigned>(std::min(part.size(), kPiece))));
  require_memory(zipCloseFileInZip(archive_));
}

std::string ZipWriter::finish() {
  require_memory(zipClose(std::exchange(archive_, nullptr), nullptr));
  return std::move(target_.bytes);
}

}  // namespace interp

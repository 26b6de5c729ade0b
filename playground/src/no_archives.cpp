// Formats of files whose libraries (minizip, libpng) the playground does not contain.
#include "files/file_formats.h"
#include "files/zip_archive.h"

namespace interp {

namespace {

[[noreturn]] void refuse(const std::string& format) {
  throw FileError("the playground has no files in the format " + format);
}

}  // namespace

ZipReader::ZipReader(const FileRequest& request, std::string_view bytes) : request_(request), source_{bytes} {
  refuse("npz");
}
ZipReader::~ZipReader() = default;
std::optional<FileBytes> ZipReader::content_of(const std::string&) { return std::nullopt; }

ZipWriter::ZipWriter() { refuse("npz"); }
ZipWriter::~ZipWriter() = default;
void ZipWriter::add(const std::string&, const FileContent&, bool) {}
std::string ZipWriter::finish() { return {}; }

FileContent png_content(const FileRequest&, const FileColumns&) { refuse("png"); }

}  // namespace interp

#include "files/file_part.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include <algorithm>

#include "files/file_formats.h"
#include "files/whole_file.h"

namespace interp {

SharedFile::SharedFile(const FileRequest& request)
    : request_(request), file_(::open(request.name.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat about {};
  if (file_.get() < 0 || ::fstat(file_.get(), &about) != 0) fail_system(request.name, "opened", errno);
  if (!S_ISREG(about.st_mode)) throw NotInParts();
  size_ = static_cast<std::size_t>(about.st_size);
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  modified_ = about.st_mtim.tv_sec * kNanoseconds + about.st_mtim.tv_nsec;
}

FileBytes SharedFile::read(std::size_t begin, std::size_t length) const {
  FileBytes bytes(length, request_.memory);
  for (std::size_t at = 0; at < length;) {
    const ssize_t n = ::pread(file_.get(), bytes.data() + at, length - at, static_cast<off_t>(begin + at));
    if (n < 0 && !is_final(errno)) continue;
    if (n < 0) fail_system(request_.name, "read", errno);
    if (n == 0) fail_file(request_, "the file becomes shorter while it is read");
    at += static_cast<std::size_t>(n);
  }
  return bytes;
}

std::size_t SharedFile::behind_line(std::size_t begin) const {
  constexpr std::size_t kStep = std::size_t{1} << 16;
  while (begin < size_) {
    const FileBytes bytes = read(begin, std::min(kStep, size_ - begin));
    if (const std::size_t end = view_of(bytes).find('\n'); end != std::string_view::npos) return begin + end + 1;
    begin += bytes.size();
  }
  return size_;
}

FileBytes SharedFile::read_lines(std::size_t begin, std::size_t end) const {
  const std::size_t first = begin == 0 ? 0 : behind_line(begin - 1);
  const std::size_t last = end == 0 ? 0 : end >= size_ ? size_ : behind_line(end - 1);
  return read(first, std::max(first, last) - first);
}

bool TextPart::has_content() const { return view_of(text).find_first_not_of(" \r\n") != std::string_view::npos; }

}  // namespace interp

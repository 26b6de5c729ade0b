#include "files/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "files/descriptor.h"
#include "files/file_value.h"
#include "vcode-interp/interrupt.h"

namespace interp {

namespace {

void require_name(const std::string& name) {
  if (name.find('\0') != std::string::npos) throw FileError("the file name contains a NUL character");
}

bool write_all(int fd, const FileContent& content) {
  for (std::string_view part : {std::string_view(content.text), content.elements})
    while (!part.empty()) {
      const ssize_t n = ::write(fd, part.data(), part.size());
      if (n < 0 && is_final(errno)) return false;
      if (n > 0) part.remove_prefix(static_cast<std::size_t>(n));
    }
  return true;
}

}  // namespace

void fail_system(const std::string& name, const char* what, int error) {
  throw FileError(fmt::format("{}: cannot be {}: {}", name, what, strerror(error)));
}

bool is_final(int error) { return error != EINTR || pending_interrupt() != Interrupt::kNone; }

FileBytes read_whole_file(const FileRequest& request) {
  const std::string& name = request.name;
  require_name(name);
  const Descriptor file(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail_system(name, "opened", errno);
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) fail_system(name, "read", errno);
  // With one spare byte, the read at the end of the file needs no growth. The size of a pipe is 0.
  FileBytes content(static_cast<std::size_t>(about.st_size) + 1, request.memory);
  std::size_t size = 0;
  while (true) {
    const ssize_t n = ::read(file.get(), content.data() + size, content.size() - size);
    if (n < 0 && !is_final(errno)) continue;
    if (n < 0) fail_system(name, "read", errno);
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
    if (size == content.size()) content.resize(2 * size);
  }
  content.resize(size);
  return content;
}

int create_temporary(const std::string& name, std::string& temporary) {
  int fd = -1;
  for (int k = 0; fd < 0 && (k == 0 || errno == EEXIST); ++k) {
    temporary = fmt::format("{}.{}-{}.tmp", name, ::getpid(), k);
    fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  return fd;
}

void write_whole_file(const std::string& name, const FileContent& content) {
  require_name(name);
  struct stat before {};
  const bool exists = ::lstat(name.c_str(), &before) == 0;
  if (exists && !S_ISREG(before.st_mode)) {
    const Descriptor there(::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (there.get() < 0 || !write_all(there.get(), content)) fail_system(name, "written", errno);
    return;
  }
  std::string temporary;
  Descriptor file(create_temporary(name, temporary));
  const int fd = file.get();
  if (fd < 0) fail_system(name, "written", errno);
  const bool done = write_all(fd, content) && (!exists || ::fchmod(fd, before.st_mode & 07777) == 0) &&
                    ::close(file.release()) == 0 && ::rename(temporary.c_str(), name.c_str()) == 0;
  if (done) return;
  const int error = errno;
  ::unlink(temporary.c_str());
  fail_system(name, "written", error);
}

}  // namespace interp

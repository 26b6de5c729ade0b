#include "io/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "io/file_value.h"
#include "vcode-interp/interrupt.h"

namespace interp {

namespace {

[[noreturn]] void fail_system(const std::string& name, const char* what, int error) {
  throw FileError(fmt::format("{}: cannot be {}: {}", name, what, strerror(error)));
}

void require_name(const std::string& name) {
  if (name.find('\0') != std::string::npos) throw FileError("the file name contains a NUL character");
}

bool is_interrupted(int error) { return error != EINTR || pending_interrupt() != Interrupt::kNone; }

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

}  // namespace

std::string read_whole_file(const std::string& name) {
  require_name(name);
  const Descriptor file(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail_system(name, "opened", errno);
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) fail_system(name, "read", errno);
  // One byte more than there is shows the end without growing. Of a pipe the size is 0.
  std::string content(static_cast<std::size_t>(about.st_size) + 1, '\0');
  std::size_t size = 0;
  while (true) {
    const ssize_t n = ::read(file.get(), content.data() + size, content.size() - size);
    if (n < 0 && !is_interrupted(errno)) continue;
    if (n < 0) fail_system(name, "read", errno);
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
    if (size == content.size()) content.resize(2 * size);
  }
  content.resize(size);
  return content;
}

void write_whole_file(const std::string& name, std::string_view content) {
  require_name(name);
  std::string temporary = name + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) fail_system(name, "written", errno);
  const auto give_up = [&](int error) {
    ::unlink(temporary.c_str());
    fail_system(name, "written", error);
  };
  while (!content.empty()) {
    const ssize_t n = ::write(file.get(), content.data(), content.size());
    if (n < 0 && !is_interrupted(errno)) continue;
    if (n < 0) give_up(errno);
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  // What mkostemp makes is for its owner only; a new file is as the user's mask says, an old one keeps its mode.
  struct stat before {};
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = ::stat(name.c_str(), &before) == 0 ? before.st_mode & 07777 : 0666 & ~mask;
  if (::fchmod(file.get(), mode) != 0 || ::close(file.release()) != 0) give_up(errno);
  if (::rename(temporary.c_str(), name.c_str()) != 0) give_up(errno);
}

}  // namespace interp

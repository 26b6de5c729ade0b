#include "io/streams.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "io/progress.h"
#include "vcode-interp/interrupt.h"

namespace interp {

Stream::~Stream() {
  if (fd_ >= 0) close();
}

namespace {

/// Like ::write(). For a stream that the program has opened, SIGPIPE is suppressed, as the program gets an error if the
/// reader of a pipe has closed it. For standard streams, SIGPIPE ends the process, as usual.
ssize_t write_to(int fd, bool owned, std::string_view text) {
  if (!owned) return ::write(fd, text.data(), text.size());
  sigset_t pipe, before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  const ssize_t n = ::write(fd, text.data(), text.size());
  const int error = errno;
  if (n < 0 && error == EPIPE) {
    const timespec at_once{};
    while (sigtimedwait(&pipe, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return n;
}

}  // namespace

bool Stream::fill() {
  if (!in_) in_ = std::make_unique<char[]>(kBuffer);
  const Progress::Pause pause(progress_);
  const ssize_t n = wait_for_input(fd_) ? ::read(fd_, in_.get(), kBuffer) : (errno = EINTR, -1);
  if (n < 0) read_error_ = errno;
  in_at_ = 0;
  in_end_ = n > 0 ? static_cast<std::size_t>(n) : 0;
  typed_line_ = n > 0 && in_[in_end_ - 1] == '\n' && isatty(fd_) == 1;
  return n > 0;
}

std::size_t Stream::bytes_to_end() const {
  struct stat status {};
  const off_t at = lseek(fd_, 0, SEEK_CUR);
  if (at < 0 || fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  return in_end_ - in_at_ + static_cast<std::size_t>(std::max<off_t>(status.st_size - at, 0));
}

bool Stream::write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write_to(fd_, owned_, text);
    if (n < 0 && errno == EINTR && pending_interrupt() == Interrupt::kNone) continue;
    if (n < 0) {
      error_ = errno;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void Stream::put(std::string_view text) {
  if (text.empty()) return;
  mid_line_ = text.back() != '\n';
  out_.append(text);
  if (out_.size() >= kBuffer) flush();
}

void Stream::note_line_ended() {
  if (mid_line_ && isatty(fd_) == 1) mid_line_ = false;
}

void Stream::share_terminal(Progress* progress) { progress_ = isatty(fd_) == 1 ? progress : nullptr; }

bool Stream::flush() {
  if (error_ != 0) {
    out_.clear();
    return false;
  }
  if (out_.empty()) return true;
  const Progress::Pause pause(progress_);
  const bool delivered = write_all(out_);
  out_.clear();
  pause.leave(mid_line_);
  return delivered;
}

bool Stream::close() {
  bool delivered = flush();
  if (owned_ && ::close(fd_) != 0) {
    error_ = errno;
    delivered = false;
  }
  fd_ = -1;
  return delivered;
}

StreamTable::StreamTable(const std::array<int, 3>& standard, int messages) {
  for (int fd : standard) streams_.push_back(std::make_shared<Stream>(fd, false));
  if (standard[1] == standard[2]) streams_[2] = streams_[1];
  if (messages >= 0 && messages != standard[2]) messages_ = std::make_shared<Stream>(messages, false);
}

Stream* StreamTable::find(std::int64_t number) {
  if (number < 0 || static_cast<std::size_t>(number) >= streams_.size()) return nullptr;
  return streams_[static_cast<std::size_t>(number)].get();
}

std::int64_t StreamTable::add(int fd) {
  std::size_t number = 3;
  while (number < streams_.size() && streams_[number]) ++number;
  if (number == streams_.size()) streams_.emplace_back();
  streams_[number] = std::make_shared<Stream>(fd);
  return static_cast<std::int64_t>(number);
}

bool StreamTable::close(std::int64_t number) {
  Stream* stream = find(number);
  if (stream == nullptr) return false;
  std::shared_ptr<Stream>& slot = streams_[static_cast<std::size_t>(number)];
  const bool closed = slot.use_count() > 1 ? stream->flush() : stream->close();
  slot.reset();
  return closed;
}

void StreamTable::share_terminal(Progress* progress) {
  for (std::size_t k = 0; k <= 2; ++k)
    if (streams_[k]) streams_[k]->share_terminal(progress);
  if (messages_) messages_->share_terminal(progress);
}

std::optional<std::int64_t> StreamTable::flush_all() {
  std::optional<std::int64_t> failed;
  for (std::size_t k = 0; k < streams_.size(); ++k) {
    // The program was informed of earlier failures on streams that it has opened itself.
    const bool matters = streams_[k] && (k <= 2 || streams_[k]->has_pending());
    if (matters && !streams_[k]->flush() && !failed) failed = static_cast<std::int64_t>(k);
  }
  if (messages_ && !messages_->flush() && !failed) failed = 2;
  return failed;
}

}  // namespace interp

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace interp {

class Progress;

/// A file descriptor with a buffer for each direction.
class Stream {
 public:
  /// An owned descriptor is closed with the stream.
  explicit Stream(int fd, bool owned = true) : fd_(fd), owned_(owned) {}
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int fd() const { return fd_; }

  static constexpr int kEnd = -1;
  /// The next byte, or kEnd at the end of the file and on errors (see read_error()).
  int get() {
    if (in_at_ == in_end_ && !fill()) return kEnd;
    return static_cast<unsigned char>(in_[in_at_++]);
  }
  int peek() {
    if (in_at_ == in_end_ && !fill()) return kEnd;
    return static_cast<unsigned char>(in_[in_at_]);
  }

  /// The buffered bytes that get() would return next; reads if the buffer is empty. Empty at the end of the file and on
  /// errors. Valid until the next call.
  std::string_view pending_input() {
    if (in_at_ == in_end_ && !fill()) return {};
    return {in_.get() + in_at_, in_end_ - in_at_};
  }
  /// Bytes up to the end of the file, which other processes may change; 0 if it is no regular file.
  std::size_t bytes_to_end() const;
  /// Drops the first `bytes` bytes of pending_input().
  void skip(std::size_t bytes) { in_at_ += bytes; }

  void put(std::string_view text);
  /// Writes the buffer. False if a write since the last flush failed; error() has the cause.
  bool flush();
  /// Removes the output that has not been written and returns it.
  std::string take_pending() { return std::exchange(out_, {}); }
  /// True if there is something to flush.
  bool has_pending() const { return !out_.empty(); }
  /// Flushes and closes. False as for flush().
  bool close();

  /// The errno of the last failure to write or close; 0 if there was none.
  int error() const { return error_; }
  /// The errno of the last failure to read; 0 if there was none.
  int read_error() const { return read_error_; }
  /// True if the last character that was put is no newline.
  bool is_mid_line() const { return mid_line_; }
  /// True, once, after a line was read from a terminal: its echo has ended the line on the terminal.
  bool take_typed_line() { return std::exchange(typed_line_, false); }
  /// Records that the line on the terminal of this stream has ended by other means than put().
  void note_line_ended();
  /// Makes way for reads and writes at a terminal that also shows progress; null: there is no progress line. The stream
  /// must not be used after the end of `progress` until this is called again.
  void share_terminal(Progress* progress);

 private:
  static constexpr std::size_t kBuffer = 64 * 1024;
  bool fill();
  bool write_all(std::string_view text);

  int fd_;
  const bool owned_;
  int error_ = 0, read_error_ = 0;
  bool mid_line_ = false;
  bool typed_line_ = false;
  Progress* progress_ = nullptr;  ///< null if the stream is at no terminal
  std::size_t in_at_ = 0, in_end_ = 0;
  std::unique_ptr<char[]> in_;
  std::string out_;
};

/// The streams of a program by number: 0, 1 and 2 are standard input, output and error; other streams get the lowest
/// free number from 3 on. Output and error with the same file descriptor are one stream.
class StreamTable {
 public:
  /// `messages` is the file descriptor for WRITE; negative: that of standard error.
  explicit StreamTable(const std::array<int, 3>& standard, int messages = -1);

  /// The open stream with this number, or null.
  Stream* find(std::int64_t number);
  Stream& output() { return *streams_[1]; }
  Stream& errors() { return *streams_[2]; }
  /// The stream for WRITE. It has no number unless it is standard error.
  Stream& messages() { return messages_ ? *messages_ : errors(); }

  std::int64_t add(int fd);
  /// Closes a stream; false if it was not open or could not be closed properly.
  bool close(std::int64_t number);
  /// Stream::share_terminal() of the standard streams.
  void share_terminal(Progress* progress);
  /// Flushes all streams. Returns the number of the first stream that could not be flushed, now or, for a standard
  /// stream, earlier.
  std::optional<std::int64_t> flush_all();

 private:
  std::vector<std::shared_ptr<Stream>> streams_;
  std::shared_ptr<Stream> messages_;  ///< null: standard error
};

}  // namespace interp

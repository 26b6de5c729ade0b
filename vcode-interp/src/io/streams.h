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

  /// The bytes that get() would give next and that need not be waited for; at least one, but at the end of the file and
  /// on errors none. Valid until the next call.
  std::string_view pending_input() {
    if (in_at_ == in_end_ && !fill()) return {};
    return {in_.get() + in_at_, in_end_ - in_at_};
  }
  /// Passes over so many of them.
  void skip(std::size_t bytes) { in_at_ += bytes; }

  void put(std::string_view text);
  /// False if something written since the last flush could not be delivered; error() says why.
  bool flush();
  /// What has been put and not been written yet, which it will not be.
  std::string take_pending() { return std::exchange(out_, {}); }
  /// True if there is something to flush.
  bool has_pending() const { return !out_.empty(); }
  /// Flushes and closes. False as for flush.
  bool close();

  /// The system's number for the last failure to write or close, 0 if there was none.
  int error() const { return error_; }
  /// The same for the last failure to read.
  int read_error() const { return read_error_; }
  /// True if what was put last did not end its line.
  bool is_mid_line() const { return mid_line_; }
  /// True, once, if a line has been read that was typed at a terminal, which has shown it, its end included.
  bool take_typed_line() { return std::exchange(typed_line_, false); }
  /// Something else has ended the line on the terminal that the stream writes to.
  void note_line_ended();

 private:
  static constexpr std::size_t kBuffer = 64 * 1024;
  bool fill();
  bool write_all(std::string_view text);

  int fd_;
  const bool owned_;
  int error_ = 0, read_error_ = 0;
  bool mid_line_ = false;
  bool typed_line_ = false;
  std::size_t in_at_ = 0, in_end_ = 0;
  std::unique_ptr<char[]> in_;
  std::string out_;
};

/// The streams of a program: numbers 0, 1 and 2 are standard input, output and error, others are handed
/// out lowest free first, from 3. Output and error with the same descriptor are one stream.
class StreamTable {
 public:
  /// `messages` is the descriptor of what WRITE writes; a negative one: that of the errors.
  explicit StreamTable(const std::array<int, 3>& standard, int messages = -1);

  /// The open stream with this number, or null.
  Stream* find(std::int64_t number);
  Stream& output() { return *streams_[1]; }
  Stream& errors() { return *streams_[2]; }
  /// What WRITE writes to, which has no number if it is another stream than these.
  Stream& messages() { return messages_ ? *messages_ : errors(); }

  std::int64_t add(int fd);
  /// Closes a stream; false if it was not open or could not be closed properly.
  bool close(std::int64_t number);
  /// Flushes everything; the number of the first stream that could not be flushed, or of a standard one that could not
  /// be before.
  std::optional<std::int64_t> flush_all();

 private:
  std::vector<std::shared_ptr<Stream>> streams_;
  std::shared_ptr<Stream> messages_;  ///< null: the errors
};

}  // namespace interp

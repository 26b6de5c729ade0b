#pragma once

#include <memory>
#include <string>

namespace nesl_cli {

/// Where the lines of a session come from.
class LineSource {
 public:
  enum class Event {
    kLine,
    kEnd,
    kInterrupt,  ///< Ctrl-C while waiting
  };

  virtual ~LineSource() = default;
  /// The next line, without its end. The prompt is for those who are there to see it.
  virtual Event next(const std::string& prompt, std::string& line) = 0;
  /// True if somebody types the lines.
  virtual bool is_interactive() const = 0;
  /// True if the lines are being pasted and more of them have come.
  virtual bool has_more() { return false; }
  /// Keeps a statement or command, which may be several lines, so that it can be called back.
  virtual void remember(const std::string&) {}
  /// Why no more could be read, if that was not the end.
  virtual std::string failure() const { return ""; }
};

/// The lines of a file descriptor, without prompts.
std::unique_ptr<LineSource> plain_lines(int descriptor);

}  // namespace nesl_cli

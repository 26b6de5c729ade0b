#pragma once

#include <memory>
#include <string>

namespace nesl_cli {

/// A source of the lines of a session.
class LineSource {
 public:
  enum class Event {
    kLine,
    kEnd,
    kInterrupt,  ///< Ctrl-C while waiting
  };

  virtual ~LineSource() = default;
  /// Reads the next line, without its end. Interactive sources show the prompt.
  virtual Event next(const std::string& prompt, std::string& line) = 0;
  /// True if a person types the lines.
  virtual bool is_interactive() const = 0;
  /// True if lines are being pasted and more of them have arrived.
  virtual bool has_more() { return false; }
  /// Adds a statement or command, possibly of several lines, to the history.
  virtual void remember(const std::string&) {}
  /// The error that ended the source; empty at its regular end.
  virtual std::string failure() const { return ""; }
};

/// The lines of a file descriptor, without prompts.
std::unique_ptr<LineSource> plain_lines(int descriptor);

}  // namespace nesl_cli

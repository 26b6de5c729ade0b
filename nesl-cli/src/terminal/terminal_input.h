#pragma once

#include <string>

namespace nesl_cli {

/// The bytes that come from the terminal that standard input is. Terminals mark the beginning and end of a pasted text
/// if they are asked to (bracketed paste); the marks are taken out here, and tabs in between become blanks, so that
/// they complete nothing.
class TerminalInput {
 public:
  TerminalInput();

  /// Asks the terminal to mark pasted texts, or not any more.
  void expect_pastes(bool expected);

  /// The next byte: 1, or 0 at the end, or -1 after an error or interrupt, as read() does.
  int next(char& byte);

  /// True within a pasted text of which more is to come. On terminals that mark nothing, if anything has come.
  bool is_pasting();

 private:
  /// Waits for one more byte and keeps it; 1, 0 or -1.
  int fetch();
  /// Looks whether what comes next is a mark, and takes it out.
  bool take_mark(const char* mark);

  const bool marks_;      ///< the terminal is one that can mark
  bool pasting_ = false;  ///< between the marks
  std::string waiting_;   ///< has been read and not been given out
};

}  // namespace nesl_cli

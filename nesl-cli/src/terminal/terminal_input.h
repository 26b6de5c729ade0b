#pragma once

#include <string>

namespace nesl_cli {

/// Reads bytes from the terminal on standard input. With bracketed paste, terminals mark the beginning and end of a
/// pasted text; this class removes the marks and replaces tabs in pasted text by blanks, so that they do not start a
/// completion.
class TerminalInput {
 public:
  TerminalInput();

  /// Switches bracketed paste on or off.
  void expect_pastes(bool expected);

  /// Reads the next byte. Returns 1; 0 at the end; -1 after an error or interrupt, as read() does.
  int next(char& byte);

  /// True inside of a pasted text. On terminals without bracketed paste: true if further input has arrived.
  bool is_pasting();

 private:
  /// Reads one byte into waiting_. Returns 1, 0 or -1 as next() does.
  int fetch();
  /// If the next bytes are `mark`, removes them and returns true.
  bool take_mark(const char* mark);

  const bool marks_;      ///< the terminal has bracketed paste
  bool pasting_ = false;  ///< the input is between the marks
  std::string waiting_;   ///< bytes that were read and not returned yet
};

}  // namespace nesl_cli

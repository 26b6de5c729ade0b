#include "terminal_input.h"

#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "vcode-interp/interrupt.h"

namespace nesl_cli {

namespace {

constexpr const char* kPasteBegins = "\x1b[200~";
constexpr const char* kPasteEnds = "\x1b[201~";
// The bytes of a mark arrive together; the byte of the Escape key arrives alone.
constexpr int kMillisecondsWithinMark = 50;

bool has_come(int milliseconds) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, milliseconds) > 0;
}

bool can_mark() {
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && std::string_view(terminal) != "dumb" && isatty(STDOUT_FILENO) == 1;
}

}  // namespace

TerminalInput::TerminalInput() : marks_(can_mark()) {}

void TerminalInput::expect_pastes(bool expected) {
  if (!marks_) return;
  std::fputs(expected ? "\x1b[?2004h" : "\x1b[?2004l", stdout);
  std::fflush(stdout);
}

int TerminalInput::fetch() {
  if (!interp::wait_for_input(STDIN_FILENO)) return -1;
  char byte = 0;
  const ssize_t n = ::read(STDIN_FILENO, &byte, 1);
  if (n > 0) waiting_ += byte;
  return static_cast<int>(n);
}

bool TerminalInput::take_mark(const char* mark) {
  const std::string_view wanted(mark);
  while (waiting_.size() < wanted.size() && wanted.starts_with(waiting_))
    if (!has_come(kMillisecondsWithinMark) || fetch() <= 0) return false;
  if (!std::string_view(waiting_).starts_with(wanted)) return false;
  waiting_.erase(0, wanted.size());
  return true;
}

int TerminalInput::next(char& byte) {
  for (;;) {
    if (waiting_.empty())
      if (const int n = fetch(); n <= 0) return n;
    if (marks_ && waiting_[0] == kPasteEnds[0] && take_mark(pasting_ ? kPasteEnds : kPasteBegins)) {
      pasting_ = !pasting_;
      continue;
    }
    byte = waiting_[0];
    waiting_.erase(0, 1);
    if (pasting_ && byte == '\t') byte = ' ';
    return 1;
  }
}

bool TerminalInput::is_pasting() {
  if (!marks_) return has_come(0);
  if (pasting_ && take_mark(kPasteEnds)) pasting_ = false;
  return pasting_;
}

}  // namespace nesl_cli

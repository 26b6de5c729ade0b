#pragma once

namespace vcode {

/// Writes the program's name, a colon and these words to standard error. Async-signal-safe, and allocates nothing.
void complain(const char* words);
/// Ends the program as an interrupt does. Async-signal-safe.
[[noreturn]] void end_interrupted();
/// Ends the program with status 1 and a message, as complain() writes it. Async-signal-safe.
[[noreturn]] void end_with(const char* words);

}  // namespace vcode

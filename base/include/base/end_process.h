#pragma once

namespace base {

/// Writes the program's name, a colon and `words` to standard error. Async-signal-safe, and allocates nothing.
void complain(const char* words);
/// Ends the program as an interrupt does. Async-signal-safe.
[[noreturn]] void end_interrupted();
/// Ends the program with status 1 and a message, as complain() writes it. Async-signal-safe.
[[noreturn]] void end_with(const char* words);

/// Flushes standard output. Returns the exit status: `status`, or 1 and a message if not everything could be written.
int finish_output(int status);
/// Ends a program whose work is done, with the status of finish_output(). Runs no destructors, so that work of other
/// threads for later runs, such as compiling kernels, is not waited for.
[[noreturn]] void end_program(int status);

}  // namespace base

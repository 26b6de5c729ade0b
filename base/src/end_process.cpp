#include "base/end_process.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <cstdio>
#include <initializer_list>

// GCC and clang announce leak detection by different macros.
#if defined(__SANITIZE_ADDRESS__)
#define VCODE_LOOKS_FOR_LEAKS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VCODE_LOOKS_FOR_LEAKS
#endif
#endif
#if defined(VCODE_LOOKS_FOR_LEAKS)
#include <sanitizer/lsan_interface.h>
#endif

namespace base {

void complain(const char* words) {
  for (const char* part : {static_cast<const char*>(program_invocation_short_name), ": ", words, "\n"})
    if (::write(STDERR_FILENO, part, strlen(part)) < 0) return;
}

void end_with(const char* words) {
  complain(words);
  ::_exit(1);
}

void end_interrupted() {
  complain("interrupted");
  ::_exit(130);
}

int finish_output(int status) {
  const bool written = std::fflush(stdout) == 0;
  const char* reason = written ? "" : strerror(errno);
  if (written && std::ferror(stdout) == 0) return status;
  // With a non-zero status, the message that explains it has been printed.
  if (status == 0)
    std::fprintf(stderr, "%s: standard output could not be written%s%s\n", program_invocation_short_name,
                 *reason == '\0' ? "" : ": ", reason);
  return status == 0 ? 1 : status;
}

void end_program(int status) {
  const int ended = finish_output(status);
#if defined(VCODE_LOOKS_FOR_LEAKS)
  __lsan_do_leak_check();  // skipped otherwise, as exit() is not called
#endif
  ::_exit(ended);
}

}  // namespace base

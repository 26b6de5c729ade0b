#include "vcode/end_process.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

namespace vcode {

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

}  // namespace vcode

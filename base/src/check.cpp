#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace base {

void check_failed(const char* file, int line, const char* condition) noexcept {
  std::fprintf(stderr, "%s:%d: a check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace base

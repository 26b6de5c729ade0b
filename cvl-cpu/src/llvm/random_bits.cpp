// The C library's arc4random(), which glibc has since 2.36. The archives of LLVM call it for names of temporary files.
// With this one, a library that contains them runs on older systems, too.

#include <sys/random.h>

#include <cstdint>

extern "C" std::uint32_t arc4random() {
  std::uint32_t bits = 0;
  while (getrandom(&bits, sizeof bits, 0) != sizeof bits) continue;
  return bits;
}

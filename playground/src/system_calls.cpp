// Functions of the system that WebAssembly lacks, so that callers report that, or find another way.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

extern "C" {

/// Of the C library: sets the text that dlerror() returns next.
void __dl_seterr(const char* format, ...);

void* dlopen(const char*, int) {
  __dl_seterr("the playground cannot load libraries");
  return nullptr;
}
void* dlsym(void*, const char*) { return nullptr; }
int dladdr(const void*, Dl_info*) { return 0; }

int sched_getaffinity(pid_t, size_t, cpu_set_t*) {
  errno = ENOSYS;
  return -1;
}
int __sched_cpucount(size_t, const cpu_set_t*) { return 1; }

/// A file of the file system in memory, without a name.
int memfd_create(const char*, unsigned) {
  char name[] = "/tmp/memory-XXXXXX";
  const int file = mkstemp(name);
  if (file >= 0) unlink(name);
  return file;
}
}

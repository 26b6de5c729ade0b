// A library for LD_PRELOAD whose allocations fail on demand: the call with the number NESL_FAIL_ALLOCATION or, if a '+'
// follows the number, that call and all later ones. Calls before main() never fail: some libraries of the system cannot
// be loaded without memory, and crash. The file NESL_COUNT_ALLOCATIONS gets the number of calls at the end.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

extern "C" {
// Names of the C library's own functions.
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

std::atomic<long> g_calls{0};
std::atomic<bool> g_in_main{false};

struct Orders {
  long first = 0;  ///< number of the call that fails; 0: none
  bool more = false;
};

Orders read_orders() {
  Orders orders;
  if (const char* text = getenv("NESL_FAIL_ALLOCATION")) {
    char* end = nullptr;
    orders.first = strtol(text, &end, 10);
    orders.more = *end == '+';
  }
  return orders;
}

bool must_fail() {
  static const Orders orders = read_orders();
  const long call = ++g_calls;
  if (orders.first == 0 || call < orders.first) return false;
  if (orders.more ? !g_in_main : call > orders.first) return false;
  errno = ENOMEM;
  return true;
}

using Main = int(int, char**, char**);
Main* g_main = nullptr;

int observed_main(int argc, char** argv, char** environment) {
  g_in_main = true;
  return g_main(argc, argv, environment);
}

[[gnu::destructor]] void report() {
  const char* name = getenv("NESL_COUNT_ALLOCATIONS");
  if (name == nullptr) return;
  const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  char digits[24];
  char* at = digits + sizeof digits;
  for (long n = g_calls; at == digits + sizeof digits || n > 0; n /= 10) *--at = static_cast<char>('0' + n % 10);
  if (write(file, at, static_cast<size_t>(digits + sizeof digits - at)) < 0) _exit(99);
  close(file);
}

}  // namespace

extern "C" {

int __libc_start_main(Main* main, int argc, char** argv, void (*init)(), void (*fini)(), void (*loader_fini)(),
                      void* stack_end) {
  g_main = main;
  auto* start = reinterpret_cast<decltype(&__libc_start_main)>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(observed_main, argc, argv, init, fini, loader_fini, stack_end);
}

// The last call of programs that have done their work.
[[noreturn]] void _exit(int status) {
  report();
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

void* malloc(size_t bytes) { return must_fail() ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return must_fail() ? nullptr : __libc_calloc(count, bytes); }
void* realloc(void* old, size_t bytes) { return must_fail() ? nullptr : __libc_realloc(old, bytes); }
void* memalign(size_t alignment, size_t bytes) { return must_fail() ? nullptr : __libc_memalign(alignment, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** result, size_t alignment, size_t bytes) {
  void* memory = memalign(alignment, bytes);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}
}

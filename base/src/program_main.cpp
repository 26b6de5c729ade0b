#include "base/program_main.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include "base/address_space.h"
#include "base/end_process.h"

namespace base {
namespace {

// These functions run without allocating, before static objects are constructed and after their destruction.

bool g_memory_ran_out = false;

void note_and_throw() {
  g_memory_ran_out = true;
  throw std::bad_alloc();
}

const char* out_of_memory() {
  return address_space_is_limited() ? "out of memory: the address space of the process is limited (ulimit -v)"
                                    : "out of memory";
}

/// The terminate handler: an exception was not caught, or there was no memory to throw one.
[[noreturn]] void on_terminate() {
  bool memory_ran_out = g_memory_ran_out;
  try {
    if (std::current_exception()) {
      memory_ran_out = false;
      std::rethrow_exception(std::current_exception());
    }
  } catch (const std::bad_alloc&) {
    memory_ran_out = true;
  } catch (const std::exception& error) {
    complain(error.what());
  } catch (...) {
  }
  if (memory_ran_out) end_with(out_of_memory());
  complain("internal error");
  std::abort();
}

void prepare() {
  std::set_terminate(on_terminate);
  std::set_new_handler(note_and_throw);
}

// Runs before the constructors of the libraries' static objects, which allocate. With sanitizers, which are not
// initialized by then, it runs as an ordinary constructor.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
[[gnu::constructor]] void prepare_late() { prepare(); }
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
[[gnu::constructor]] void prepare_late() { prepare(); }
#else
[[gnu::used, gnu::section(".preinit_array")]] void (*const g_prepare)() = prepare;
#endif
#else
[[gnu::used, gnu::section(".preinit_array")]] void (*const g_prepare)() = prepare;
#endif

void on_interrupt(int) { end_interrupted(); }

}  // namespace

int program_main(const std::function<int()>& work) {
  struct sigaction interrupt = {};
  sigaction(SIGINT, nullptr, &interrupt);
  if (interrupt.sa_handler == SIG_DFL) {
    interrupt.sa_handler = on_interrupt;
    sigaction(SIGINT, &interrupt, nullptr);
  }
  // With a large buffer, short output is written, or fails, as a whole.
  static char buffer[1 << 16];
  if (isatty(STDOUT_FILENO) == 0) std::setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  try {
    return finish_output(work());
  } catch (const std::bad_alloc&) {
    end_with(out_of_memory());
  } catch (const std::system_error& error) {
    complain(error.what());  // for instance, standard error itself could not be written
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: internal error: %s\n", program_invocation_short_name, error.what());
  }
  return 1;
}

}  // namespace base

#include "forks.h"

#include <pthread.h>

#include "keyboard_interrupt.h"

namespace nesl_python {

namespace {

unsigned g_forks = 0;

void enter_child() {
  ++g_forks;
  note_main_thread();  // the thread that forks is the only one of the child
}

}  // namespace

unsigned fork_count() { return g_forks; }

void watch_forks() { pthread_atfork(nullptr, nullptr, enter_child); }

}  // namespace nesl_python

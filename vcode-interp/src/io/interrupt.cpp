#include "vcode-interp/interrupt.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include <cerrno>
#include <cmath>

#include "base/end_process.h"

namespace interp {

namespace {

// Global variables, since signal handlers access them.
InterruptFlag g_pending{Interrupt::kNone};
std::atomic<int> g_polling{0};
static_assert(std::atomic<int>::is_always_lock_free);
pthread_t g_thread;  // the thread that may wait for input

// Any thread may receive the signal; kWakeUp interrupts the thread that waits for input.
constexpr int kWakeUp = SIGURG;
void on_wake_up(int) {}
void wake_up() {
  if (!pthread_equal(pthread_self(), g_thread)) pthread_kill(g_thread, kWakeUp);
}

void on_signal(int) {
  if (g_polling.load(std::memory_order_relaxed) == 0) base::end_interrupted();
  g_pending.store(Interrupt::kSignal, std::memory_order_relaxed);
  wake_up();
}
void on_alarm(int) {
  if (g_polling.load(std::memory_order_relaxed) == 0) base::end_with("the time given by --timeout is over");
  Interrupt none = Interrupt::kNone;
  g_pending.compare_exchange_strong(none, Interrupt::kTimeout, std::memory_order_relaxed);
  wake_up();
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;  // no SA_RESTART: a read that waits for input must return
  sigaction(signal, &action, nullptr);
}

}  // namespace

const InterruptFlag& process_interrupt() { return g_pending; }
void clear_interrupt() { g_pending.store(Interrupt::kNone, std::memory_order_relaxed); }

Polling::Polling() { g_polling.fetch_add(1, std::memory_order_relaxed); }
Polling::~Polling() { g_polling.fetch_sub(1, std::memory_order_relaxed); }

void catch_interrupts() {
  g_thread = pthread_self();
  handle(kWakeUp, on_wake_up, 0);
  handle(SIGINT, on_signal, SA_RESETHAND);
  handle(SIGTERM, on_signal, SA_RESETHAND);
}

bool wait_for_input(int descriptor) {
  // Signals are blocked except during ppoll, so that none arrives between the test of the flag and the wait.
  sigset_t signals, before;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGALRM, kWakeUp}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  pollfd input{descriptor, POLLIN, 0};
  int ready = 0;
  while (pending_interrupt() == Interrupt::kNone && ready <= 0) {
    ready = ppoll(&input, 1, nullptr, &before);
    if (ready < 0 && errno != EINTR) break;  // the read that follows reports the error
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return pending_interrupt() == Interrupt::kNone;
}

void start_timeout(double seconds) {
  g_thread = pthread_self();
  handle(kWakeUp, on_wake_up, 0);
  handle(SIGALRM, on_alarm, 0);
  itimerval timer = {};
  double whole;
  timer.it_value.tv_usec = static_cast<suseconds_t>(std::modf(seconds, &whole) * 1e6);
  timer.it_value.tv_sec = static_cast<time_t>(whole);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace interp

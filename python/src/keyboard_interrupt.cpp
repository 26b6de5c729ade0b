#include "keyboard_interrupt.h"

#include <semaphore.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace nesl_python {

namespace {

std::thread::id g_main_thread;
struct sigaction g_before;  ///< Python's handler while ours is installed
std::atomic<bool> g_pressed{false};
sem_t g_wake_up;
std::mutex g_running_lock;
nesl_session* g_running = nullptr;  ///< the session that Ctrl-C cancels

static_assert(std::atomic<bool>::is_always_lock_free, "signal handlers may use these only");

void on_interrupt(int signal, siginfo_t* information, void* context) {
  g_pressed = true;
  sem_post(&g_wake_up);
  if ((g_before.sa_flags & SA_SIGINFO) != 0)
    g_before.sa_sigaction(signal, information, context);
  else
    g_before.sa_handler(signal);
}

/// Body of the thread that calls nesl_cancel(), which takes locks and so cannot be called by the signal handler. The
/// thread repeats the call until the run has ended, since nesl_cancel() does not affect a run that has not begun.
void stop_when_pressed() {
  using namespace std::chrono_literals;
  while (true) {
    while (sem_wait(&g_wake_up) != 0) continue;
    while (g_pressed) {
      {
        const std::lock_guard lock(g_running_lock);
        if (g_running == nullptr) break;
        nesl_cancel(g_running);
      }
      std::this_thread::sleep_for(5ms);
    }
  }
}

void start_watcher() {
  sem_init(&g_wake_up, 0, 0);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are delivered to Python's threads only
  std::thread(stop_when_pressed).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void note_main_thread() { g_main_thread = std::this_thread::get_id(); }

KeyboardInterrupt::KeyboardInterrupt(nesl_session* session) {
  if (std::this_thread::get_id() != g_main_thread) return;
  sigaction(SIGINT, nullptr, &g_before);
  const bool handled =
      (g_before.sa_flags & SA_SIGINFO) != 0 || (g_before.sa_handler != SIG_DFL && g_before.sa_handler != SIG_IGN);
  if (!handled) return;
  static std::once_flag started;
  std::call_once(started, start_watcher);
  active_ = true;
  g_pressed = false;
  {
    const std::lock_guard lock(g_running_lock);
    g_running = session;
  }
  struct sigaction ours = {};
  ours.sa_sigaction = on_interrupt;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigaction(SIGINT, &ours, nullptr);
}

KeyboardInterrupt::~KeyboardInterrupt() {
  if (!active_) return;
  sigaction(SIGINT, &g_before, nullptr);
  const std::lock_guard lock(g_running_lock);
  g_running = nullptr;
}

bool KeyboardInterrupt::pressed() const { return active_ && g_pressed; }

}  // namespace nesl_python

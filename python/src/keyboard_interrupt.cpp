#include "keyboard_interrupt.h"

#include <semaphore.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "forks.h"

namespace nesl_python {

namespace {

std::thread::id g_main_thread;
struct sigaction g_before;  ///< Python's handler while ours is installed
std::atomic<bool> g_pressed{false};

/// The thread that cancels, and what it shares with others. A forked process has none of its parent's threads, and so
/// starts another one.
struct Watcher {
  const unsigned forks = fork_count();
  sem_t wake_up;
  std::mutex running_lock;
  nesl_session* running = nullptr;  ///< the session that Ctrl-C cancels
};
Watcher* g_watcher = nullptr;

static_assert(std::atomic<bool>::is_always_lock_free, "signal handlers may use these only");

/// Python's handler comes first: another thread may run this, and Python must know of the signal when the run has been
/// cancelled.
void on_interrupt(int signal, siginfo_t* information, void* context) {
  if ((g_before.sa_flags & SA_SIGINFO) != 0)
    g_before.sa_sigaction(signal, information, context);
  else
    g_before.sa_handler(signal);
  g_pressed = true;
  sem_post(&g_watcher->wake_up);
}

/// Body of the thread that calls nesl_cancel(), which takes locks and so cannot be called by the signal handler. The
/// thread repeats the call until the run has ended, since nesl_cancel() does not affect a run that has not begun.
void stop_when_pressed(Watcher* watcher) {
  using namespace std::chrono_literals;
  while (true) {
    while (sem_wait(&watcher->wake_up) != 0) continue;
    while (g_pressed) {
      {
        const std::lock_guard lock(watcher->running_lock);
        if (watcher->running == nullptr) break;
        nesl_cancel(watcher->running);
      }
      std::this_thread::sleep_for(5ms);
    }
  }
}

void start_watcher() {
  g_watcher = new Watcher;  // never deleted: the thread runs until the process ends
  sem_init(&g_watcher->wake_up, 0, 0);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are delivered to Python's threads only
  std::thread(stop_when_pressed, g_watcher).detach();
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
  if (g_watcher == nullptr || g_watcher->forks != fork_count()) start_watcher();
  active_ = true;
  g_pressed = false;
  {
    const std::lock_guard lock(g_watcher->running_lock);
    g_watcher->running = session;
  }
  struct sigaction ours = {};
  ours.sa_sigaction = on_interrupt;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigaction(SIGINT, &ours, nullptr);
}

KeyboardInterrupt::~KeyboardInterrupt() {
  if (!active_) return;
  sigaction(SIGINT, &g_before, nullptr);
  const std::lock_guard lock(g_watcher->running_lock);
  g_watcher->running = nullptr;
}

bool KeyboardInterrupt::pressed() const { return active_ && g_pressed; }

}  // namespace nesl_python

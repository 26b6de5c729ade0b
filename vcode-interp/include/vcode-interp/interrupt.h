#pragma once

#include <atomic>

namespace interp {

/// Why a run should stop at the next opportunity.
enum class Interrupt : int { kNone, kSignal, kTimeout };

/// The reason to stop, written by a signal handler or another thread.
using InterruptFlag = std::atomic<Interrupt>;
static_assert(InterruptFlag::is_always_lock_free);

/// The flag that signal handlers set.
const InterruptFlag& process_interrupt();
/// The value of the flag that signal handlers set.
inline Interrupt pending_interrupt() { return process_interrupt().load(std::memory_order_relaxed); }
/// Resets the flag to kNone, so that another run can start.
void clear_interrupt();

/// Installs handlers of SIGINT and SIGTERM. While a Polling exists, the first signal only sets pending_interrupt(), and
/// wakes up the calling thread if that waits for input; a second signal ends the process. While no Polling exists, the
/// first signal ends the process with status 130 and a message. Must be called again after an interrupt was handled.
void catch_interrupts();
/// Promise of the program, for the lifetime of the object, to read pending_interrupt() often.
class Polling {
 public:
  Polling();
  ~Polling();
  Polling(const Polling&) = delete;
  Polling& operator=(const Polling&) = delete;
};
/// Waits until a file descriptor has input or has reached its end. False if an interrupt came first.
bool wait_for_input(int descriptor);
/// Sets pending_interrupt() to kTimeout after this many seconds (0: never), and wakes up the calling thread. Without a
/// Polling, the timeout ends the process with status 1 and a message.
void start_timeout(double seconds);

}  // namespace interp

#pragma once

#include <atomic>

namespace interp {

/// Why a run should stop at the next opportunity.
enum class Interrupt : int { kNone, kSignal, kTimeout };

/// Where a reason to stop is noted, by a signal handler or another thread.
using InterruptFlag = std::atomic<Interrupt>;
static_assert(InterruptFlag::is_always_lock_free);

/// The flag that signal handlers set.
const InterruptFlag& process_interrupt();
/// What it says.
inline Interrupt pending_interrupt() { return process_interrupt().load(std::memory_order_relaxed); }
/// Forgets it, so that another run can start.
void clear_interrupt();

/// Installs handlers: while a Polling exists, the first SIGINT or SIGTERM only sets pending_interrupt(), and wakes up
/// the calling thread if it waits for input; a second one ends the process. While none exists, the first one ends the
/// process with status 130 and a message. To be called again after an interrupt has been handled.
void catch_interrupts();
/// As long as one exists, the program promises to ask pending_interrupt() often.
class Polling {
 public:
  Polling();
  ~Polling();
  Polling(const Polling&) = delete;
  Polling& operator=(const Polling&) = delete;
};
/// Waits until a descriptor has something to read, or has ended. False if an interrupt came instead, or before.
bool wait_for_input(int descriptor);
/// Sets pending_interrupt() to kTimeout after this many seconds (0: never), and wakes up the calling thread; while no
/// Polling exists, ends the process with status 1 and a message instead.
void start_timeout(double seconds);

}  // namespace interp

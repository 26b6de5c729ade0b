#pragma once

namespace interp {

/// Why a run should stop at the next opportunity.
enum class Interrupt : int { kNone, kSignal, kTimeout };

/// The reason set by a signal handler, if any.
Interrupt pending_interrupt();
/// Forgets it, so that another run can start.
void clear_interrupt();

/// From now on the first SIGINT or SIGTERM only sets pending_interrupt while somebody looks at it (see Polling), and
/// wakes the calling thread up if it waits for input; a second one ends the process. So does the first one, with
/// status 130 and a message, while nobody looks. To be called again once an interrupt has been dealt with.
void catch_interrupts();
/// As long as one exists, pending_interrupt() is looked at often.
class Polling {
 public:
  Polling();
  ~Polling();
  Polling(const Polling&) = delete;
  Polling& operator=(const Polling&) = delete;
};
/// Waits until a descriptor has something to read, or has ended. False if an interrupt came instead, or before.
bool wait_for_input(int descriptor);
/// Sets pending_interrupt to kTimeout after this many seconds (0: never), and wakes the calling thread up; ends the
/// process with status 1 and a message while nobody looks.
void start_timeout(double seconds);

}  // namespace interp

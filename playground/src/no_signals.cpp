// Interrupts of a platform without signals: whoever waits for a run ends its worker.
#include "vcode-interp/interrupt.h"

namespace interp {

namespace {

InterruptFlag g_never{Interrupt::kNone};

}  // namespace

const InterruptFlag& process_interrupt() { return g_never; }
void clear_interrupt() {}
Polling::Polling() = default;
Polling::~Polling() = default;
void catch_interrupts() {}
bool wait_for_input(int) { return true; }
void start_timeout(double) {}

}  // namespace interp

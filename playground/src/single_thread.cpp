// Runs on the only thread that there is, with the stack of the JavaScript engine, in place of a thread with a large
// one.
#include "nesl-compiler/session.h"

namespace nesl {

void run_with_deep_stack(const std::function<void()>& work) { work(); }

}  // namespace nesl

#include "base/stop_request.h"

namespace base {
namespace {

// Global, because a signal handler sets the request.
bool (*g_is_requested)() = nullptr;

}  // namespace

void set_stop_request(bool (*is_requested)()) { g_is_requested = is_requested; }

void check_stop() {
  if (g_is_requested != nullptr && g_is_requested()) throw Stopped{};
}

}  // namespace base

#include "stop_flag.h"

#include <mutex>

#include "base/stop_request.h"

namespace nesl_c {

namespace {

thread_local const interp::InterruptFlag* t_flag = nullptr;
std::once_flag g_known_to_the_compiler;

}  // namespace

StopFlag::StopFlag(const interp::InterruptFlag& flag) : before_(t_flag) {
  std::call_once(g_known_to_the_compiler, [] { base::set_stop_request(is_set); });
  t_flag = &flag;
}

StopFlag::~StopFlag() { t_flag = before_; }

bool StopFlag::is_set() {
  return t_flag != nullptr && t_flag->load(std::memory_order_relaxed) != interp::Interrupt::kNone;
}

}  // namespace nesl_c

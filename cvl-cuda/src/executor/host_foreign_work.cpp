// Stand-ins for the streams and events of a device: functions of the tests, which do the work that is waited for.

#include "executor/foreign_work.h"

namespace cvl::cuda {

namespace {

/// The two default streams of CUDA, which have no work here.
constexpr std::uintptr_t kDefaultStreams = 2;

}  // namespace

bool is_on_device(const void* address) { return address != nullptr; }

void await_foreign_stream(std::uintptr_t stream) {
  if (stream > kDefaultStreams) reinterpret_cast<void (*)()>(stream)();
}

void await_foreign_event(std::uintptr_t event) { reinterpret_cast<void (*)()>(event)(); }

void await_device() {}

}  // namespace cvl::cuda

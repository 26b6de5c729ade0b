#pragma once

#include <cstdint>

/// Memory and work of other libraries on the device; see cvl/shared_device.h. Defined by cuda_foreign_work.cpp, and for
/// the host executor by host_foreign_work.cpp.
namespace cvl::cuda {

/// Whether an address is in memory of the calling thread's device (current_device.h), or in memory of all devices.
bool is_on_device(const void* address);
void await_foreign_stream(std::uintptr_t stream);
void await_foreign_event(std::uintptr_t event);
void await_device();

}  // namespace cvl::cuda

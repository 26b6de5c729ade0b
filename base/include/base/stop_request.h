#pragma once

namespace base {

/// Thrown by check_stop(), and by backends that were asked to stop while they waited for a device.
struct Stopped {};

/// Sets the function that check_stop() asks; null, as at the start: none.
void set_stop_request(bool (*is_requested)());

/// Throws Stopped if the function set by set_stop_request() returns true. The compiler and the optimizer call this
/// often, and are exception-safe.
void check_stop();

}  // namespace base

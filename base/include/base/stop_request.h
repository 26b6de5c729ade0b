#pragma once

namespace base {

/// Thrown by check_stop(), and by backends on a stop request while they wait for a device.
struct Stopped {};

/// Sets the function that check_stop() calls; null, the initial state, means none.
void set_stop_request(bool (*is_requested)());

/// Throws Stopped if the function set by set_stop_request() returns true. Called often by the compiler and the
/// optimizer, which are exception-safe.
void check_stop();

}  // namespace base

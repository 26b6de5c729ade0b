#pragma once

namespace vcode {

/// Thrown where work is given up because somebody wants that.
struct Stopped {};

/// From now on check_stop() asks this function; null: nobody. Null to begin with.
void set_stop_request(bool (*is_requested)());

/// Throws Stopped if that is requested. Compiling and optimizing call it often, and leave nothing half done behind.
void check_stop();

}  // namespace vcode

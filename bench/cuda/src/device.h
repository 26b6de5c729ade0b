#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

namespace bench::cuda {

/// Name, capability, clocks, memory and versions of the current device.
nlohmann::ordered_json device_facts();

/// Bytes per second, read and written, of a copy of this many bytes on the device: the best of several copies.
double copy_bandwidth(std::size_t bytes);

/// Seconds to launch an empty kernel, without waiting for it.
double launch_seconds();

/// Seconds from launching a kernel that writes to mapped memory until the host sees the value.
double round_trip_seconds();

}  // namespace bench::cuda

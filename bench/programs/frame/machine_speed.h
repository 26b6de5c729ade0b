#pragma once

#include "../../peers/team.h"

namespace program_peers {

/// Floating-point operations per second of one thread whose multiplications and additions are all fused and
/// independent.
double operation_rate();

/// Bytes per second at which all buffers of this process, again and again, can be read.
double read_bandwidth(peers::Team& team);

/// Bytes per second, read and written, of copying between buffers that are larger than caches.
double copy_bandwidth(peers::Team& team);

/// Seconds that a loop of dependent operations takes: the median of many attempts, and the longest.
struct SpinTimes {
  double median, worst;
};
SpinTimes spin_times();

}  // namespace program_peers

#pragma once

#include "../../peers/team.h"

namespace program_peers {

/// Floating-point operations per second of one thread whose multiplications and additions are all fused and
/// independent.
double operation_rate();

/// Bytes per second at which all buffers of this process can be read repeatedly.
double read_bandwidth(peers::Team& team);

/// Bytes per second, read and written, of copies between buffers that are larger than the caches.
double copy_bandwidth(peers::Team& team);

/// Seconds of a loop of dependent operations: the median of many runs, and the longest run.
struct SpinTimes {
  double median, worst;
};
SpinTimes spin_times();

}  // namespace program_peers

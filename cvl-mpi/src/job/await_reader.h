#pragma once

#include <chrono>

namespace cvl::mpi {

/// Waits until the other end of a pipe or socket has read all that was written to a descriptor, but not longer than
/// `most`. A launcher that ends a job may kill its processes, and go, before it has read their last lines. Returns at
/// once for other files, and for a descriptor that is not open.
void await_reader(int descriptor, std::chrono::milliseconds most);

}  // namespace cvl::mpi

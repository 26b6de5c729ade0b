#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "base/cuda_memory.h"
#include "base/launcher.h"
#include "base/scratch.h"

namespace cvl::cuda {

/// Short transfers from the device to the host. A kernel of one block copies the bytes to mapped memory of the host and
/// then stores a sequence number there, which the host polls. This takes less time than a copy and an event.
class Mailbox {
 public:
  static constexpr std::size_t kTransferBytes = kMostTransferBytes;

  /// `stop_requested` may be null.
  Mailbox(cudaStream_t stream, const Launcher& launcher, bool (*stop_requested)())
      : stream_(stream),
        launcher_(launcher),
        stop_requested_(stop_requested),
        letters_(kMostTransfers * kTransferBytes) {}

  /// Waits for all issued work, and copies n (at most kMostTransfers) pieces of at most kTransferBytes to the host.
  /// Throws BackendLost if the device fails, and base::Stopped if stop_requested() becomes true.
  void read(const Transfer* transfers, int n);
  void wait() { read(nullptr, 0); }

 private:
  void wait_for_answer();

  cudaStream_t stream_;
  const Launcher& launcher_;
  bool (*stop_requested_)();
  Mapped<unsigned char> letters_;
  Mapped<std::uint64_t> answered_;
  std::uint64_t asked_ = 0;
};

}  // namespace cvl::cuda

#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "base/cuda_memory.h"
#include "base/launcher.h"
#include "base/letters.h"
#include "base/scratch.h"

namespace cvl::cuda {

/// Short transfers from the device to the host. A kernel copies the bytes to mapped memory of the host and then stores
/// a sequence number there, which the host polls. This takes less time than a copy and an event.
class Mailbox {
 public:
  static constexpr std::size_t kTransferBytes = kMostTransferBytes;

  /// `stop_requested` may be null.
  Mailbox(cudaStream_t stream, const Launcher& launcher, bool (*stop_requested)())
      : stream_(stream),
        launcher_(launcher),
        stop_requested_(stop_requested),
        letters_(kMostTransfers * kTransferBytes) {}

  /// For the next launch, which is to reply.
  Reply next() { return {letters_.device(), answered_.device(), ++asked_}; }
  /// Waits for the reply that next() returned last, and copies n letters to the host. Throws as read().
  void await(const Transfer* transfers, int n);
  /// Waits for all issued work by a kernel of one block, and copies n (at most kMostTransfers) pieces of at most
  /// kTransferBytes to the host. Throws BackendLost if the device fails, and base::Stopped if stop_requested() becomes
  /// true.
  void read(const Transfer* transfers, int n);
  void wait() { read(nullptr, 0); }

 private:
  cudaStream_t stream_;
  const Launcher& launcher_;
  bool (*stop_requested_)();
  Mapped<unsigned char> letters_;
  Mapped<std::uint64_t> answered_;
  std::uint64_t asked_ = 0;
};

}  // namespace cvl::cuda

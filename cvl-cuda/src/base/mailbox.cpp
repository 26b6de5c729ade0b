#include "base/mailbox.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/poll_until.h"
#include "base/stop_request.h"

namespace cvl::cuda {
namespace {

/// The kernel that replies.
struct Post {
  Letters letters;

  __device__ void operator()() const {
    for (int part = int(threadIdx.x); part < letters.parts(); part += int(blockDim.x)) letters.copy(part);
    __syncthreads();
    if (threadIdx.x == 0) letters.reply.give();
  }
};

}  // namespace

void Mailbox::read(const Transfer* transfers, int n) {
  const Post post{Letters(transfers, n, next())};
  check(n <= 1 ? launcher_.launch<32, 1>(1, post) : launcher_.launch<256, 1>(1, post), "launching a kernel");
  await(transfers, n);
}

void Mailbox::await(const Transfer* transfers, int n) {
  poll_until([this] { return *answered_.host() == asked_; },
             [this] {
               const cudaError_t status = cudaStreamQuery(stream_);
               if (status != cudaErrorNotReady) check(status, "computing");
               if (stop_requested_ != nullptr && stop_requested_()) throw base::Stopped{};
             });
  std::atomic_thread_fence(std::memory_order_acquire);
  for (int k = 0; k < n; ++k)
    std::memcpy(transfers[k].host, const_cast<const unsigned char*>(letters_.host()) + k * kTransferBytes,
                transfers[k].bytes);
}

}  // namespace cvl::cuda

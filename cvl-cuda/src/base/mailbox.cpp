#include "base/mailbox.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/check.h"
#include "base/poll_until.h"
#include "base/stop_request.h"

namespace cvl::cuda {
namespace {

constexpr int kThreads = 32 * kMostTransfers;

/// The kernel that copies the pieces, one piece per warp, and then stores its sequence number.
struct Post {
  const unsigned char* from[kMostTransfers];
  unsigned bytes[kMostTransfers];
  int n;
  unsigned char* letters;
  volatile std::uint64_t* answered;
  std::uint64_t number;

  __device__ void operator()() const {
    const int k = int(threadIdx.x) / 32;
    if (k < n)
      for (unsigned b = threadIdx.x % 32; b < bytes[k]; b += 32) letters[k * Mailbox::kTransferBytes + b] = from[k][b];
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) *answered = number;
  }
};

}  // namespace

void Mailbox::read(const Transfer* transfers, int n) {
  VC_CHECK(n <= kMostTransfers);
  Post post{};
  for (int k = 0; k < n; ++k) {
    VC_CHECK(transfers[k].bytes <= kTransferBytes);
    post.from[k] = static_cast<const unsigned char*>(transfers[k].device);
    post.bytes[k] = static_cast<unsigned>(transfers[k].bytes);
  }
  post.n = n;
  post.letters = letters_.device();
  post.answered = answered_.device();
  post.number = ++asked_;
  check(launcher_.launch<kThreads, 1>(1, post), "launching a kernel");
  wait_for_answer();
  for (int k = 0; k < n; ++k)
    std::memcpy(transfers[k].host, const_cast<const unsigned char*>(letters_.host()) + k * kTransferBytes,
                transfers[k].bytes);
}

void Mailbox::wait_for_answer() {
  poll_until([this] { return *answered_.host() == asked_; },
             [this] {
               const cudaError_t status = cudaStreamQuery(stream_);
               if (status != cudaErrorNotReady) check(status, "computing");
               if (stop_requested_ != nullptr && stop_requested_()) throw base::Stopped{};
             });
  std::atomic_thread_fence(std::memory_order_acquire);
}

}  // namespace cvl::cuda

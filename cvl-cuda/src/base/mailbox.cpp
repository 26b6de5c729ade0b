#include "base/mailbox.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/poll_until.h"
#include "vcode/check.h"
#include "vcode/stop_request.h"

namespace cvl::cuda {
namespace {

/// The pieces, as an argument of the kernel.
struct Order {
  const unsigned char* from[kMostPieces];
  unsigned bytes[kMostPieces];
};

__global__ void post(Order order, int n, unsigned char* letters, volatile std::uint64_t* answered,
                     std::uint64_t number) {
  for (int k = 0; k < n; ++k)
    if (threadIdx.x < order.bytes[k]) letters[k * Mailbox::kPieceBytes + threadIdx.x] = order.from[k][threadIdx.x];
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *answered = number;
}

}  // namespace

void Mailbox::read(const Piece* pieces, int n) {
  VC_CHECK(n <= kMostPieces);
  Order order{};
  for (int k = 0; k < n; ++k) {
    VC_CHECK(pieces[k].bytes <= kPieceBytes);
    order.from[k] = static_cast<const unsigned char*>(pieces[k].device);
    order.bytes[k] = static_cast<unsigned>(pieces[k].bytes);
  }
  ++asked_;
  post<<<1, kPieceBytes, 0, stream_>>>(order, n, letters_.device(), answered_.device(), asked_);
  check(cudaGetLastError(), "launching a kernel");
  wait_for_answer();
  for (int k = 0; k < n; ++k)
    std::memcpy(pieces[k].host, const_cast<const unsigned char*>(letters_.host()) + k * kPieceBytes, pieces[k].bytes);
}

void Mailbox::wait_for_answer() {
  poll_until([this] { return *answered_.host() == asked_; },
             [this] {
               const cudaError_t status = cudaStreamQuery(stream_);
               if (status != cudaErrorNotReady) check(status, "computing");
               if (stop_requested_ != nullptr && stop_requested_()) throw vcode::Stopped{};
             });
  std::atomic_thread_fence(std::memory_order_acquire);
}

}  // namespace cvl::cuda

#include "base/mailbox.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace cvl::cuda {
namespace {

/// The pieces, as they travel with the launch.
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
  Order order{};
  for (int k = 0; k < n; ++k) {
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
  // A device that failed never answers.
  constexpr int kPatience = 1 << 14;
  for (int tries = 1; *answered_.host() != asked_; ++tries) {
    if (tries % kPatience != 0) continue;
    const cudaError_t status = cudaStreamQuery(stream_);
    if (status != cudaErrorNotReady) check(status, "computing");
  }
  std::atomic_thread_fence(std::memory_order_acquire);
}

}  // namespace cvl::cuda

#include "executor/cuda_executor.h"

#include <chrono>

#include <cstdio>

#include <thread>

#include "base/check.h"
#include "base/stop_request.h"
#include "executor/launch.h"

namespace cvl::cuda {
namespace {

std::size_t free_memory() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free memory");
  return free;
}

cudaDeviceProp properties() {
  int device = 0;
  cudaDeviceProp result{};
  check(cudaGetDevice(&device), "asking for the current device");
  check(cudaGetDeviceProperties(&result, device), "asking for the device's properties");
  return result;
}

int capability() {
  const cudaDeviceProp device = properties();
  return 10 * device.major + device.minor;
}

}  // namespace

CudaExecutor::CudaExecutor(std::size_t memory_limit, bool (*stop_requested)())
    : stop_requested_(stop_requested),
      launcher_(stream_, capability() >= 90),
      memory_(stream_),
      pool_(memory_, memory_limit != 0 ? memory_limit : limit_for(free_memory())),
      boards_(pool_, memory_),
      mailbox_(stream_, launcher_, stop_requested),
      staging_(stream_) {
  most_blocks_ = std::int64_t{properties().multiProcessorCount} * launch_parameters(capability()).blocks_per_sm;
  check(cudaMalloc(&record_, sizeof *record_), "allocating memory");
  const FaultRecord none;
  check(cudaMemcpy(record_, &none, sizeof none, cudaMemcpyHostToDevice), "copying to the device");
  check(cudaMalloc(&counters_, 2 * sizeof *counters_), "allocating memory");
  fill_zero(counters_, 2 * sizeof *counters_);
  next_board(BoardMemory::kAtFirst);
  mailbox_.wait();  // loads the mailbox's kernel while memory is left
}

CudaExecutor::~CudaExecutor() {
  cudaStreamSynchronize(stream_);
  cudaFree(record_);
  cudaFree(counters_);
}

std::string CudaExecutor::description() const {
  const cudaDeviceProp device = properties();
  return std::string("cvl-cuda, ") + device.name + ", compute capability " + std::to_string(device.major) + "." +
         std::to_string(device.minor) + ", " + std::to_string(device.totalGlobalMem >> 20) + " MiB";
}

std::string CudaExecutor::architecture() const { return "sm_" + std::to_string(capability()); }

void CudaExecutor::wait() {
  if (is_settled_) return;
  ++traffic_.waits;
  mailbox_.wait();
  settled();
}

void CudaExecutor::upload(void* device, const void* host, std::size_t bytes) {
  if (bytes == 0) return;
  is_settled_ = false;
  ++traffic_.uploads;
  traffic_.bytes_up += bytes;
  if (bytes > Staging::kBytes) {
    check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream_), "copying to the device");
    return wait();  // the caller may change the source of the copy
  }
  if (staging_.upload(device, host, bytes)) return;
  wait();
  [[maybe_unused]] const bool issued = staging_.upload(device, host, bytes);
  VC_CHECK(issued);
}

void CudaExecutor::download(void* host, const void* device, std::size_t bytes) {
  if (bytes == 0) return;
  traffic_.bytes_down += bytes;
  if (bytes <= Mailbox::kTransferBytes) {
    const Transfer transfer{host, device, bytes};
    mailbox_.read(&transfer, 1);
  } else {
    mailbox_.wait();  // interruptible, unlike a copy to memory that is not pinned
    check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream_), "copying from the device");
    check(cudaStreamSynchronize(stream_), "copying from the device");
  }
  ++traffic_.waits;
  settled();
}

void CudaExecutor::download(const Transfer* transfers, int n) {
  count_wait(transfers, n);
  mailbox_.read(transfers, n);
  settled();
}

void CudaExecutor::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  if (watches_) next_launch("that copies on the device", 0);
  attempt([&] { return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_); });
}

void CudaExecutor::fill_zero(void* data, std::size_t bytes) {
  if (bytes == 0) return;
  if (watches_) next_launch("that clears memory", 0);
  attempt([&] { return cudaMemsetAsync(data, 0, bytes, stream_); });
}

void CudaExecutor::launch_function(LaunchedFunction function, std::int64_t blocks, std::span<const std::byte> arguments,
                                   bool numbered, const std::string& name) {
  VC_CHECK(blocks <= kMostTiles);
  if (watches_) next_launch(name, blocks);
  attempt([&] { return launcher_.launch(function, blocks, kThreads, arguments.data()); });
  if (numbered) begun_ += static_cast<std::uint32_t>(blocks);
}

void CudaExecutor::next_launch(std::string name, std::int64_t blocks, int threads) {
  next_launch_ = name_launch(name, blocks, blocks > 0 ? threads : 0, sites_);
}

void CudaExecutor::next_launch(const void* kernel, std::int64_t blocks, int threads) {
  const char* name = nullptr;
  if (cudaFuncGetName(&name, kernel) != cudaSuccess || name == nullptr) {
    (void)cudaGetLastError();  // otherwise the next launch would report this error
    name = "without a name";
  }
  next_launch(std::string(name), blocks, threads);
}

void CudaExecutor::await_launch(cudaError_t status) {
  constexpr std::chrono::seconds kLong{2};
  const auto start = std::chrono::steady_clock::now();
  bool told = false;
  if (status == cudaSuccess)
    while ((status = cudaStreamQuery(stream_)) == cudaErrorNotReady) {
      if (stop_requested_ != nullptr && stop_requested_()) throw base::Stopped{};
      if (!told && std::chrono::steady_clock::now() - start > kLong) {
        std::fprintf(stderr, "cvl-cuda: still running after 2 seconds: %s\n", next_launch_.c_str());
        told = true;
      }
      std::this_thread::yield();
    }
  if (status != cudaSuccess)
    throw BackendLost("the CUDA device failed in " + next_launch_ + ": " + cudaGetErrorString(status));
}

void CudaExecutor::look_at_blocks(const void* kernel, int threads) {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0), "asking for a kernel's occupancy");
  if (*fewest_blocks_ == 0 || blocks < *fewest_blocks_) fewest_blocks_ = blocks;
}

FaultRecord CudaExecutor::take_fault() {
  FaultRecord record;
  wait();
  if (!has_fault()) return record;
  download(&record, record_, sizeof record);
  const FaultRecord none;
  upload(record_, &none, sizeof none);
  *known_.host() = 0;
  return record;
}

}  // namespace cvl::cuda

#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/board.h"
#include "base/cuda_check.h"
#include "base/cuda_memory.h"
#include "base/device_faults.h"
#include "base/launch_watch.h"
#include "base/launched_function.h"
#include "base/launcher.h"
#include "base/letters.h"
#include "base/mailbox.h"
#include "base/scratch.h"
#include "base/traffic.h"

// Members that few sources need are only declared here. blocks.h defines those with blocks; cub_sort.h defines sorting,
// with headers of CUB that take the device compiler seconds to read.

namespace cvl::cuda {

inline constexpr int kThreads = 256;
/// Threads of a block that is launched alone: with 128 registers each they take all of a multiprocessor.
inline constexpr int kWideThreads = 512;
/// Default of the blocks resident on a multiprocessor. It leaves 64 registers to each thread.
inline constexpr int kResident = 4;

/// Number of elements of type R that a thread loads before it stores any, so that several loads are in flight.
template <class R>
inline constexpr int kBatch = sizeof(R) > 8    ? 2
                              : sizeof(R) >= 2 ? 4
                                               : 8;

/// The kernel of map().
template <class R, class Value, class Store>
struct Map {
  std::int64_t n;
  Value value;
  Store store;

  __device__ void operator()() const {
    constexpr std::int64_t kSpan = std::int64_t{kThreads} * kBatch<R>;
    for (std::int64_t begin = blockIdx.x * kSpan; begin < n; begin += gridDim.x * kSpan) {
      R results[kBatch<R>];
#pragma unroll
      for (int j = 0; j < kBatch<R>; ++j) {
        const std::int64_t e = begin + j * kThreads + threadIdx.x;
        if (e < n) results[j] = value(e);
      }
#pragma unroll
      for (int j = 0; j < kBatch<R>; ++j) {
        const std::int64_t e = begin + j * kThreads + threadIdx.x;
        if (e < n) store(e, results[j]);
      }
    }
  }
};

/// The kernel of for_each().
template <class F>
struct ForEach {
  std::int64_t n;
  F f;

  __device__ void operator()() const {
    const std::int64_t step = std::int64_t(gridDim.x) * kThreads;
#pragma unroll 4
    for (std::int64_t e = std::int64_t(blockIdx.x) * kThreads + threadIdx.x; e < n; e += step) f(e);
  }
};

/// Launches everything on one stream of one device: see executor.h. Throws BackendLost if the device fails.
class CudaExecutor {
 public:
  /// Uses the current device. A limit of 0 means the free memory of the device. `stop_requested` as in BackendOptions.
  explicit CudaExecutor(std::size_t memory_limit, bool (*stop_requested)() = nullptr);
  ~CudaExecutor();
  CudaExecutor(const CudaExecutor&) = delete;
  CudaExecutor& operator=(const CudaExecutor&) = delete;

  std::string description() const;
  /// Architecture that kernels are compiled for, as "sm_90".
  std::string architecture() const;
  Pool& pool() { return pool_; }
  const Pool& pool() const { return pool_; }
  const Traffic& traffic() const { return traffic_; }
  void count_delivery(std::size_t bytes) { traffic_.bytes_up += bytes; }
  void upload(void* device, const void* host, std::size_t bytes);
  void download(void* host, const void* device, std::size_t bytes);
  void download(const Transfer* transfers, int n);
  Reply next_reply() { return mailbox_.next(); }
  void await_reply(const Transfer* transfers, int n) {
    ++traffic_.replies;
    count_wait(transfers, n);
    mailbox_.await(transfers, n);
    staging_.restart();
  }
  void copy(void* to, const void* from, std::size_t bytes);
  void fill_zero(void* data, std::size_t bytes);
  void wait();

  /// The fewest blocks per multiprocessor, according to the driver, among the kernels launched since the last call,
  /// CUB's excepted. The first call returns 0 and begins the count; 0 also if no kernel was launched.
  int fewest_blocks() { return std::exchange(fewest_blocks_, 0).value_or(0); }

  Faults faults(std::uint32_t site) { return {record_, known_.device(), site}; }
  bool has_fault() const { return *known_.host() != 0; }
  FaultRecord take_fault();

  Board next_board(std::int64_t words) {
    return boards_.next(words, [this](void* data, std::size_t bytes) { fill_zero(data, bytes); });
  }
  Ticket ticket() const { return {counters_, begun_}; }
  void launch_function(LaunchedFunction function, std::int64_t blocks, std::span<const std::byte> arguments,
                       bool numbered, const std::string& name);
  void set_sites(Sites sites) { sites_ = sites; }

  template <class F>
  void for_each(std::int64_t n, F f) {
    if (n == 0) return;
    launch(blocks_over(n, kThreads), ForEach<F>{n, f});
  }
  template <class R, class Value, class Store>
  void map(std::int64_t n, Value value, Store store) {
    if (n == 0) return;
    launch(blocks_over(n, kThreads * kBatch<R>), Map<R, Value, Store>{n, value, store});
  }
  template <class Shared, int resident = kResident, class Program>
  void tiles(std::int64_t n, Program program);
  template <class Shared, class Program>
  void wide_block(Program program);
  template <class Shared, class Program, class Finish>
  void tiles_then(std::int64_t n, Program program, Finish finish);
  template <class Shared, int resident = kResident, class Program>
  void tiles_in_order(std::int64_t n, std::int64_t words, Program program);
  template <class Key, class Value>
  void sort_pairs(Buffers<Key>& keys, Buffers<Value>& values, std::int64_t n, int bits);

 private:
  void settled() {
    staging_.restart();
    is_settled_ = true;
  }
  void count_wait(const Transfer* transfers, int n) {
    ++traffic_.waits;
    for (int k = 0; k < n; ++k) traffic_.bytes_down += transfers[k].bytes;
  }

  static constexpr std::int64_t kMostTiles = 0x7FFFFFFF;

  /// Runs a device-wide operation of CUB, which is called twice: the first call returns the size of its storage.
  template <class F>
  void with_storage(F operation) {
    std::size_t bytes = 0;
    check(operation(nullptr, bytes), "asking CUB for the size of its storage");
    Scratch<char> storage(pool_, static_cast<std::int64_t>(bytes));
    if (watches_) next_launch("of CUB", 0);
    attempt([&] { return operation(storage.data(), bytes); });
  }
  /// Launches a kernel: see Launcher.
  template <int resident = kResident, int threads = kThreads, class Body>
  void launch(std::int64_t blocks, const Body& body) {
    if (watches_) next_launch(Launcher::function<threads, resident, Body>(), blocks, threads);
    attempt([&] { return launcher_.launch<threads, resident>(blocks, body); });
    if (fewest_blocks_) look_at_blocks(Launcher::function<threads, resident, Body>(), threads);
  }
  /// Calls a function that launches a kernel and returns the status. A launch may fail because no memory is left to
  /// load the code of the kernel: then the pool releases its cached blocks and the launch is repeated. Throws
  /// OutOfMemory, of 0 bytes, if that fails too.
  template <class F>
  void attempt(F kernel) {
    is_settled_ = false;
    cudaError_t status = kernel();
    if (status == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();  // otherwise it would be reported again
      pool_.give_back();
      status = kernel();
    }
    if (status == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      throw OutOfMemory(0);
    }
    if (watches_)
      await_launch(status);
    else
      check(status, "launching a kernel");
    ++traffic_.launches;
  }
  /// Records the name of the next launch, for await_launch().
  void next_launch(std::string name, std::int64_t blocks, int threads = kThreads);
  void next_launch(const void* kernel, std::int64_t blocks, int threads);
  /// Waits for the last launch, and throws BackendLost, with the kernel's name, if the launch or the kernel failed. A
  /// kernel that runs for more than 2 seconds is named on standard error.
  void await_launch(cudaError_t status);
  void look_at_blocks(const void* kernel, int threads);
  std::int64_t blocks_over(std::int64_t n, std::int64_t per_block) const {
    const std::int64_t blocks = (n + per_block - 1) / per_block;
    return blocks < most_blocks_ ? blocks : most_blocks_;
  }

  const bool watches_ = watches_launches_from_environment();
  bool (*const stop_requested_)();
  Sites sites_;
  std::string next_launch_;
  Stream stream_;
  Launcher launcher_;
  DeviceMemory memory_;
  Pool pool_;
  BoardMemory boards_;
  Mapped<std::uint32_t> known_;
  FaultRecord* record_ = nullptr;
  Mailbox mailbox_;
  Staging staging_;
  Traffic traffic_;
  bool is_settled_ = true;  ///< whether everything issued has ended, as known from a wait
  std::int64_t most_blocks_ = 0;
  std::optional<int> fewest_blocks_;   ///< see fewest_blocks()
  std::uint32_t* counters_ = nullptr;  ///< on the device: blocks begun in tiles_in_order, blocks arrived in tiles_then
  std::uint32_t begun_ = 0;            ///< number of blocks in all launches with tickets so far
};

}  // namespace cvl::cuda

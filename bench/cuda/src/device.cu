#include "device.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "peers/device_array.h"
#include "peers/device_peers.h"
#include "sampling.h"

namespace bench::cuda {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

__global__ void nothing() {}
__global__ void answer(volatile unsigned* to, unsigned number) { *to = number; }

}  // namespace

void wait_for_device() { check(cudaDeviceSynchronize()); }

nlohmann::ordered_json device_facts() {
  int device = 0, driver = 0, runtime = 0;
  cudaDeviceProp properties{};
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&properties, device));
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&runtime));
  return {{"name", properties.name},
          {"compute_capability", std::to_string(properties.major) + "." + std::to_string(properties.minor)},
          {"multiprocessors", properties.multiProcessorCount},
          {"memory_bytes", properties.totalGlobalMem},
          {"l2_bytes", properties.l2CacheSize},
          {"clock_kHz", attribute(cudaDevAttrClockRate)},
          {"memory_clock_kHz", attribute(cudaDevAttrMemoryClockRate)},
          {"memory_bus_bits", attribute(cudaDevAttrGlobalMemoryBusWidth)},
          {"driver_version", driver},
          {"runtime_version", runtime}};
}

double copy_bandwidth(std::size_t bytes) {
  constexpr int kSamples = 20;
  const DeviceArray<char> from{std::int64_t(bytes)}, to{std::int64_t(bytes)};
  check(cudaMemset(from.data(), 0, bytes));
  double best = 0;
  for (int s = 0; s < kSamples; ++s) {
    wait_for_device();
    const auto start = Clock::now();
    check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice));
    wait_for_device();
    best = std::max(best, 2 * double(bytes) / since(start));
  }
  return best;
}

double launch_seconds() {
  constexpr int kSamples = 30, kLaunches = 200;
  std::vector<double> samples;
  for (int s = 0; s < kSamples; ++s) {
    wait_for_device();
    const auto start = Clock::now();
    for (int k = 0; k < kLaunches; ++k) nothing<<<1, 32>>>();
    samples.push_back(since(start) / kLaunches);
  }
  check(cudaGetLastError());
  wait_for_device();
  return median(samples);
}

double round_trip_seconds() {
  constexpr unsigned kSamples = 300;
  unsigned *host = nullptr, *device = nullptr;
  check(cudaHostAlloc(&host, sizeof *host, cudaHostAllocMapped));
  check(cudaHostGetDevicePointer(&device, host, 0));
  volatile unsigned* seen = host;
  *seen = 0;
  std::vector<double> samples;
  for (unsigned s = 1; s <= kSamples; ++s) {
    const auto start = Clock::now();
    answer<<<1, 1>>>(device, s);
    check(cudaGetLastError());
    while (*seen != s && since(start) < 1) {
    }
    samples.push_back(since(start));
  }
  wait_for_device();
  check(cudaFreeHost(host));
  return median(samples);
}

}  // namespace bench::cuda

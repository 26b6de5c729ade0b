#include "executor/host_schedule.h"

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include "base/check.h"

namespace cvl::cuda {
namespace {

/// The schedule whose part this thread runs concurrently, and how often that part has waited.
thread_local const HostSchedule* running = nullptr;
thread_local std::int64_t waits = 0;

}  // namespace

std::uint64_t mixed(std::uint64_t x) {
  x *= 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

Order::Order(std::int64_t n, std::uint64_t random) : n_(n) {
  VC_CHECK(0 <= n && n < std::int64_t{1} << 31);
  if (n <= 1) return;
  const auto size = static_cast<std::uint64_t>(n);
  first_ = static_cast<std::int64_t>(random % size);
  stride_ = 1 + static_cast<std::int64_t>((random >> 32) % (size - 1));
  while (std::gcd(stride_, n) != 1) ++stride_;  // terminates: n - 1 and n are coprime
}

HostSchedule::HostSchedule(Concurrency concurrency) : concurrency_(concurrency), drawn_(mixed(concurrency.seed)) {
  for (int k = 1; k < concurrency.workers; ++k) threads_.emplace_back([this] { work(); });
}

HostSchedule::~HostSchedule() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void HostSchedule::run(std::int64_t n, const std::function<void(std::int64_t)>& part) {
  if (!is_random() || n <= 1) {
    for (std::int64_t k = 0; k < n; ++k) part(k);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    ++launch_;
    busy_ = concurrency_.workers;
    part_ = &part;
    parts_ = n;
    order_ = Order(n, draw());
    pauses_ = draw();
    next_ = 0;
  }
  changed_.notify_all();
  run_parts();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return busy_ == 0; });
}

void HostSchedule::work() {
  for (std::uint64_t launch = 1;; ++launch) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ends_ || launch_ == launch; });
      if (ends_) return;
    }
    run_parts();
  }
}

void HostSchedule::run_parts() {
  running = this;
  while (true) {
    std::int64_t k;
    {
      const std::lock_guard lock(mutex_);
      if (next_ == parts_) break;
      k = next_++;
    }
    const std::uint64_t random = mixed(pauses_ + static_cast<std::uint64_t>(k));
    for (std::uint64_t pauses = random % 4 == 0 ? random / 4 % 16 : 0; pauses > 0; --pauses) std::this_thread::yield();
    waits = 0;
    (*part_)(order_[k]);
  }
  running = nullptr;
  const std::lock_guard lock(mutex_);
  if (--busy_ == 0) changed_.notify_all();
}

void HostSchedule::wait_for_another_part() {
  constexpr std::int64_t kMost = std::int64_t{1} << 26;  // some tens of seconds
  if (running == nullptr) throw std::logic_error("a block waits for what no block before it publishes");
  if (++waits == kMost) {
    std::fprintf(stderr, "cvl-cuda on the host: a block waits for what nobody publishes (%d workers, seed %llu)\n",
                 running->concurrency_.workers, static_cast<unsigned long long>(running->concurrency_.seed));
    std::abort();
  }
  std::this_thread::yield();
}

}  // namespace cvl::cuda

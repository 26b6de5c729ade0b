#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cvl::cuda {

/// How the host executor runs blocks and loops that a device runs concurrently.
struct Concurrency {
  int workers = 0;         ///< number of threads, and so of resident blocks; 0: no concurrency, ascending orders
  std::uint64_t seed = 0;  ///< seed of the random orders of workers
};

/// A well-mixed hash: the finalizer of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014), with Vigna's constants (splitmix64.c, 2015).
std::uint64_t mixed(std::uint64_t x);

/// A permutation of the numbers 0 … n - 1, n < 2^31: the ascending order, or an order chosen by a random number, namely
/// an arithmetic progression modulo n whose stride is coprime to n.
class Order {
 public:
  explicit Order(std::int64_t n) : n_(n) {}
  Order(std::int64_t n, std::uint64_t random);

  std::int64_t operator[](std::int64_t k) const { return (first_ + k * stride_) % n_; }
  template <class F>
  void for_each(F f) const {
    for (std::int64_t k = 0, e = first_; k < n_; ++k) {
      f(e);
      e += stride_;
      if (e >= n_) e -= n_;
    }
  }

 private:
  std::int64_t n_, first_ = 0, stride_ = 1;
};

/// The threads of an executor, which run the parts of one launch at a time: blocks, or chunks of a loop. Without
/// workers the calling thread runs the parts in ascending order. With workers, of which the calling thread is one, the
/// order is random and each worker pauses now and then, so that parts overtake each other.
class HostSchedule {
 public:
  explicit HostSchedule(Concurrency concurrency);
  ~HostSchedule();
  HostSchedule(const HostSchedule&) = delete;
  HostSchedule& operator=(const HostSchedule&) = delete;

  const Concurrency& concurrency() const { return concurrency_; }
  bool is_random() const { return concurrency_.workers > 0; }
  /// The next random number. Called by the launching thread only.
  std::uint64_t draw() { return mixed(++drawn_); }

  /// Calls part(k) for each k below n, and returns when all have returned.
  void run(std::int64_t n, const std::function<void(std::int64_t)>& part);

  /// Called by a part each time it has polled another part's result in vain. Without workers nothing would change, and
  /// std::logic_error is thrown. After tens of seconds of polling the process ends with a message that names the seed.
  static void wait_for_another_part();

 private:
  void work();
  void run_parts();

  const Concurrency concurrency_;
  std::uint64_t drawn_;
  std::vector<std::thread> threads_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex. The members that describe a launch do not change while workers are busy with it.
  std::uint64_t launch_ = 0;
  int busy_ = 0;
  bool ends_ = false;
  const std::function<void(std::int64_t)>* part_ = nullptr;
  std::int64_t parts_ = 0;
  Order order_{1};
  std::uint64_t pauses_ = 0;
  std::int64_t next_ = 0;
};

}  // namespace cvl::cuda

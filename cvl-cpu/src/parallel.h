#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "thread_pool.h"

namespace cvl::cpu {

/// The threads of a backend. Work is cut into blocks of a size that its caller fixes without looking at
/// the number of threads, so what a block computes (and the order in which floats are added) is the same
/// for any number of them. Work of a single block runs in the calling thread; threads are started by the
/// first work that has more.
class Parallel {
 public:
  explicit Parallel(int threads);
  ~Parallel();
  Parallel(const Parallel&) = delete;
  Parallel& operator=(const Parallel&) = delete;

  int threads() const { return threads_; }

  /// Calls body(block) once for each block in [0, blocks). Threads take blocks in increasing order, so a
  /// block may wait for one of a smaller number (but not the other way round).
  template <class Body>
  void for_each(std::int64_t blocks, Body&& body) {
    if (blocks <= 1 || threads_ == 1) {
      for (std::int64_t b = 0; b < blocks; ++b) body(b);
    } else {
      run(
          blocks, [](void* f, std::int64_t b) { (*static_cast<std::remove_reference_t<Body>*>(f))(b); }, (void*)&body);
    }
  }

  /// Calls body(begin, end) for consecutive ranges of `block` items that make up [0, items).
  template <class Body>
  void for_ranges(std::int64_t items, std::int64_t block, Body&& body) {
    for_each((items + block - 1) / block, [&](std::int64_t b) { body(b * block, std::min(items, (b + 1) * block)); });
  }

 private:
  using Call = void(void* body, std::int64_t block);
  void run(std::int64_t blocks, Call* call, void* body);

  int threads_;
  std::unique_ptr<ThreadPool> pool_;  ///< made on first use
};

}  // namespace cvl::cpu

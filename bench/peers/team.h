#pragma once

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>

#include <cstdint>

namespace peers {

/// The threads that a peer uses.
class Team {
 public:
  explicit Team(int threads) : arena_(threads) {}

  int threads() const { return arena_.max_concurrency(); }

  /// Calls f(chunk, begin, end) for each chunk of `grain` elements of [0, n). A single thread calls in order.
  template <class F>
  void for_chunks(std::int64_t n, std::int64_t grain, F&& f) {
    const std::int64_t chunks = (n + grain - 1) / grain;
    const auto one = [&](std::int64_t chunk) {
      const std::int64_t begin = chunk * grain;
      f(chunk, begin, begin + grain < n ? begin + grain : n);
    };
    if (chunks <= 1 || threads() == 1) {
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk) one(chunk);
      return;
    }
    arena_.execute([&] { tbb::parallel_for<std::int64_t>(0, chunks, one); });
  }

  /// Calls f and g, concurrently if threads are free. Either may call both() itself.
  template <class F, class G>
  void both(F&& f, G&& g) {
    if (threads() == 1) {
      f();
      g();
      return;
    }
    arena_.execute([&] { tbb::parallel_invoke(f, g); });
  }

 private:
  tbb::task_arena arena_;
};

}  // namespace peers

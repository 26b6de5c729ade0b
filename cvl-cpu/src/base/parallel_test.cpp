#include "base/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace cvl::cpu {
namespace {

TEST(Parallel, CallsForEachBlockOnce) {
  for (const int threads : {1, 2, 3, 7}) {
    Parallel parallel(threads);
    for (const std::int64_t blocks : {0, 1, 2, 3, 6, 8, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(blocks)), calls_in_order(calls.size());
      parallel.for_each(blocks, [&](std::int64_t b) { ++calls[static_cast<std::size_t>(b)]; });
      parallel.for_each_in_order(blocks, [&](std::int64_t b) { ++calls_in_order[static_cast<std::size_t>(b)]; });
      for (std::size_t b = 0; b < calls.size(); ++b) {
        EXPECT_EQ(calls[b], 1) << "block " << b << " of " << blocks << ", " << threads << " threads";
        EXPECT_EQ(calls_in_order[b], 1) << "block " << b << " of " << blocks << ", " << threads << " threads";
      }
    }
  }
}

TEST(Parallel, BlocksInOrderMayWaitForTheBlockBefore) {
  Parallel parallel(3);
  std::atomic<std::int64_t> done = 0;
  parallel.for_each_in_order(500, [&](std::int64_t b) {
    while (done.load() < b) std::this_thread::yield();
    done = b + 1;
  });
  EXPECT_EQ(done, 500);
}

TEST(Parallel, ThreadCountsOfTwoPoolsAreIndependent) {
  Parallel one(1), two(2);
  std::atomic<int> here = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  two.for_each(2, [&](std::int64_t) {
    ++here;
    while (here < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  });
  EXPECT_LT(std::chrono::steady_clock::now(), deadline) << "one thread did both";
}

TEST(Parallel, IdleThreadsTakeBlocksOfOtherShares) {
  // The blocks of one share wait until a thread that does not own the share has taken one of them, however long that
  // takes on a busy machine.
  Parallel parallel(2);
  std::mutex mutex;
  std::condition_variable changed;
  std::thread::id owner;
  bool helped = false;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  parallel.for_each(64, [&](std::int64_t b) {
    if (b >= 32) return;
    std::unique_lock lock(mutex);
    if (owner == std::thread::id()) owner = std::this_thread::get_id();
    helped = helped || owner != std::this_thread::get_id();
    changed.notify_all();
    changed.wait_until(lock, deadline, [&] { return helped; });
  });
  EXPECT_TRUE(helped) << "one thread did all of the slow share";
}

}  // namespace
}  // namespace cvl::cpu

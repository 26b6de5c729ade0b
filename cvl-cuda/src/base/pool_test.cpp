#include "base/pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <utility>

namespace cvl::cuda {
namespace {

/// A memory source of limited size that counts its calls.
struct CountingSource final : MemorySource {
  std::size_t left = std::size_t{1} << 20;
  std::size_t unsettled = 0;  ///< bytes released that cannot be allocated yet
  int asked = 0, given_back = 0;

  void* take(std::size_t bytes) noexcept override {
    ++asked;
    if (bytes > left) return nullptr;
    left -= bytes;
    return std::malloc(bytes);
  }
  void give_back(void* data, std::size_t bytes) noexcept override {
    ++given_back;
    unsettled += bytes;
    std::free(data);
  }
  void settle() noexcept override { left += std::exchange(unsettled, 0); }
};

TEST(PoolTest, ReusesReleasedBlocksWithoutTheSource) {
  CountingSource source;
  {
    Pool pool(source, 1 << 20, Keeping::kAll);
    for (int k = 0; k < 100; ++k) {
      void* a = pool.allocate(1000);
      void* b = pool.allocate(70000);
      ASSERT_NE(a, nullptr);
      ASSERT_NE(b, nullptr);
      pool.deallocate(a, 1000);
      pool.deallocate(b, 70000);
    }
    EXPECT_EQ(source.asked, 2);
    EXPECT_EQ(pool.use().live, 0u);
    EXPECT_EQ(pool.use().peak, 71000u);
    EXPECT_GE(pool.use().held, 71000u);
  }
  EXPECT_EQ(source.given_back, 2);
  EXPECT_EQ(source.left + source.unsettled, std::size_t{1} << 20);
}

TEST(PoolTest, BlocksThatWaitAreNotReusedBefore) {
  CountingSource source;
  Pool pool(source, 1 << 20, Keeping::kAll);
  void* const a = pool.allocate(1000);
  pool.deallocate(a, 1000, true);
  EXPECT_EQ(pool.use().live, 0u);
  void* const b = pool.allocate(1000);
  EXPECT_NE(b, a);
  pool.end_waiting();
  void* const c = pool.allocate(1000);
  EXPECT_EQ(c, a);
  pool.deallocate(b, 1000);
  pool.deallocate(c, 1000, true);
  pool.give_back();
  EXPECT_EQ(pool.use().held, 0u);
}

TEST(PoolTest, CachesNoBlocksForAMemoryChecker) {
  CountingSource source;
  Pool pool(source, 1 << 20, Keeping::kNone);
  void* data = pool.allocate(1000);
  EXPECT_EQ(pool.use().held, 1000u);
  pool.deallocate(data, 1000);
  EXPECT_EQ(source.given_back, 1);
  EXPECT_EQ(pool.use().held, 0u);
  data = pool.allocate(0);
  EXPECT_NE(data, nullptr);
  pool.deallocate(data, 0);
}

TEST(PoolTest, SizesAreNotRoundedUpByMoreThanAnEighth) {
  CountingSource source;
  for (std::size_t bytes = 2100; bytes < 600000; bytes += bytes / 7) {
    Pool pool(source, 1 << 20, Keeping::kAll);
    void* data = pool.allocate(bytes);
    EXPECT_LE(pool.use().held, bytes + bytes / 8 + 256);
    pool.deallocate(data, bytes);
  }
}

TEST(PoolTest, RefusesAllocationsBeyondTheLimit) {
  CountingSource source;
  Pool pool(source, 5000, Keeping::kAll);
  void* data = pool.allocate(4000);
  EXPECT_NE(data, nullptr);
  EXPECT_EQ(pool.allocate(1001), nullptr);
  EXPECT_EQ(source.asked, 1);
  pool.deallocate(data, 4000);
}

TEST(PoolTest, RefusesSizesThatCannotBeRoundedUp) {
  CountingSource source;
  Pool pool(source, SIZE_MAX, Keeping::kAll);
  for (std::size_t below : {0, 10, 1000}) EXPECT_EQ(pool.allocate(SIZE_MAX - below), nullptr);
  EXPECT_EQ(source.asked, 0);
}

TEST(PoolTest, CachedBlocksCountAgainstTheLimit) {
  CountingSource source;
  source.left = std::size_t{1} << 30;
  constexpr std::size_t kLimit = 1 << 20;
  Pool pool(source, kLimit, Keeping::kAll);
  // Blocks of every size, each of which alone is within the limit.
  for (std::size_t bytes = 1000; bytes < kLimit; bytes += bytes / 9) {
    void* data = pool.allocate(bytes);
    ASSERT_NE(data, nullptr) << bytes;
    EXPECT_LE(pool.use().held, kLimit + kLimit / 8);
    pool.deallocate(data, bytes);
  }
}

TEST(PoolTest, LeavesAReserveToTheDriver) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  EXPECT_EQ(limit_for(4096 * kMiB), 3840 * kMiB);
  EXPECT_EQ(limit_for(64 * 1024 * kMiB), 62 * 1024 * kMiB);
  EXPECT_EQ(limit_for(300 * kMiB), 150 * kMiB);
}

TEST(PoolTest, ReturnsCachedBlocksBeforeAnAllocationFails) {
  CountingSource source;
  Pool pool(source, std::size_t{1} << 30, Keeping::kAll);
  void* small = pool.allocate(600000);
  pool.deallocate(small, 600000);
  void* large = pool.allocate(900000);
  EXPECT_NE(large, nullptr);
  EXPECT_EQ(pool.allocate(900000), nullptr);
  EXPECT_EQ(pool.use().live, 900000u);
  pool.deallocate(large, 900000);
}

}  // namespace
}  // namespace cvl::cuda

#include "layout/rank_memory.h"

#include <gtest/gtest.h>

#include <cstring>

#include "oracle.h"

namespace cvl::mpi {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(RankMemory, CountsThePartOfARank) {
  const auto inner = conformance::make_oracle({});
  const Distribution distribution(4, 1024);
  RankMemory memory(*inner, distribution, 64 * kMiB);
  void* const data = memory.allocate(80 * kMiB);
  ASSERT_NE(data, nullptr);
  EXPECT_LE(memory.use().live, 21 * kMiB);
  // Element e is at its place in the whole vector on every rank.
  static_cast<char*>(data)[80 * kMiB - 1] = 1;
  EXPECT_EQ(memory.allocate(200 * kMiB), nullptr);
  EXPECT_FALSE(memory.failed());
  memory.deallocate(data, 80 * kMiB);
  EXPECT_EQ(memory.use().live, 0u);
}

TEST(RankMemory, ReusesRangesAndReturnsThemIfMemoryIsShort) {
  const auto inner = conformance::make_oracle({});
  const Distribution distribution(2, 1024);
  RankMemory memory(*inner, distribution, 64 * kMiB);
  void* const first = memory.allocate(10 * kMiB);
  memory.deallocate(first, 10 * kMiB);
  EXPECT_GT(memory.use().held, 0u);
  EXPECT_EQ(memory.allocate(10 * kMiB), first);
  memory.deallocate(first, 10 * kMiB);
  void* const large = memory.allocate(120 * kMiB);
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(memory.use().held, memory.use().live);
  memory.deallocate(large, 120 * kMiB);
}

TEST(RankMemory, ShrinksWhatItCounts) {
  const auto inner = conformance::make_oracle({});
  const Distribution distribution(2, 1024);
  RankMemory memory(*inner, distribution, 64 * kMiB);
  void* const data = memory.allocate(20 * kMiB);
  std::memset(data, 1, kMiB);
  const std::size_t now = memory.shrink(data, 20 * kMiB, kMiB);
  EXPECT_EQ(now, kMiB);
  EXPECT_LE(memory.use().live, kMiB);
  EXPECT_EQ(static_cast<char*>(data)[kMiB - 1], 1);
  memory.deallocate(data, now);
  EXPECT_EQ(memory.use().live, 0u);
}

}  // namespace
}  // namespace cvl::mpi

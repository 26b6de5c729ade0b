#include "base/device_faults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace cvl::cuda {
namespace {

struct DeviceFaultsTest : testing::Test {
  FaultRecord record;
  std::uint32_t known = 0;

  Faults of(std::uint32_t site) { return {&record, &known, site}; }
};

TEST_F(DeviceFaultsTest, TheSmallestPositionStays) {
  const Faults faults = of(0);
  faults.report(FaultKind::kIndexRange, 7, 70, 3);
  faults.report(FaultKind::kDuplicateTarget, 5, 50);
  faults.report(FaultKind::kIndexRange, 6, 60, 3);
  EXPECT_EQ(known, 1u);
  EXPECT_EQ(record.kind, FaultKind::kDuplicateTarget);
  EXPECT_EQ(record.site, 0u);
  EXPECT_EQ(record.position, 5u);
  EXPECT_EQ(record.value, 50);
  EXPECT_EQ(record.bound, 0);
  EXPECT_EQ(record.lock, 0u);
}

TEST_F(DeviceFaultsTest, APositionOfZeroIsReportedFirstAndLast) {
  of(4).report(FaultKind::kDivideByZero, 0, 0);
  of(4).report(FaultKind::kDivideByZero, 1, 0);
  EXPECT_EQ(record.position, 0u);
  EXPECT_EQ(record.kind, FaultKind::kDivideByZero);
  record = {};
  of(4).report(FaultKind::kDivideByZero, 1, 0);
  of(4).report(FaultKind::kDivideByZero, 0, 0);
  EXPECT_EQ(record.position, 0u);
}

TEST_F(DeviceFaultsTest, ALaterOperationDoesNotReplaceAnEarlierOne) {
  of(3).report(FaultKind::kIndexRange, 9, 90, 1);
  of(4).report(FaultKind::kDivideByZero, 2, 20);
  EXPECT_EQ(record.site, 3u);
  EXPECT_EQ(record.position, 9u);
  EXPECT_EQ(record.kind, FaultKind::kIndexRange);
}

TEST_F(DeviceFaultsTest, ThreadsInAnyOrderLeaveTheSmallestPositionWithItsOwnValue) {
  constexpr std::size_t kThreads = 4, kEach = 5000;
  std::vector<std::int64_t> positions(kThreads * kEach);
  std::iota(positions.begin(), positions.end(), 3);
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::shuffle(positions.begin(), positions.end(), std::mt19937(seed));
    record = {};
    known = 0;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        for (std::size_t k = t * kEach; k < (t + 1) * kEach; ++k)
          of(1).report(FaultKind::kIndexRange, positions[k], 10 * positions[k], 100 * positions[k]);
      });
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(known, 1u);
    ASSERT_EQ(record.position, 3u) << "seed " << seed;
    ASSERT_EQ(record.value, 30) << "seed " << seed;
    ASSERT_EQ(record.bound, 300) << "seed " << seed;
    ASSERT_EQ(record.kind, FaultKind::kIndexRange);
  }
}

}  // namespace
}  // namespace cvl::cuda

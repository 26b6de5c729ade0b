#include "executor/host_executor.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "base/atomics.h"
#include "executor/executor.h"

namespace cvl::cuda {
namespace {

constexpr std::size_t kMemory = std::numeric_limits<std::size_t>::max();

TEST(OrderTest, GoesThroughAllNumbersOnce) {
  for (std::int64_t n : {0, 1, 2, 3, 4, 6, 64, 97, 300, 2048})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Order order(n, mixed(seed));
      std::vector<std::int64_t> seen;
      order.for_each([&](std::int64_t k) { seen.push_back(k); });
      ASSERT_EQ(std::ssize(seen), n);
      for (std::int64_t k = 0; k < n; ++k) ASSERT_EQ(order[k], seen[static_cast<std::size_t>(k)]);
      std::vector<std::int64_t> all(static_cast<std::size_t>(n));
      std::iota(all.begin(), all.end(), 0);
      ASSERT_TRUE(std::is_permutation(seen.begin(), seen.end(), all.begin(), all.end())) << n << ", seed " << seed;
    }
}

TEST(OrderTest, DependsOnTheRandomNumber) {
  std::set<std::vector<std::int64_t>> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<std::int64_t> seen;
    Order(100, mixed(seed)).for_each([&](std::int64_t k) { seen.push_back(k); });
    orders.insert(seen);
  }
  EXPECT_EQ(orders.size(), 20u);
}

struct HostExecutorTest : testing::TestWithParam<int> {
  HostExecutor executor{kMemory, {GetParam(), 17}};
};

TEST_P(HostExecutorTest, LoopsReachEachElementOnce) {
  for (std::int64_t n : {0, 1, 2, 1000, 50000}) {
    std::vector<int> times(static_cast<std::size_t>(n)), mapped(times);
    executor.for_each(n, [&](std::int64_t e) { ++times[static_cast<std::size_t>(e)]; });
    EXPECT_EQ(std::count(times.begin(), times.end(), 1), n);
    std::iota(mapped.begin(), mapped.end(), 0);
    // In place.
    executor.map<int>(
        n, [&](std::int64_t e) { return 2 * mapped[static_cast<std::size_t>(e)]; },
        [&](std::int64_t e, int x) { mapped[static_cast<std::size_t>(e)] = x; });
    for (std::size_t e = 0; e < mapped.size(); ++e) ASSERT_EQ(mapped[e], 2 * static_cast<int>(e));
  }
}

TEST_P(HostExecutorTest, BlocksMayWaitForThoseThatBeganBefore) {
  constexpr std::int64_t kBlocks = 500;
  for (int times = 0; times < 5; ++times) {
    std::vector<std::int64_t> values(kBlocks);
    std::vector<std::uint32_t> known(kBlocks);
    std::uint32_t begun = 0;
    const Published<std::int64_t> published{values.data(), known.data()};
    executor.tiles_in_order<int>(kBlocks, &begun, [&](Block& block) {
      const std::int64_t k = block.index();
      const std::int64_t before =
          published.fold(k == 0 ? 0 : k - 1, k == 0 ? 0 : 1, std::int64_t{0}, [](auto a, auto b) { return a + b; });
      published.put(k, before + k);
    });
    EXPECT_EQ(values.back(), kBlocks * (kBlocks - 1) / 2);
  }
}

TEST_P(HostExecutorTest, ScansCombineInOrder) {
  const std::int64_t n = 1000;
  std::vector<std::string> letters, results(n);
  for (std::int64_t e = 0; e < n; ++e) letters.push_back(std::string(1, static_cast<char>('a' + e % 26)));
  executor.scan(
      n, std::string(), [](const std::string& a, const std::string& b) { return a + b; },
      [&](std::int64_t e) { return letters[static_cast<std::size_t>(e)]; },
      [&](std::int64_t e, const std::string& x) { results[static_cast<std::size_t>(e)] = x; });
  std::string before;
  for (std::size_t e = 0; e < letters.size(); before += letters[e++]) ASSERT_EQ(results[e], before);
}

TEST_P(HostExecutorTest, ARefusedLaunchThrows) {
  int runs = 0;
  const auto launch = [&] { executor.for_each(1, [&](std::int64_t) { ++runs; }); };
  executor.refuse_launch(2);
  launch();
  EXPECT_THROW(launch(), OutOfMemory);
  launch();
  EXPECT_EQ(runs, 2);
}

INSTANTIATE_TEST_SUITE_P(Workers, HostExecutorTest, testing::Values(0, 1, 4));

TEST(HostExecutorWithoutWorkersTest, ABlockThatWaitsInVainThrows) {
  HostExecutor executor(kMemory);
  std::int64_t value = 0;
  std::uint32_t known = 0;
  const Published<std::int64_t> published{&value, &known};
  EXPECT_THROW(executor.tiles<int>(
                   1, [&](Block&) { published.fold(0, 1, std::int64_t{0}, [](auto a, auto b) { return a + b; }); }),
               std::logic_error);
}

}  // namespace
}  // namespace cvl::cuda

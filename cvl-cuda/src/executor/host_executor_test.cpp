#include "executor/host_executor.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "executor/blocks.h"

namespace cvl::cuda {
namespace {

constexpr std::size_t kMemory = std::numeric_limits<std::size_t>::max();

TEST(OrderTest, VisitsEachNumberOnce) {
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

TEST_P(HostExecutorTest, LoopsVisitEachElementOnce) {
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

struct Count {
  std::int64_t value;
  Payload payload() const { return {static_cast<std::uint64_t>(value), 0}; }
  static Count from(const Payload& p) { return {static_cast<std::int64_t>(p.low)}; }
};
const auto kAddCounts = [](Count a, Count b) { return Count{a.value + b.value}; };

TEST_P(HostExecutorTest, BlocksMayWaitForEarlierBlocks) {
  constexpr std::int64_t kBlocks = 500;
  for (int times = 0; times < 5; ++times) {
    std::int64_t last = -1;
    executor.tiles_in_order<NothingShared>(kBlocks, kBlocks, [&](Block& block, NothingShared&, const Board& board) {
      const std::int64_t k = block.index();
      Items<std::int64_t> items;
      block.fill(items, [](int) { return std::int64_t{0}; });
      block.scan<false>(
          items, std::int64_t{0}, std::int64_t{0}, NoHeads{}, [](auto a, auto b) { return a + b; },
          [&](std::int64_t, bool) {
            const Count before =
                BoardRead<Count>(block, board, k == 0 ? 0 : k - 1, k == 0 ? 0 : 1).fold({0}, kAddCounts);
            board.put(k, Count{before.value + k}.payload());
            if (k == kBlocks - 1) last = before.value + k;
            return before.value;
          });
    });
    EXPECT_EQ(last, kBlocks * (kBlocks - 1) / 2);
  }
}

TEST_P(HostExecutorTest, TheLastBlockCallsFinish) {
  for (std::int64_t n : {1, 2, 100}) {
    std::vector<int> done(static_cast<std::size_t>(n));
    int finished = 0;
    executor.tiles_then<NothingShared>(
        n, [&](Block& block, NothingShared&) { done[static_cast<std::size_t>(block.index())] = 1; },
        [&](Block&, NothingShared&) {
          ++finished;
          EXPECT_EQ(std::accumulate(done.begin(), done.end(), 0), n);
        });
    EXPECT_EQ(finished, 1);
  }
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

TEST_P(HostExecutorTest, LaunchesOfThreadsWithAnotherDeviceAreRefused) {
  const UsingDevice other(1);
  EXPECT_THROW(executor.for_each(1, [](std::int64_t) {}), BackendLost);
  int read = 0;
  const Transfer transfer{&read, &read, sizeof read};
  EXPECT_THROW(executor.download(&transfer, 1), BackendLost);
}

TEST(HostExecutorWithoutWorkersTest, WaitingForAnUnwrittenWordThrows) {
  HostExecutor executor(kMemory);
  const auto wait = [&] {
    executor.tiles_in_order<NothingShared>(1, 1, [](Block& block, NothingShared&, const Board& board) {
      Items<int> items{};
      block.scan<false>(
          items, 0, 0, NoHeads{}, [](int a, int b) { return a + b; },
          [&](int, bool) {
            return static_cast<int>(BoardRead<Count>(block, board, 0, 1).fold({0}, kAddCounts).value);
          });
    });
  };
  EXPECT_THROW(wait(), std::logic_error);
  EXPECT_THROW(wait(), std::logic_error);  // words of an earlier launch are not found either
}

/// A memory source of limited size.
struct Source : MemorySource {
  std::vector<std::vector<BoardWord>> blocks;
  std::size_t most = SIZE_MAX;
  void* take(std::size_t bytes) noexcept override {
    if (bytes > most) return nullptr;
    blocks.emplace_back(bytes / sizeof(BoardWord), BoardWord{17, 17, 1});
    return blocks.back().data();
  }
  void give_back(void*, std::size_t) noexcept override {}
  void settle() noexcept override {}
};

TEST(BoardTest, WordsOfOtherLaunchesAreNotFound) {
  Source source;
  Pool pool(source, kMemory);
  BoardMemory boards(pool, source);
  int clears = 0;
  const auto clear = [&](void* data, std::size_t bytes) {
    std::memset(data, 0, bytes);
    ++clears;
  };
  for (const std::int64_t words : {std::int64_t{1}, BoardMemory::kAtFirst, 2 * BoardMemory::kAtFirst, std::int64_t{5}})
    for (int times = 0; times < 3; ++times) {
      const Board board = boards.next(words, clear);
      Payload payload;
      for (const std::int64_t k : {std::int64_t{0}, words - 1}) {
        EXPECT_FALSE(board.get(k, payload));
        board.put(k, {7, 9});
        EXPECT_TRUE(board.get(k, payload));
        EXPECT_EQ(payload.low, 7u);
        EXPECT_EQ(payload.high, 9u);
        if (words == 1) break;
      }
    }
  EXPECT_EQ(clears, 2);
}

TEST(BoardTest, RecoversFromMemoryThatRanOut) {
  Source source;
  Pool pool(source, kMemory);
  BoardMemory boards(pool, source);
  const auto clear = [](void* data, std::size_t bytes) { std::memset(data, 0, bytes); };
  const auto refuse = [](void*, std::size_t) { throw OutOfMemory(0); };
  source.most = sizeof(BoardWord) * BoardMemory::kAtFirst;
  EXPECT_THROW(boards.next(BoardMemory::kAtFirst + 1, clear), OutOfMemory);
  EXPECT_THROW(boards.next(1, refuse), OutOfMemory);
  const Board board = boards.next(1, clear);
  Payload payload;
  EXPECT_FALSE(board.get(0, payload));
}

}  // namespace
}  // namespace cvl::cuda

#include "messages/thread_ranks.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "cvl/backend.h"
#include "rank_threads.h"

namespace cvl::mpi {
namespace {

TEST(ThreadRanks, ExchangeAndReduce) {
  run_ranks(5, [](Messenger& messenger) {
    const int rank = messenger.rank();
    // Rank r sends r + s numbers to rank s.
    std::vector<std::vector<int>> sent(5), received(5);
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    for (int r = 0; r < 5; ++r) {
      const auto at = static_cast<std::size_t>(r), count = static_cast<std::size_t>(rank + r);
      sent[at].assign(count, 100 * rank + r);
      received[at].resize(count);
      outgoing.push_back({sent[at].data(), count * sizeof(int)});
      incoming.push_back({received[at].data(), count * sizeof(int)});
    }
    messenger.exchange(outgoing, incoming);
    for (int r = 0; r < 5; ++r)
      for (const int number : received[static_cast<std::size_t>(r)]) EXPECT_EQ(number, 100 * r + rank);

    std::int64_t numbers[] = {rank, -rank};
    messenger.reduce(numbers, Reduction::kMax);
    EXPECT_EQ(numbers[0], 4);
    EXPECT_EQ(numbers[1], 0);
    messenger.reduce(numbers, Reduction::kSum);
    EXPECT_EQ(numbers[0], 20);
    EXPECT_EQ(messenger.gather_to_all(rank * rank), (std::vector{0, 1, 4, 9, 16}));
    int said = rank;
    messenger.broadcast(&said, sizeof said, 3);
    EXPECT_EQ(said, 3);
    EXPECT_EQ(messenger.exchange_counts({10 * rank, 1, 2, 3, 4}),
              rank == 0 ? (std::vector<std::int64_t>{0, 10, 20, 30, 40}) : std::vector<std::int64_t>(5, rank));
    EXPECT_EQ(messenger.exchange_counts({0, rank, 2, rank, 4, rank, 6, rank, 8, rank}),
              (std::vector<std::int64_t>{2 * rank, 0, 2 * rank, 1, 2 * rank, 2, 2 * rank, 3, 2 * rank, 4}));
  });
}

TEST(ThreadRanks, CountMessagesAndBytes) {
  run_ranks(3, [](Messenger& messenger) {
    messenger.gather_to_all(std::int64_t{1});
    EXPECT_EQ(messenger.counts().bytes, 16);
    messenger.exchange_counts({1, 2, 3});
    EXPECT_EQ(messenger.counts().messages, 0);
    EXPECT_EQ(messenger.counts().bytes, 32);
    const char given[4] = {};
    std::vector<Outgoing> outgoing(3);
    std::vector<Incoming> incoming(3);
    std::vector<std::array<char, 4>> taken(3);
    const MessageCounts before = messenger.counts();
    for (const int other : {0, 1, 2}) {  // nothing to rank 0
      if (other != 0) outgoing[static_cast<std::size_t>(other)] = {given, sizeof given};
      if (messenger.rank() != 0)
        incoming[static_cast<std::size_t>(other)] = {taken[static_cast<std::size_t>(other)].data(), 4};
    }
    messenger.exchange(outgoing, incoming);
    const MessageCounts of_exchange = messenger.counts() - before;
    EXPECT_EQ(of_exchange.messages, messenger.rank() == 0 ? 2 : 1);
    EXPECT_EQ(of_exchange.bytes, messenger.rank() == 0 ? 8 : 4);
    EXPECT_EQ(of_exchange.collectives, 0);
    EXPECT_GE(of_exchange.seconds, 0.0);
    EXPECT_EQ(messenger.counts().rounds, 3);
    EXPECT_EQ(messenger.counts().collectives, 2);
  });
}

TEST(ThreadRanks, NoticeThatRanksDisagree) {
  run_ranks(2, [](Messenger& messenger) {
    std::int64_t number = 0;
    const auto call = [&] {
      messenger.rank() == 0 ? messenger.broadcast(&number, sizeof number, 0)
                            : messenger.reduce({&number, 1}, Reduction::kSum);
    };
    EXPECT_THROW(call(), std::exception);
  });
  run_ranks(2, [](Messenger& messenger) {
    const char bytes[8] = {};
    char received[8];
    const std::vector<Outgoing> outgoing(2, {bytes, 4});
    const std::vector<Incoming> incoming(2, {received, messenger.rank() == 0 ? std::size_t{4} : std::size_t{8}});
    EXPECT_THROW(messenger.exchange(outgoing, incoming), std::exception);
  });
}

TEST(ThreadRanks, DoNotWaitForARankThatHasFailed) {
  run_ranks(3, [](Messenger& messenger) {
    const auto call = [&] { messenger.rank() == 2 ? messenger.fail("no memory") : (void)messenger.gather_to_all(1); };
    EXPECT_THROW(call(), BackendLost);
  });
}

}  // namespace
}  // namespace cvl::mpi

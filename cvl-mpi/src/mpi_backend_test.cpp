#include "mpi_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "oracle.h"
#include "rank_threads.h"

namespace cvl::mpi {
namespace {

constexpr std::int64_t kLength = 1 << 12;
constexpr int kRanks = 4;

/// A rank's backend, with blocks of 64 elements.
struct RankBackend {
  explicit RankBackend(std::unique_ptr<Messenger> of_rank)
      : messenger(of_rank.get()),
        backend(make_mpi_backend(conformance::make_oracle({}, conformance::Addresses::kAnyHost), std::move(of_rank),
                                 {.block = 64, .memory_limit = std::size_t{1} << 30})) {}
  ~RankBackend() {
    for (const auto& [data, bytes] : blocks) backend->deallocate(data, bytes);
  }

  void* allocate(std::int64_t length, std::size_t size) {
    const std::size_t bytes = static_cast<std::size_t>(length) * size;
    blocks.emplace_back(backend->allocate(bytes), bytes);
    return blocks.back().first;
  }
  template <class T>
  Operand place(const std::vector<T>& elements) {
    void* const data = allocate(std::ssize(elements), sizeof(T));
    backend->upload(data, elements.data(), elements.size() * sizeof(T));
    return {vcode::kElemTypeOf<T>, std::ssize(elements), data};
  }
  Result fresh(ElemType type, std::int64_t length) { return {type, length, allocate(length, elem_size(type))}; }
  template <class T>
  std::vector<T> read(const Result& result) {
    std::vector<T> elements(static_cast<std::size_t>(result.length));
    backend->download(elements.data(), result.data, elements.size() * sizeof(T));
    return elements;
  }
  /// The messages since the last call.
  MessageCounts take_counts() {
    const MessageCounts now = messenger->counts();
    return now - std::exchange(counted, now);
  }

  Messenger* messenger;
  std::unique_ptr<Backend> backend;
  std::vector<std::pair<void*, std::size_t>> blocks;
  MessageCounts counted;
};

template <class Body>
void run_backends(Body&& body) {
  ThreadRanks team(kRanks);
  std::vector<std::thread> threads;
  for (int r = 0; r < kRanks; ++r)
    threads.emplace_back([&, r] {
      RankBackend rank(team.messenger(r));
      body(rank);
    });
  for (std::thread& thread : threads) thread.join();
}

std::vector<std::int32_t> numbers(std::int64_t length) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(length));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(MpiBackend, ElementwiseOperationsSendNothing) {
  run_backends([](RankBackend& rank) {
    const Operand a = rank.place(numbers(kLength));
    const Result sum = rank.fresh(ElemType::kI32, kLength);
    const Operand operands[] = {a, a};
    rank.backend->run(Elementwise{Op::kAdd, operands, sum});
    EXPECT_EQ(rank.take_counts().rounds, 0);
    const std::vector<std::int32_t> sums = rank.read<std::int32_t>(sum);
    EXPECT_EQ(rank.take_counts().rounds, 1);
    for (std::int64_t e = 0; e < kLength; ++e) ASSERT_EQ(sums[static_cast<std::size_t>(e)], 2 * e);
  });
}

TEST(MpiBackend, AScanOfOneSegmentExchangesACarry) {
  run_backends([](RankBackend& rank) {
    const Operand a = rank.place(numbers(kLength));
    const Result sums = rank.fresh(ElemType::kI32, kLength);
    rank.backend->run(Scan{Monoid::kSum, a, SegmentDescriptor::single(kLength), sums});
    const MessageCounts counts = rank.take_counts();
    EXPECT_EQ(counts.rounds, 1);
    EXPECT_EQ(counts.bytes, rank.messenger->rank() == kRanks - 1 ? 0 : 4 * (kRanks - 1));
    EXPECT_EQ(rank.read<std::int32_t>(sums)[100], 4950);
  });
}

TEST(MpiBackend, SumsOfRowsAreLocalIfNoRowContinues) {
  run_backends([](RankBackend& rank) {
    const Operand a = rank.place(std::vector<double>(kLength, 0.5));
    const Result sums = rank.fresh(ElemType::kF64, kLength / 2);
    rank.backend->run(Reduce{Monoid::kSum, a, {kLength / 2, kLength, 2}, sums});
    EXPECT_EQ(rank.take_counts().rounds, 0);
    EXPECT_EQ(rank.read<double>(sums), std::vector<double>(kLength / 2, 1.0));
  });
}

TEST(MpiBackend, AGatherFetchesEachPositionOnce) {
  run_backends([](RankBackend& rank) {
    const Operand a = rank.place(numbers(kLength));
    // Each rank wants the same two elements, of rank 0 and of rank 3, many times.
    std::vector<std::int32_t> indices(kLength, 5);
    for (std::size_t e = 1; e < indices.size(); e += 2) indices[e] = kLength - 1;
    const Operand i = rank.place(indices);
    const Result result = rank.fresh(ElemType::kI32, kLength);
    const SegmentDescriptor single = SegmentDescriptor::single(kLength);
    rank.backend->run(Gather{a, i, {}, single, single, result});
    // Counts with whether there is a fault, codes of one position in 17 bytes, and elements of 4 bytes.
    const bool is_owner = rank.messenger->rank() == 0 || rank.messenger->rank() == kRanks - 1;
    EXPECT_EQ(rank.take_counts().bytes, 16 * (kRanks - 1) + (is_owner ? 17 + 4 * (kRanks - 1) : 34));
    EXPECT_EQ(rank.read<std::int32_t>(result), indices);
  });
}

TEST(MpiBackend, AVectorBecomesWholeWhenAllRanksReadItAgainAndAgain) {
  run_backends([](RankBackend& rank) {
    constexpr std::int64_t kLong = 1 << 15;  // of 128 KiB, which cost as much as two rounds
    const Operand a = rank.place(numbers(kLong)), i = rank.place(std::vector<std::int32_t>{7, kLong - 1});
    const Result few = rank.fresh(ElemType::kI32, 2);
    const SegmentDescriptor from = SegmentDescriptor::single(kLong), to = SegmentDescriptor::single(2);
    const Gather gather{a, i, {}, from, to, few};
    const auto rounds = [&](const VectorOp& op) {
      rank.backend->run(op);
      return rank.take_counts().rounds;
    };
    // All ranks see the same faults, so that only the elements travel: two of them, then all, then none.
    EXPECT_EQ(rounds(gather), 1);
    EXPECT_EQ(rounds(gather), 1);
    EXPECT_EQ(rounds(gather), 0);
    EXPECT_EQ(rank.read<std::int32_t>(few), (std::vector<std::int32_t>{7, kLong - 1}));
    // Elements that all ranks write in place leave it whole; a result of parts is not.
    const Operand v = rank.place(std::vector<std::int32_t>{-1, -2});
    const Result in_place{ElemType::kI32, kLong, const_cast<void*>(a.data)};
    EXPECT_EQ(rounds(Scatter{v, i, {}, a, to, from, in_place}), 0);
    EXPECT_EQ(rounds(gather), 0);
    EXPECT_EQ(rank.read<std::int32_t>(few), (std::vector<std::int32_t>{-1, -2}));
    const Operand operands[] = {a, a};
    EXPECT_EQ(rounds(Elementwise{Op::kAdd, operands, in_place}), 0);
    EXPECT_EQ(rounds(gather), 1);
    EXPECT_EQ(rank.read<std::int32_t>(few), (std::vector<std::int32_t>{-2, -4}));
    std::vector<std::int32_t> expected = numbers(kLong);
    for (std::int32_t& number : expected) number *= 2;
    expected[7] = -2;
    expected.back() = -4;
    EXPECT_EQ(rank.read<std::int32_t>(in_place), expected);
  });
}

TEST(MpiBackend, AFaultOfReplicatedIndicesIsKnownWithoutMessages) {
  run_backends([](RankBackend& rank) {
    const Operand a = rank.place(numbers(kLength)), i = rank.place(std::vector<std::int32_t>{0, kLength});
    const Result few = rank.fresh(ElemType::kI32, 2);
    rank.backend->run(Gather{a, i, {}, SegmentDescriptor::single(kLength), SegmentDescriptor::single(2), few});
    EXPECT_EQ(rank.take_counts().rounds, 1);
    ASSERT_TRUE(rank.backend->has_fault());
    EXPECT_EQ(rank.backend->take_fault().position, 1);
  });
}

TEST(MpiBackend, TheLastWriteToEachOfAFewIndicesIsFoundWithoutMessages) {
  run_backends([](RankBackend& rank) {
    const Operand v = rank.place(std::vector<std::int32_t>{1, 2, 3, 4}),
                  i = rank.place(std::vector<std::int32_t>{9, 4000, 9, 5});
    const Result room = rank.fresh(ElemType::kI32, kLength), latest = rank.fresh(ElemType::kI32, 4);
    rank.backend->run(Latest{v, i, SegmentDescriptor::single(4), SegmentDescriptor::single(kLength), room, latest});
    EXPECT_EQ(rank.take_counts().rounds, 0);
    EXPECT_EQ(rank.read<std::int32_t>(latest), (std::vector<std::int32_t>{3, 2, 3, 4}));
  });
}

TEST(MpiBackend, AVectorIsSortedWithoutSendingItsRanks) {
  run_backends([](RankBackend& rank) {
    std::vector<std::int32_t> elements(kLength);
    for (std::size_t e = 0; e < elements.size(); ++e) elements[e] = static_cast<std::int32_t>(e * 40503 % 4093);
    const Operand a = rank.place(elements);
    const Result ranks = rank.fresh(ElemType::kI32, kLength), sorted = rank.fresh(ElemType::kI32, kLength);
    const SegmentDescriptor all = SegmentDescriptor::single(kLength);
    rank.backend->run(Rank{false, a, all, ranks});
    const Operand indices{ElemType::kI32, kLength, ranks.data};
    rank.backend->run(Scatter{a, indices, {}, {}, all, all, sorted});
    EXPECT_EQ(rank.take_counts().rounds, 6);
    std::vector<std::int32_t> expected = elements;
    std::ranges::sort(expected);
    EXPECT_EQ(rank.read<std::int32_t>(sorted), expected);
    // The ranks are there for other uses.
    const Operand other = rank.place(numbers(kLength));
    rank.backend->run(Scatter{other, indices, {}, {}, all, all, sorted});
    const std::vector<std::int32_t> order = rank.read<std::int32_t>(sorted);
    for (std::size_t k = 1; k < order.size(); ++k) {
      const auto before = static_cast<std::size_t>(order[k - 1]), at = static_cast<std::size_t>(order[k]);
      ASSERT_TRUE(elements[before] < elements[at] || (elements[before] == elements[at] && before < at));
    }
  });
}

/// Checks the ranks of elements in one segment, and that ranks have shares of about the same length: what a rank sends
/// is its elements to other ranks, and their ranks back.
void expect_balanced_ranks(const std::vector<std::int32_t>& elements) {
  std::vector<std::int32_t> order = numbers(std::ssize(elements)), ranks(elements.size());
  std::ranges::stable_sort(order, {}, [&](std::int32_t e) { return elements[static_cast<std::size_t>(e)]; });
  for (std::size_t k = 0; k < order.size(); ++k)
    ranks[static_cast<std::size_t>(order[k])] = static_cast<std::int32_t>(k);
  run_backends([&](RankBackend& rank) {
    const Operand a = rank.place(elements), one = rank.place(std::vector<std::int32_t>{1});
    const Operand numbers_of_one[] = {one, one};
    const Result result = rank.fresh(ElemType::kI32, a.length), sum_of_one = rank.fresh(ElemType::kI32, 1);
    rank.backend->run(Rank{false, a, SegmentDescriptor::single(a.length), result});
    MessageCounts counts = rank.take_counts();
    EXPECT_EQ(counts.rounds, 4);
    // Before another operation, the ranks go back.
    rank.backend->run(Elementwise{Op::kAdd, numbers_of_one, sum_of_one});
    const MessageCounts of_ranks = rank.take_counts();
    EXPECT_EQ(of_ranks.rounds, 1);
    counts += of_ranks;
    const std::int64_t share = a.length / kRanks;
    constexpr std::int64_t kSplitting = 8192;  // bytes for samples and splitters
    EXPECT_LE(counts.bytes, 4 * share + 4 * share * 5 / 4 + kSplitting);
    EXPECT_EQ(rank.read<std::int32_t>(result), ranks);
  });
}

TEST(MpiBackend, ElementsGoAloneByIndicesThatComeAgain) {
  run_backends([](RankBackend& rank) {
    const Operand a = rank.place(numbers(kLength)), zeros = rank.place(std::vector<std::int32_t>(kLength));
    // To the middle, from all parts; the indices change in the end.
    std::vector<std::int32_t> places = numbers(kLength);
    for (std::int32_t& place : places) place = 1024 + place % 2048;
    const Operand i = rank.place(places);
    const Result sums = rank.fresh(ElemType::kI32, kLength);
    const SegmentDescriptor single = SegmentDescriptor::single(kLength);
    std::int64_t bytes = 0;
    for (int call = 0; call < 5; ++call) {
      if (call == 4) {
        places[0] = 7;
        rank.backend->upload(const_cast<void*>(i.data), places.data(), places.size() * sizeof places[0]);
      }
      rank.take_counts();
      rank.backend->run(Accumulate{Monoid::kSum, a, i, zeros, single, single, sums});
      const MessageCounts counts = rank.take_counts();
      const bool is_kept = call == 2 || call == 3;
      EXPECT_EQ(counts.rounds, is_kept ? 1 : 2) << call;
      // 8 bytes for each of the other ranks tell how many elements, and 8 that there is no fault.
      if (call == 0) bytes = (counts.bytes - 16 * (kRanks - 1)) / 2;
      EXPECT_EQ(is_kept ? counts.bytes : bytes, bytes);
      std::vector<std::int32_t> expected(kLength);
      for (std::size_t e = 0; e < places.size(); ++e)
        expected[static_cast<std::size_t>(places[e])] += static_cast<std::int32_t>(e);
      EXPECT_EQ(rank.read<std::int32_t>(sums), expected) << call;
    }
    // A permutation by the same indices, of which some are equal, is at fault each time.
    for (int call = 0; call < 4; ++call) {
      rank.backend->run(Scatter{a, i, {}, {}, single, single, sums});
      EXPECT_EQ(rank.backend->take_fault().kind, FaultKind::kDuplicateTarget);
    }
  });
}

TEST(MpiBackend, RanksOfASegmentAreFoundInEqualShares) {
  constexpr std::int64_t kMany = 1 << 14;
  std::vector<std::int32_t> elements = numbers(kMany);
  expect_balanced_ranks(elements);
  std::ranges::reverse(elements);
  expect_balanced_ranks(elements);
  for (std::size_t e = 0; e < elements.size(); ++e) elements[e] = static_cast<std::int32_t>(e * 40503 % 65536);
  expect_balanced_ranks(elements);
  for (std::size_t e = 0; e < elements.size(); ++e) elements[e] = e % 5 == 0 ? 1 : 0;
  expect_balanced_ranks(elements);
  expect_balanced_ranks(std::vector<std::int32_t>(kMany, 7));
}

TEST(MpiBackend, AFaultOfOneRankIsKnownToAll) {
  run_backends([](RankBackend& rank) {
    std::vector<std::int32_t> divisors(kLength, 1);
    divisors[1000] = 0;
    divisors[4000] = 0;
    const Operand a = rank.place(numbers(kLength)), b = rank.place(divisors);
    const Result result = rank.fresh(ElemType::kI32, kLength);
    const Operand operands[] = {a, b};
    rank.backend->set_site(7);
    rank.backend->run(Elementwise{Op::kDivide, operands, result});
    EXPECT_TRUE(rank.backend->has_fault());
    EXPECT_EQ(rank.take_counts().rounds, 2);
    const Fault fault = rank.backend->take_fault();
    EXPECT_EQ(fault.kind, FaultKind::kDivideByZero);
    EXPECT_EQ(fault.site, 7u);
    EXPECT_EQ(fault.position, 1000);
    EXPECT_EQ(rank.backend->take_fault().kind, FaultKind::kNone);
  });
}

TEST(MpiBackend, ReadsAVectorAsAShorterOne) {
  run_backends([](RankBackend& rank) {
    const Operand a = rank.place(numbers(kLength));
    const Result twice = rank.fresh(ElemType::kI32, kLength), part = rank.fresh(ElemType::kI32, 1000);
    const Operand of_all[] = {a, a};
    rank.backend->run(Elementwise{Op::kAdd, of_all, twice});
    const Operand prefix{ElemType::kI32, 1000, twice.data};
    const Operand of_prefix[] = {prefix, prefix};
    rank.backend->run(Elementwise{Op::kAdd, of_prefix, part});
    const std::vector<std::int32_t> sums = rank.read<std::int32_t>(part);
    for (std::int32_t e = 0; e < 1000; ++e) ASSERT_EQ(sums[static_cast<std::size_t>(e)], 4 * e);
  });
}

TEST(MpiBackend, VectorsOfARankTakeItsShareOfMemory) {
  run_backends([](RankBackend& rank) {
    (void)rank.fresh(ElemType::kF64, std::int64_t{1} << 24);
    EXPECT_LE(rank.backend->memory_use().live, (std::size_t{1} << 27) / kRanks + 4096);
  });
}

}  // namespace
}  // namespace cvl::mpi

#include "exchange/range_exchange.h"

#include <gtest/gtest.h>

#include <numeric>

#include "oracle.h"
#include "rank_threads.h"

namespace cvl::mpi {
namespace {

constexpr std::int64_t kLength = 50;
constexpr std::int32_t kUnknown = -7;

/// A rank with its part of the vector 0, 1, 2, …
struct Holder {
  explicit Holder(Messenger& messenger)
      : inner(conformance::make_oracle({}, conformance::Addresses::kAnyHost)),
        distribution(messenger.ranks(), 4),
        group{*inner, messenger, distribution},
        elements(kLength, kUnknown) {
    const Range part = group.part(kLength);
    std::iota(elements.begin() + part.begin, elements.begin() + part.end, static_cast<std::int32_t>(part.begin));
  }
  Operand vector() const { return {ElemType::kI32, kLength, elements.data()}; }

  std::unique_ptr<Backend> inner;
  Distribution distribution;
  RankGroup group;
  std::vector<std::int32_t> elements;
};

TEST(RangeExchange, FetchesAnyRanges) {
  run_ranks(4, [](Messenger& messenger) {
    Holder holder(messenger);
    for (const Ranges& wants : {Ranges{{0, 50}, {3, 4}, {20, 20}, {11, 47}}, Ranges(4, Range{0, 0})}) {
      const Fetched fetched = fetch(holder.group, holder.vector(), wants);
      const Range mine = wants[static_cast<std::size_t>(messenger.rank())];
      ASSERT_EQ(fetched.elements.length, mine.size());
      for (std::int64_t e = mine.begin; e < mine.end; ++e)
        EXPECT_EQ(static_cast<const std::int32_t*>(fetched.elements.data)[e - mine.begin], e);
    }
  });
}

TEST(RangeExchange, SendsNothingIfEachRankHasItsRange) {
  run_ranks(3, [](Messenger& messenger) {
    Holder holder(messenger);
    const Fetched fetched = fetch(holder.group, holder.vector(), holder.distribution.parts(kLength));
    EXPECT_EQ(fetched.elements.data, holder.elements.data() + holder.group.part(kLength).begin);
    EXPECT_EQ(messenger.counts().rounds, 0);
  });
}

TEST(RangeExchange, FetchesBesideTheOwnPart) {
  run_ranks(3, [](Messenger& messenger) {
    Holder holder(messenger);
    Ranges wants = holder.distribution.parts(kLength);
    for (Range& range : wants) range.begin = std::max<std::int64_t>(0, range.begin - 5);
    const Operand vector = holder.vector();
    fetch_in_place(holder.group, {&vector, 1}, wants);
    const Range mine = wants[static_cast<std::size_t>(messenger.rank())];
    for (std::int64_t e = 0; e < kLength; ++e)
      EXPECT_EQ(holder.elements[static_cast<std::size_t>(e)], mine.contains({e, e + 1}) ? e : kUnknown);
  });
}

TEST(RangeExchange, DeliversToTheParts) {
  run_ranks(4, [](Messenger& messenger) {
    Holder holder(messenger);
    const Ranges haves{{0, 1}, {1, 30}, {30, 30}, {30, 50}};
    const Range mine = haves[static_cast<std::size_t>(messenger.rank())], part = holder.group.part(kLength);
    std::vector<std::int32_t> computed(static_cast<std::size_t>(mine.size()));
    std::iota(computed.begin(), computed.end(), static_cast<std::int32_t>(mine.begin));
    std::fill(holder.elements.begin(), holder.elements.end(), kUnknown);
    deliver(holder.group, computed.data(), haves, {ElemType::kI32, kLength, holder.elements.data()});
    for (std::int64_t e = 0; e < kLength; ++e)
      EXPECT_EQ(holder.elements[static_cast<std::size_t>(e)], part.contains({e, e + 1}) ? e : kUnknown);

    // A short vector goes to every rank.
    const Ranges of_three{{0, 0}, {0, 2}, {2, 3}, {3, 3}};
    const Range own = of_three[static_cast<std::size_t>(messenger.rank())];
    std::int32_t three[3] = {kUnknown, kUnknown, kUnknown}, computed_of_three[2];
    std::iota(computed_of_three, computed_of_three + own.size(), static_cast<std::int32_t>(own.begin));
    deliver(holder.group, computed_of_three, of_three, {ElemType::kI32, 3, three});
    for (int e = 0; e < 3; ++e) EXPECT_EQ(three[e], e);
  });
}

}  // namespace
}  // namespace cvl::mpi

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "backend_fixture.h"
#include "operations/rank_in_blocks.h"

// Ranks of vectors that are too long for one block, by blocks and by sorts.

namespace cvl::cuda {
namespace {

using Lengths = std::vector<int>;

/// A descriptor with offsets and heads, made by the backend.
class Descriptor {
 public:
  Descriptor(Backend& backend, const Lengths& lengths)
      : lengths_(backend, lengths),
        offsets_(backend, lengths.size() + 1),
        nonempty_(backend, lengths.size() + 1),
        heads_(backend, static_cast<std::size_t>(head_words(std::accumulate(lengths.begin(), lengths.end(), 0)))) {
    backend.run(MakeOffsets{lengths_, offsets_, nonempty_});
    descriptor_ = {std::ssize(lengths), std::accumulate(lengths.begin(), lengths.end(), 0), -1,
                   static_cast<const std::int64_t*>(offsets_.data())};
    if (std::ranges::find(lengths, 0) != lengths.end())
      descriptor_.nonempty = static_cast<const std::int32_t*>(nonempty_.data());
    backend.run(MakeSegmentHeads{descriptor_, heads_});
    descriptor_.heads = static_cast<const SegmentHeads*>(heads_.data());
  }
  operator const SegmentDescriptor&() const { return descriptor_; }

 private:
  Vector<int> lengths_;
  Vector<std::int64_t> offsets_;
  Vector<std::int32_t> nonempty_;
  Vector<std::int64_t> heads_;
  SegmentDescriptor descriptor_;
};

/// Elements of which many are equal; of FLOATs some are NaN, and some zeros negative.
template <class T>
std::vector<T> elements(std::size_t n) {
  std::mt19937 random(7);
  std::vector<T> elements(n);
  for (T& element : elements) {
    const int number = static_cast<int>(random() % 41) - 20;
    element = static_cast<T>(number);
    if constexpr (std::is_floating_point_v<T>)
      element = number == 20 ? std::numeric_limits<T>::quiet_NaN() : number == 0 && random() % 2 == 0 ? -T(0) : element;
    else if (number == 20)
      element = random() % 2 == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
  }
  return elements;
}

template <class T, class I>
std::vector<I> ranks_of(const std::vector<T>& elements, const Lengths& lengths, bool descending) {
  std::vector<I> ranks(elements.size());
  const auto is_before = [](T x, T y) {
    if constexpr (std::is_floating_point_v<T>) return !std::isnan(x) && (std::isnan(y) || x < y);
    return x < y;
  };
  const auto precedes = [&](std::size_t e, std::size_t f) {
    return descending ? is_before(elements[f], elements[e]) : is_before(elements[e], elements[f]);
  };
  std::size_t begin = 0;
  for (const int length : lengths) {
    std::vector<std::size_t> order(static_cast<std::size_t>(length));
    std::iota(order.begin(), order.end(), begin);
    std::ranges::stable_sort(order, precedes);
    for (std::size_t k = 0; k < order.size(); ++k) ranks[order[k]] = static_cast<I>(k);
    begin += order.size();
  }
  return ranks;
}

struct RanksTest : BackendTest {
  template <class T, class I>
  void expect_ranks(const Lengths& lengths, const SegmentDescriptor& descriptor) {
    const std::vector<T> given = elements<T>(static_cast<std::size_t>(descriptor.elements));
    const Vector<T> a(backend, given);
    const Vector<I> ranks(backend, given.size());
    for (const bool descending : {false, true}) {
      backend.run(Rank{descending, a, descriptor, ranks});
      std::vector<I> found(given.size());
      backend.download(found.data(), ranks.data(), found.size() * sizeof(I));
      const std::vector<I> expected = ranks_of<T, I>(given, lengths, descending);
      const auto [at, wanted] = std::ranges::mismatch(found, expected);
      ASSERT_TRUE(at == found.end()) << "element " << at - found.begin() << ": " << *at << " instead of " << *wanted;
    }
  }
  void expect_ranks(const Lengths& lengths, const SegmentDescriptor& descriptor) {
    expect_ranks<std::int32_t, std::int32_t>(lengths, descriptor);
    expect_ranks<std::int64_t, std::int64_t>(lengths, descriptor);
    expect_ranks<float, std::int32_t>(lengths, descriptor);
    expect_ranks<double, std::int64_t>(lengths, descriptor);
    EXPECT_EQ(backend.take_fault().kind, FaultKind::kNone);
  }
  /// Launches and waits of a Rank.
  std::vector<std::uint64_t> cost(const SegmentDescriptor& descriptor) {
    const Vector<int> a(backend, elements<int>(static_cast<std::size_t>(descriptor.elements)));
    const Vector<int> ranks(backend, static_cast<std::size_t>(descriptor.elements));
    backend.flush();
    const std::uint64_t waited = waits();
    const std::uint64_t launched = launches_of([&] { backend.run(Rank{false, a, descriptor, ranks}); });
    return {launched, waits() - waited};
  }
};

constexpr int kMost = kRankedInBlock;

TEST_F(RanksTest, RegularSegmentsAreRankedInBlocks) {
  for (const int length : {1, 2, 16, 31, 32, 33, 63, 64, 65, 100, kMost - 1, kMost}) {
    SCOPED_TRACE(length);
    const int segments = 3 * kMost / length + 2;
    const SegmentDescriptor descriptor{segments, std::int64_t{segments} * length, length};
    EXPECT_EQ(cost(descriptor), (std::vector<std::uint64_t>{1, 0}));
    expect_ranks(Lengths(static_cast<std::size_t>(segments), length), descriptor);
  }
}

TEST_F(RanksTest, LongRegularSegmentsAreSorted) {
  const int length = kMost + 1;
  const SegmentDescriptor descriptor{5, 5 * length, length};
  EXPECT_EQ(cost(descriptor), (std::vector<std::uint64_t>{2 + sort_operations(35), 0}));
  expect_ranks(Lengths(5, length), descriptor);
}

/// Lengths whose segments fit into blocks, and the shares of blocks that they begin in.
std::vector<Lengths> short_lengths() {
  std::mt19937 random(3);
  std::vector<Lengths> all;
  for (const unsigned most : {2u, 21u, 70u, static_cast<unsigned>(kMost) / 2 + 1}) {
    all.emplace_back();
    for (int n = 0; n < 6 * kMost; n += all.back().back()) all.back().push_back(static_cast<int>(random() % most));
  }
  // Segments as long as a block that begin with its share, between blocks without segments.
  all.push_back({kMost, kMost, 1, kMost / 2 - 1, kMost, 3, 0, kMost - 10, 5, kMost / 2, kMost / 2, kMost, 0, 0});
  all.push_back({0, 0, kMost / 2, kMost, kMost / 2, kMost / 2, kMost / 2, kMost, kMost / 2, kMost});
  return all;
}

TEST_F(RanksTest, FewElementsNeedNoWait) {
  for (const Lengths& lengths : {Lengths{kMost - 1, 1}, Lengths{0, 300, 1000, 0, 1, 700}, Lengths{1, kMost / 2, 700}}) {
    const Descriptor descriptor(backend, lengths);
    EXPECT_EQ(cost(descriptor), (std::vector<std::uint64_t>{1, 0}));
    expect_ranks(lengths, descriptor);
  }
}

TEST_F(RanksTest, ShortSegmentsOfDifferentLengthsAreRankedInBlocksWithAWait) {
  const std::vector<Lengths> all = short_lengths();
  for (std::size_t k = 0; k < all.size(); ++k) {
    SCOPED_TRACE(k);
    const Descriptor descriptor(backend, all[k]);
    EXPECT_EQ(cost(descriptor), (std::vector<std::uint64_t>{1, 1}));
    expect_ranks(all[k], descriptor);
  }
}

TEST_F(RanksTest, ElementsOfBlocksThatDoNotFitAreSorted) {
  for (const int at : {0, 50, 99}) {
    SCOPED_TRACE(at);
    Lengths lengths(100, 17);
    lengths[static_cast<std::size_t>(at)] = 3 * kMost;
    const Descriptor descriptor(backend, lengths);
    EXPECT_EQ(cost(descriptor), (std::vector<std::uint64_t>{1 + 2 + sort_operations(39), 1}));
    expect_ranks(lengths, descriptor);
  }
}

TEST_F(RanksTest, SeveralBlocksThatDoNotFitAreSortedTogether) {
  std::mt19937 random(5);
  Lengths lengths{2 * kMost, 3, 0, kMost + 1, kMost - 1, 0, 2 * kMost};
  // More blocks than a tile of their numbers.
  for (int n = 0; n < (kTileOf<std::int64_t> + 10) * kMost / 2; n += lengths.back())
    lengths.push_back(static_cast<int>(random() % 500 == 0 ? 2 * kMost + random() % 100 : random() % 61));
  lengths.insert(lengths.end(), {kMost / 2, kMost, 1, kMost + 1});
  const Descriptor descriptor(backend, lengths);
  EXPECT_EQ(cost(descriptor)[1], 1u);
  expect_ranks(lengths, descriptor);
}

TEST_F(RanksTest, LongSegmentsOnTheAverageAreNotTried) {
  const Descriptor descriptor(backend, {2 * kMost, 2 * kMost - 1, 3 * kMost});
  EXPECT_EQ(cost(descriptor), (std::vector<std::uint64_t>{2 + sort_operations(34), 0}));
}

TEST_F(RanksTest, WaitsAreCountedAsThoseForLengths) {
  const Descriptor descriptor(backend, short_lengths()[1]);
  EXPECT_EQ(cost(descriptor)[1], 1u);
  EXPECT_NE(backend.traffic().find("for lengths"), std::string::npos) << backend.traffic();
}

}  // namespace
}  // namespace cvl::cuda

#include "exchange/position_set.h"

#include <gtest/gtest.h>

#include <limits>

namespace cvl::mpi {
namespace {

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
constexpr Range kAll{0, kEnd};

std::vector<std::int64_t> positions_in(const PositionSet& set, Range range) {
  std::vector<std::int64_t> positions;
  set.for_each(range, [&](std::int64_t position) { positions.push_back(position); });
  return positions;
}

void expect_numbered(const std::vector<std::int64_t>& positions, const std::vector<std::int64_t>& sorted) {
  const PositionSet set(positions, kEnd);
  EXPECT_EQ(positions_in(set, kAll), sorted);
  EXPECT_EQ(set.size(), std::ssize(sorted));
  EXPECT_EQ(set.count(kAll), std::ssize(sorted));
  for (std::size_t k = 0; k < sorted.size(); ++k) EXPECT_EQ(set.count_below(sorted[k]), static_cast<std::int64_t>(k));
  if (!sorted.empty()) {
    EXPECT_EQ(set.hull(kAll), (Range{sorted.front(), sorted.back() + 1}));
  }
}

TEST(PositionSet, NumbersEachPositionOnce) {
  expect_numbered({}, {});
  expect_numbered({-1, -1}, {});
  expect_numbered({5}, {5});
  expect_numbered({70, 3, -1, 3, 64, 63, 70}, {3, 63, 64, 70});
}

TEST(PositionSet, HasBitsForAllNumbersIfTheseAreFew) {
  const PositionSet set(std::vector<std::int64_t>{5, 5, 69, -1, 6}, 130);
  EXPECT_TRUE(set.has_bits());
  EXPECT_EQ(positions_in(set, {0, 130}), (std::vector<std::int64_t>{5, 6, 69}));
  EXPECT_FALSE(set.is_dense());
  EXPECT_EQ(PositionSet(std::vector<std::int64_t>{-1, -1, -1}, 130).size(), 0);
}

TEST(PositionSet, TakesPositionsFarApart) {
  const std::int64_t far = std::int64_t{1} << 60;
  expect_numbered({far, 2, far, -1, 2, 0}, {0, 2, far});
}

TEST(PositionSet, IsDenseIfOneOfFourNumbersIsInIt) {
  EXPECT_FALSE(PositionSet({}, kEnd).is_dense());
  EXPECT_TRUE(PositionSet(std::vector<std::int64_t>{1000}, kEnd).is_dense());
  std::vector<std::int64_t> positions;
  for (std::int64_t k = 0; k < 1000; ++k) positions.push_back(4 * k);
  EXPECT_TRUE(PositionSet(positions, kEnd).is_dense());
  for (std::int64_t& position : positions) position *= 2;
  EXPECT_FALSE(PositionSet(positions, kEnd).is_dense());
}

/// Positions as bits, and as a list.
const std::vector<std::vector<std::int64_t>> kSets = {{60, 61, 64, 65, 127, 128, 200, 300, 301},
                                                      {0, 1000000, 1000001, 2000000, 5000000}};

TEST(PositionSet, HasThePositionsOfARange) {
  for (const auto& positions : kSets) {
    const PositionSet set(positions, kEnd);
    EXPECT_EQ(set.has_bits(), positions.back() < 1000);
    for (const std::int64_t begin : positions)
      for (const std::int64_t end : positions) {
        if (begin >= end) continue;
        std::vector<std::int64_t> within;
        for (const std::int64_t position : positions)
          if (begin <= position && position < end) within.push_back(position);
        EXPECT_EQ(positions_in(set, {begin, end}), within);
        EXPECT_EQ(set.count({begin, end}), std::ssize(within));
        EXPECT_EQ(set.hull({begin, end}), (Range{within.front(), within.back() + 1}));
      }
    EXPECT_EQ(set.count({302, 310}), 0);
    EXPECT_TRUE(positions_in(set, {302, 310}).empty());
  }
}

TEST(PositionSet, IsDividedIntoPartsOfEqualCounts) {
  std::vector<std::int64_t> positions;
  for (std::int64_t k = 0; k < 5000; ++k) positions.push_back(k < 2000 ? k : 3 * k);
  for (const std::int64_t stride : {1, 1000}) {
    for (std::int64_t& position : positions) position *= stride;
    const PositionSet set(positions, kEnd);
    EXPECT_EQ(set.has_bits(), stride == 1);
    constexpr std::int64_t kParts = 7;
    const Range whole{positions[10], positions[4990]};
    std::int64_t at = whole.begin;
    for (std::int64_t k = 0; k < kParts; ++k) {
      const Range part = set.part(whole, k, kParts);
      EXPECT_EQ(part.begin, at);
      at = part.end;
      EXPECT_NEAR(static_cast<double>(set.count(part)), 4980.0 / kParts, 65);
    }
    EXPECT_EQ(at, whole.end);
  }
}

}  // namespace
}  // namespace cvl::mpi

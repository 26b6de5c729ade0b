#include "layout/distribution.h"

#include <gtest/gtest.h>

namespace cvl::mpi {
namespace {

TEST(Distribution, ShortVectorsAreOnEveryRank) {
  const Distribution distribution(3, 8);
  EXPECT_FALSE(distribution.is_divided(7));
  EXPECT_TRUE(distribution.is_divided(8));
  for (int r = 0; r < 3; ++r) EXPECT_EQ(distribution.part(7, r), (Range{0, 7}));
  EXPECT_FALSE(Distribution(1, 8).is_divided(1000));
}

TEST(Distribution, PartsAreConsecutiveBlocksOfBalancedNumber) {
  for (const int ranks : {2, 3, 5, 8})
    for (const std::int64_t length : {4, 5, 7, 8, 9, 100, 1023, 1024}) {
      const Distribution distribution(ranks, 4);
      const Ranges parts = distribution.parts(length);
      std::int64_t at = 0, least = length, most = 0;
      for (const Range& part : parts) {
        EXPECT_EQ(part.begin, at);
        EXPECT_TRUE(part.begin % 4 == 0);
        at = part.end;
        const std::int64_t blocks = (part.size() + 3) / 4;
        least = std::min(least, blocks);
        most = std::max(most, blocks);
      }
      EXPECT_EQ(at, length);
      EXPECT_LE(most - least, 1) << ranks << " ranks, " << length << " elements";
    }
}

TEST(Distribution, KnowsTheOwnerOfAnElement) {
  for (const int ranks : {2, 3, 7})
    for (const std::int64_t length : {4, 6, 29, 257}) {
      const Distribution distribution(ranks, 4);
      const Ranges parts = distribution.parts(length);
      for (std::int64_t e = 0; e < length; ++e) {
        const int owner = distribution.owner(length, e);
        EXPECT_TRUE(parts[static_cast<std::size_t>(owner)].contains({e, e + 1}));
        EXPECT_EQ(RankFinder(parts)(e), owner);
      }
    }
}

TEST(Distribution, TakesLengthsOf63Bits) {
  const Distribution distribution(1000, 4);
  const std::int64_t length = std::int64_t{1} << 62;
  EXPECT_EQ(distribution.owner(length, 0), 0);
  EXPECT_EQ(distribution.owner(length, length - 1), 999);
  EXPECT_EQ(distribution.part(length, 999).end, length);
}

}  // namespace
}  // namespace cvl::mpi

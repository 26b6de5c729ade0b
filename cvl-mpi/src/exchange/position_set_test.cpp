#include "exchange/position_set.h"

#include <gtest/gtest.h>

namespace cvl::mpi {
namespace {

void expect_numbered(const std::vector<std::int64_t>& positions, const std::vector<std::int64_t>& sorted) {
  const PositionSet set(positions);
  EXPECT_EQ(set.sorted(), sorted);
  EXPECT_EQ(set.size(), std::ssize(sorted));
  for (std::size_t k = 0; k < sorted.size(); ++k) EXPECT_EQ(set.number(sorted[k]), static_cast<std::int64_t>(k));
}

TEST(PositionSet, NumbersEachPositionOnce) {
  expect_numbered({}, {});
  expect_numbered({-1, -1}, {});
  expect_numbered({5}, {5});
  expect_numbered({70, 3, -1, 3, 64, 63, 70}, {3, 63, 64, 70});
}

TEST(PositionSet, KnowsWhetherItIsDense) {
  EXPECT_FALSE(PositionSet(std::vector<std::int64_t>{}).is_dense());
  EXPECT_TRUE(PositionSet(std::vector<std::int64_t>{1000}).is_dense());
  EXPECT_TRUE(PositionSet(std::vector<std::int64_t>{1000, 1015}).is_dense());
  EXPECT_FALSE(PositionSet(std::vector<std::int64_t>{1000, 1016}).is_dense());
}

TEST(PositionSet, TakesPositionsFarApart) {
  const std::int64_t far = std::int64_t{1} << 60;
  expect_numbered({far, 2, far, -1, 2, 0}, {0, 2, far});
}

}  // namespace
}  // namespace cvl::mpi

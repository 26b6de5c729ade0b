#include "exchange/position_code.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace cvl::mpi {
namespace {

constexpr Range kAll{0, std::numeric_limits<std::int64_t>::max()};
constexpr std::int64_t kFar = std::int64_t{1} << 40;
constexpr std::size_t kHeader = 16;

/// The positions of the code of a set, which has so many bytes.
std::vector<std::int64_t> coded(const std::vector<std::int64_t>& positions, std::size_t bytes, Range range = kAll) {
  const PositionSet set(positions, kAll.end);
  EXPECT_EQ(code_size(set, range), bytes);
  std::vector<std::byte> code(bytes, std::byte{0xAA});
  encode(set, range, code.data());
  std::vector<std::int64_t> decoded;
  for_each_position(code, [&](std::int64_t position) { decoded.push_back(position); });
  EXPECT_EQ(header_of(code).count(), std::ssize(decoded));
  return decoded;
}

std::vector<std::int64_t> every(std::int64_t stride, std::int64_t count, std::int64_t first) {
  std::vector<std::int64_t> positions;
  for (std::int64_t k = 0; k < count; ++k) positions.push_back(first + k * stride);
  return positions;
}

TEST(PositionCode, KeepsPositions) {
  EXPECT_EQ(coded({}, 0), (std::vector<std::int64_t>{}));
  EXPECT_EQ(coded({kFar}, kHeader + 4), (std::vector<std::int64_t>{kFar}));
  EXPECT_EQ(coded({0, kFar}, kHeader + 16), (std::vector<std::int64_t>{0, kFar}));
  // A bit for each number where that is shorter.
  EXPECT_EQ(coded(every(1, 1000, 77), kHeader + 128), every(1, 1000, 77));
  EXPECT_EQ(coded(every(31, 1000, kFar), kHeader + 3872), every(31, 1000, kFar));
  EXPECT_EQ(coded(every(33, 1000, kFar), kHeader + 4000), every(33, 1000, kFar));
  // Words without a position.
  EXPECT_EQ(coded({5, 6, 7, 8, 9, 10, 11, 12, 13, 300, 301}, kHeader + 40),
            (std::vector<std::int64_t>{5, 6, 7, 8, 9, 10, 11, 12, 13, 300, 301}));
}

TEST(PositionCode, KeepsPositionsOfARange) {
  EXPECT_EQ(coded(every(1, 1000, 0), kHeader + 8, {62, 66}), every(1, 4, 62));
  EXPECT_EQ(coded(every(1, 1000, 0), kHeader + 8, {62, 100}), every(1, 38, 62));
  EXPECT_EQ(coded(every(kFar, 10, 0), kHeader + 16, {kFar, 3 * kFar}), every(kFar, 2, kFar));
  EXPECT_EQ(coded(every(1, 1000, 0), 0, {1000, 2000}), (std::vector<std::int64_t>{}));
}

}  // namespace
}  // namespace cvl::mpi

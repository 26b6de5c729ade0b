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
  // Distances in groups of seven bits.
  EXPECT_EQ(coded({kFar}, kHeader + 1), (std::vector<std::int64_t>{kFar}));
  EXPECT_EQ(coded({0, kFar}, kHeader + 1 + 6), (std::vector<std::int64_t>{0, kFar}));
  EXPECT_EQ(coded({5, 132, 260}, kHeader + 1 + 1 + 2), (std::vector<std::int64_t>{5, 132, 260}));
  EXPECT_EQ(coded({0, kAll.end - 1}, kHeader + 1 + 9), (std::vector<std::int64_t>{0, kAll.end - 1}));
  EXPECT_EQ(coded(every(9, 1000, kFar), kHeader + 1000), every(9, 1000, kFar));
  EXPECT_EQ(coded(every(200, 1000, 3), kHeader + 1 + 2 * 999), every(200, 1000, 3));
  // A bit for each number where that is shorter.
  EXPECT_EQ(coded(every(1, 1000, 77), kHeader + 128), every(1, 1000, 77));
  EXPECT_EQ(coded(every(7, 1000, kFar), kHeader + 880), every(7, 1000, kFar));
  // Words without a position.
  std::vector<std::int64_t> apart = every(1, 60, 5);
  apart.insert(apart.end(), {300, 301});
  EXPECT_EQ(coded(apart, kHeader + 40), apart);
}

TEST(PositionCode, KeepsPositionsOfARange) {
  EXPECT_EQ(coded(every(1, 1000, 0), kHeader + 4, {62, 66}), every(1, 4, 62));
  EXPECT_EQ(coded(every(1, 1000, 0), kHeader + 8, {62, 100}), every(1, 38, 62));
  EXPECT_EQ(coded(every(kFar, 10, 0), kHeader + 1 + 6, {kFar, 3 * kFar}), every(kFar, 2, kFar));
  EXPECT_EQ(coded(every(1, 1000, 0), 0, {1000, 2000}), (std::vector<std::int64_t>{}));
}

}  // namespace
}  // namespace cvl::mpi

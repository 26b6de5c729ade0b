#include "base/chunks.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

namespace cvl::cpu {
namespace {

/// Checks that the chunks cover all elements and segments in order, that the size of each is `size` or differs from it
/// by less than a grain, and that boundaries within a segment are multiples of a grain.
void expect_tiling(const SegmentDescriptor& descriptor, std::int64_t size, Grain segmentations = {}) {
  const Partition partition(descriptor, size, segmentations);
  const std::int64_t grain = segmentations.elements;
  std::int64_t element = 0, segment = 0;
  for (std::int64_t p = 0; p < partition.chunks(); ++p) {
    const Chunk chunk = partition.chunk(p);
    ASSERT_EQ(chunk.element_begin, element);
    ASSERT_EQ(chunk.segment_begin, segment);
    const std::int64_t items = chunk.element_end - element + chunk.segment_end - segment;
    ASSERT_LT(items, size + grain);
    ASSERT_TRUE(items > size - grain || p == partition.chunks() - 1);
    const std::int64_t start = descriptor.start(chunk.segment_end), from = segmentations.of_segment ? start : 0;
    ASSERT_TRUE((chunk.element_end - from) % grain == 0 || chunk.element_end == start);
    // Segments before segment_end have all their elements before element_end; segment segment_end has not.
    ASSERT_LE(descriptor.start(chunk.segment_end), chunk.element_end);
    if (chunk.segment_end < descriptor.segments) {
      ASSERT_GE(descriptor.start(chunk.segment_end + 1), chunk.element_end);
    }
    element = chunk.element_end;
    segment = chunk.segment_end;
  }
  EXPECT_EQ(element, descriptor.elements);
  EXPECT_EQ(segment, descriptor.segments);
}

SegmentDescriptor irregular(std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& lengths) {
  offsets.assign(1, 0);
  for (std::int64_t n : lengths) offsets.push_back(offsets.back() + n);
  return {static_cast<std::int64_t>(lengths.size()), offsets.back(), -1, offsets.data()};
}

/// Lengths of fewer than `most` segments: many empty, most short, a few long.
std::vector<std::int64_t> random_lengths(std::mt19937& random, std::uint32_t most) {
  std::vector<std::int64_t> lengths(random() % most);
  for (auto& n : lengths) n = random() % 3 == 0 ? 0 : random() % (random() % 20 == 0 ? 500 : 6);
  return lengths;
}

TEST(Partition, CoversRegularSegments) {
  for (std::int64_t length : {0, 1, 2, 3, 7, 100})
    for (std::int64_t segments : {0, 1, 2, 5, 50})
      for (std::int64_t size : {1, 2, 3, 8, 1000}) expect_tiling({segments, segments * length, length, nullptr}, size);
}

TEST(Partition, CoversIrregularSegments) {
  std::vector<std::int64_t> offsets;
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const std::vector<std::int64_t> lengths = random_lengths(random, 40);
    for (std::int64_t size : {1, 2, 5, 64}) expect_tiling(irregular(offsets, lengths), size);
  }
}

TEST(Partition, BoundariesWithinSegmentsAreMultiplesOfAGrain) {
  std::vector<std::int64_t> offsets;
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round)
    for (std::int64_t size : {16, 128})
      for (const bool of_segment : {false, true})
        expect_tiling(irregular(offsets, random_lengths(random, 100)), size, {16, of_segment});
}

TEST(Segments, EndedNearFindsSegmentsFromAnyExpectedPosition) {
  std::vector<std::int64_t> offsets;
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    const std::vector<std::int64_t> lengths = random_lengths(random, 100);
    const SegmentDescriptor descriptor = irregular(offsets, lengths);
    for (std::int64_t e = 0; e <= descriptor.elements; e += 1 + random() % 5) {
      std::int64_t ended = 0;
      while (ended < descriptor.segments && descriptor.start(ended + 1) <= e) ++ended;
      ASSERT_EQ(ended_before(descriptor, e, 0, descriptor.segments), ended);
      for (std::int64_t expected = 0; expected <= descriptor.segments + 2; expected += 1 + random() % 7)
        ASSERT_EQ(ended_near(descriptor, e, 0, descriptor.segments, expected), ended) << expected;
    }
  }
}

TEST(Partition, RegularSegmentsAndTheirOffsetsGiveTheSameChunks) {
  std::vector<std::int64_t> offsets;
  const SegmentDescriptor listed = irregular(offsets, std::vector<std::int64_t>(100, 7));
  const SegmentDescriptor regular{100, 700, 7, nullptr};
  for (std::int64_t p = 0; p < Partition(listed, 13).chunks(); ++p) {
    const Chunk a = Partition(listed, 13).chunk(p), b = Partition(regular, 13).chunk(p);
    EXPECT_EQ(a.element_begin, b.element_begin);
    EXPECT_EQ(a.segment_end, b.segment_end);
  }
}

}  // namespace
}  // namespace cvl::cpu

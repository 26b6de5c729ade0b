/// Handles of the library for clients that define CUDA: numbers of units of one heap at a time.

#include <gtest/gtest.h>

#include <limits>

#include "classic_heap.h"

namespace classic {
namespace {

TEST(ClassicIntegerHandles, CountUnits) {
  const vec_p heap = alo_foz(9);
  EXPECT_GT(heap, 0);
  EXPECT_EQ(add_fov(heap, 7), heap + 7);
  EXPECT_EQ(add_fov(add_fov(heap, 7), -7), heap);
  fre_fov(heap);
}

/// Includes the handle behind a heap of 2^31 - 1 units.
TEST(ClassicIntegerHandles, OfTheLargestHeap) {
  constexpr int kUnits = std::numeric_limits<int>::max();
  Heap heap;
  const vec_p first = heap.take(0), end = add_fov(first, kUnits), last = add_fov(first, kUnits - 1);
  EXPECT_EQ(sub_fov(end, first), kUnits);
  EXPECT_EQ(sub_fov(first, last), kUnits - 1);
  EXPECT_EQ(add_fov(end, -kUnits), first);
  EXPECT_LT(cmp_fov(first, end), 0);
  EXPECT_LT(cmp_fov(last, end), 0);
  EXPECT_GT(cmp_fov(end, last), 0);
}

TEST(ClassicIntegerHandles, OfOneHeapAfterTheOther) {
  for (const double value : {1, 2}) {
    Heap heap;
    EXPECT_EQ(read(heap.vector({'d', {value}}), 'd', 1).values, std::vector<double>{value});
  }
}

TEST(ClassicIntegerHandlesDeathTest, OfTwoHeaps) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const Heap heap;
  EXPECT_EXIT(alo_foz(9), testing::ExitedWithCode(1), "cvl: alo_foz: there is a heap already");
}

}  // namespace
}  // namespace classic

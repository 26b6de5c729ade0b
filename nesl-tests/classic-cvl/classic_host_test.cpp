/// Properties of the library on the host's processor that libraries on a device lack, as these do not wait for it.

#include <gtest/gtest.h>

#include <limits>

#include "classic_heap.h"

namespace classic {
namespace {

/// Numbers that do not fit into an int become the same int as on the machines of the classic library.
TEST(ClassicHost, NumbersOutOfRangeConvertAsOnClassicMachines) {
  Heap heap;
  const double least = -2147483648.0;
  const vec_p x = heap.vector({'d', {1e300, -1e300, 3e9, 0.5, -0.0, std::numeric_limits<double>::quiet_NaN(), 7.5}});
  const vec_p d = heap.vector('z', 7);
  flr_wud(d, x, 7, d);
  EXPECT_EQ(read(d, 'z', 7).values, (std::vector<double>{least, least, least, 0, 0, least, 7}));
}

/// A heap larger than the 16 GiB that the classic interpreter can request; only written memory is used.
TEST(ClassicHost, HeapsMayExceed16GiB) {
  const int size = 3 * siz_fod(1 << 30), last = size - siz_foz(100);
  const vec_p heap = alo_foz(size);
  if (heap == vec_p{}) GTEST_SKIP() << "the system does not give 24 GiB of addresses";
  const vec_p v = add_fov(heap, last);
  EXPECT_EQ(sub_fov(heap, v), last);
  const Elements ones{'z', std::vector<double>(100, 1)};
  write(v, ones);
  mov_fov(heap, v, siz_foz(100), heap);
  EXPECT_EQ(read(heap, 'z', 100).values, ones.values);
  EXPECT_EQ(add_ruz(v, 100, heap), 100);
  fre_fov(heap);
}

TEST(ClassicHostDeathTest, WrongSegmentLengthsStopTheProcess) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  Heap heap;
  const vec_p negative = heap.vector({'z', {4, -1}}), lengths = heap.vector({'z', {1, 0}}), d = heap.take(9);
  const auto stops = testing::ExitedWithCode(1);
  EXPECT_EXIT(mke_fov(d, negative, 3, 2, d), stops, "cvl: mke_fov: length -1 of segment 1 is negative");
  EXPECT_EXIT(mke_fov(d, lengths, 2, 2, d), stops, "cvl: mke_fov: the lengths sum up to 1, but n is 2");
}

}  // namespace
}  // namespace classic

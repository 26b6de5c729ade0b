#include "base/launch_watch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "device_backend.h"

namespace cvl::cuda {
namespace {

TEST(LaunchWatch, NamesKernelGridAndSite) {
  EXPECT_EQ(name_launch("_ZN3cvl3addEl", 12, 256, {5, 5}), "kernel cvl::add(long), 12 blocks of 256 threads, site 5");
  EXPECT_EQ(name_launch("of CUB", 0, 0, {5, 16}), "kernel of CUB, sites 5 to 16");
  EXPECT_EQ(name_launch("k (q.nesl:3)", 1, 256, {0, 0}), "kernel k (q.nesl:3), 1 block of 256 threads, site 0");
  EXPECT_LT(name_launch(std::string(5000, 'x'), 1, 1, {0, 0}).size(), 500U);
}

/// The message when the device is lost in the nth launch of a program: a scan at site 17, then a batch of additions at
/// sites 18 and 19.
std::string report(std::int64_t launch) {
  constexpr std::int64_t kLong = 100000, kFew = 100;
  DeviceBackend backend(std::size_t{1} << 30);
  std::vector<std::int32_t> numbers(kLong, 1), sums(kLong);
  const Operand all{ElemType::kI32, kLong, numbers.data()}, few{ElemType::kI32, kFew, numbers.data()};
  const Operand both[] = {few, few};
  backend.executor().lose_launch(launch);
  try {
    backend.set_site(17);
    backend.run(Scan{Monoid::kSum, all, SegmentDescriptor::single(kLong), {ElemType::kI32, kLong, sums.data()}});
    for (std::uint32_t site : {18U, 19U}) {
      backend.set_site(site);
      backend.run(Elementwise{Op::kAdd, both, {ElemType::kI32, kFew, sums.data()}});
    }
    backend.flush();
  } catch (const BackendLost& lost) {
    return lost.what();
  }
  return "";
}

TEST(LaunchWatch, IsOnIfTheEnvironmentSaysSo) {
  EXPECT_EQ(report(1), "the CUDA device failed while computing: as planned by a test");
  ASSERT_EQ(setenv("CVL_CUDA_SYNC", "on", 1), 0);
  EXPECT_EQ(report(1), "the CUDA device failed in kernel of tiles, 196 blocks, site 17: as planned by a test");
  EXPECT_EQ(report(2), "the CUDA device failed in kernel of tiles, 1 block, sites 18 to 19: as planned by a test");
  EXPECT_EQ(report(3), "");
  unsetenv("CVL_CUDA_SYNC");
}

}  // namespace
}  // namespace cvl::cuda

#include "base/poll_until.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace cvl::cuda {
namespace {

TEST(PollUntilTest, PollsUntilThereIsAnAnswer) {
  for (int needed : {0, 1, 2000, 100000}) {
    int looks = 0, checks = 0;
    poll_until([&] { return looks++ == needed; }, [&] { ++checks; });
    EXPECT_EQ(looks, needed + 1);
    EXPECT_EQ(checks, needed / (1 << 14));
  }
}

TEST(PollUntilTest, EndsWhenTheDeviceHasFailed) {
  int checks = 0;
  const auto check = [&] {
    if (++checks == 10) throw std::runtime_error("failed");
  };
  EXPECT_THROW(poll_until([] { return false; }, check), std::runtime_error);
  EXPECT_EQ(checks, 10);
}

}  // namespace
}  // namespace cvl::cuda

#include "base/check.h"

#include <gtest/gtest.h>

#include <utility>

namespace base {
namespace {

TEST(Check, TrueConditionsPass) {
  VC_CHECK(true);
  VC_CHECK(std::pair<int, int>(1, 2).second == 2);
}

TEST(Check, ReleaseDoesNotEvaluateAndOtherBuildsAbortWithLocationAndCondition) {
  int evaluated = 0;
#if defined(NDEBUG)
  VC_CHECK(++evaluated > 1);
  EXPECT_EQ(evaluated, 0);
#else
  EXPECT_DEATH(VC_CHECK(++evaluated > 1), "check_test\\.cpp:[0-9]+: a check failed: \\+\\+evaluated > 1");
#endif
}

}  // namespace
}  // namespace base

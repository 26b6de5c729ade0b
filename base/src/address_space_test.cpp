#include "base/address_space.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

namespace base {
namespace {

/// Far more than what sanitizers reserve, so that nothing else here depends on it.
constexpr std::size_t kLimit = std::size_t{1} << 50;

/// Limits the address space of this process for as long as it exists.
class LimitedAddressSpace {
 public:
  LimitedAddressSpace() {
    EXPECT_EQ(getrlimit(RLIMIT_AS, &before_), 0);
    const rlimit limited{kLimit, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_AS, &limited), 0);
  }
  ~LimitedAddressSpace() { setrlimit(RLIMIT_AS, &before_); }
  LimitedAddressSpace(const LimitedAddressSpace&) = delete;
  LimitedAddressSpace& operator=(const LimitedAddressSpace&) = delete;

 private:
  rlimit before_{};
};

TEST(AddressSpace, WhatIsMappedIsNotLeft) {
  const LimitedAddressSpace limited;
  EXPECT_TRUE(address_space_is_limited());
  const auto before = address_space_left();
  ASSERT_TRUE(before);
  EXPECT_LT(*before, kLimit);
  constexpr std::size_t kMapped = std::size_t{1} << 32;
  void* const mapped = mmap(nullptr, kMapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  const auto after = address_space_left();
  ASSERT_TRUE(after);
  // Other mappings made in between are small.
  EXPECT_NEAR(static_cast<double>(*before - *after), static_cast<double>(kMapped), 1 << 26);
  munmap(mapped, kMapped);
}

TEST(AddressSpace, AdviceNamesTheLimit) {
  {
    const LimitedAddressSpace limited;
    EXPECT_EQ(memory_advice(), "the process may take 1073741824 MiB of address space: see ulimit -v, and --memory");
  }
  rlimit now{};
  getrlimit(RLIMIT_AS, &now);
  if (now.rlim_cur != RLIM_INFINITY) GTEST_SKIP() << "the address space of the tests is limited";
  EXPECT_FALSE(address_space_is_limited());
  EXPECT_EQ(address_space_left(), std::nullopt);
  EXPECT_EQ(memory_advice(), "see --memory; by default half of the free memory");
}

}  // namespace
}  // namespace base

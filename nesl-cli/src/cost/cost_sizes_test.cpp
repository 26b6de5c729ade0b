#include "cost_sizes.h"

#include <gtest/gtest.h>

namespace nesl_cli {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t kLargest = 2147483647;

Sizes sizes_of(const char* text, std::int64_t largest = kLargest) {
  std::string error;
  const std::optional<Sizes> sizes = read_sizes(text, largest, error);
  EXPECT_TRUE(sizes) << error;
  return sizes.value_or(Sizes());
}

std::string error_of(const char* text) {
  std::string error;
  EXPECT_FALSE(read_sizes(text, kLargest, error)) << text;
  return error;
}

TEST(CostSizes, AreNumbersAndRanges) {
  EXPECT_EQ(sizes_of("0"), Sizes({0}));
  EXPECT_EQ(sizes_of("10K,5,1m"), Sizes({5, 10'000, 1'000'000}));
  EXPECT_EQ(sizes_of("1:10"), Sizes({1, 2, 4, 8, 10}));
  EXPECT_EQ(sizes_of("1K:8K"), Sizes({1000, 2000, 4000, 8000}));
  EXPECT_EQ(sizes_of("10:1000:10"), Sizes({10, 100, 1000}));
  EXPECT_EQ(sizes_of("1K:1M").size(), 11u);
  EXPECT_EQ(sizes_of("7:7,7"), Sizes({7}));
  EXPECT_EQ(sizes_of("1G:2G").size(), 2u);
  EXPECT_EQ(sizes_of("4000000000000000000:9223372036854775807", INT64_MAX),
            Sizes({4'000'000'000'000'000'000, 8'000'000'000'000'000'000, INT64_MAX}));
}

TEST(CostSizes, ThatMakeNoSenseAreErrors) {
  for (const char* text :
       {"", "x", "1,", "-1", "1.5", "1KK", "K", "1:", ":1", "9999999999999999999", "9000000000000000G"})
    EXPECT_NE(error_of(text).find("is no size"), std::string::npos) << text << ": " << error_of(text);
  for (const char* text : {"0:8", "8:4", "1:8:1", "1:8:0", "1:2:3:4"})
    EXPECT_NE(error_of(text).find("is no range of sizes"), std::string::npos) << text << ": " << error_of(text);
  EXPECT_EQ(error_of("3G"), "the size 3G is too large: ints end at 2147483647");
}

}  // namespace
}  // namespace nesl_cli

#include "samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "oracle.h"
#include "text/result_text.h"

namespace nesl_cli {
namespace {

using nesl::ValueShape;
using Kind = ValueShape::Kind;

const ValueShape kInt{Kind::kInt}, kFloat{Kind::kFloat}, kBool{Kind::kBool}, kChar{Kind::kChar};
ValueShape sequence(ValueShape element) { return {Kind::kSequence, "", {std::move(element)}}; }
ValueShape pair(ValueShape a, ValueShape b) { return {Kind::kPair, "", {std::move(a), std::move(b)}}; }

struct SamplesTest : ::testing::Test {
  std::unique_ptr<cvl::Backend> backend = cvl::conformance::make_oracle({}, cvl::conformance::Addresses::kAnyHost);

  std::string show(const ValueShape& shape, const Sample& sample, vcode::Widths widths = {}) {
    runtime::Evaluator evaluator(*backend, widths);
    const auto entries = entries_of(shape, sample, evaluator);
    EXPECT_TRUE(entries && entries->size() == nesl::entry_count(shape));
    return result_text(shape, *entries, evaluator).value_or("?");
  }
};

Sample number(std::int64_t n) { return {.number = n}; }
Sample real(double x) { return {.real = x}; }
Sample parts(std::vector<Sample> all) { return {.parts = std::move(all)}; }

TEST_F(SamplesTest, EntriesAreThoseOfTheValue) {
  EXPECT_EQ(show(kInt, number(-3)), "-3");
  EXPECT_EQ(show(kFloat, real(0.5)), "0.5");
  EXPECT_EQ(show(kBool, number(1)), "T");
  EXPECT_EQ(show(kChar, number('x')), "`x");
  EXPECT_EQ(show(sequence(kInt), parts({})), "[]");
  EXPECT_EQ(show(sequence(kInt), parts({number(1), number(2)})), "[1, 2]");
  EXPECT_EQ(show(pair(kInt, pair(kFloat, kBool)), parts({number(1), parts({real(2), number(0)})})), "(1, 2.0, F)");
  const ValueShape nested = sequence(sequence(pair(kInt, sequence(kChar))));
  const Sample text = parts({number('a'), number('b')});
  EXPECT_EQ(show(nested, parts({parts({}), parts({parts({number(7), text}), parts({number(8), parts({})})})})),
            "[[], [(7, \"ab\"), (8, \"\")]]");
  EXPECT_EQ(show(nested, parts({})), "[]");
  const ValueShape point{Kind::kData, "point", {pair(kFloat, kFloat)}};
  EXPECT_EQ(show(sequence(point), parts({parts({parts({real(1), real(-0.5)})})})), "[point(1.0, -0.5)]");
}

TEST_F(SamplesTest, WidthsAreThoseOfTheRun) {
  const vcode::Widths wide{vcode::ElemType::kI64, vcode::ElemType::kF32};
  EXPECT_EQ(show(sequence(kInt), parts({number(1LL << 40), number(2)}), wide), "[1099511627776, 2]");
  EXPECT_EQ(show(sequence(kFloat), parts({real(0.1), real(2)}), wide), "[0.1, 2.0]");
  EXPECT_EQ(show(sequence(sequence(kBool)), parts({parts({number(1)}), parts({})}), wide), "[[T], []]");
}

TEST_F(SamplesTest, DependOnTheSeedAlone) {
  const ValueShape shape = sequence(pair(kInt, sequence(kFloat)));
  const auto text = [&](std::uint64_t seed) {
    RandomNumbers random(seed);
    return show(shape, random_sample(shape, 20, {}, random));
  };
  EXPECT_EQ(text(1), text(1));
  std::set<std::string> different;
  for (std::uint64_t seed = 0; seed < 50; ++seed) different.insert(text(seed));
  EXPECT_GT(different.size(), 30u);
}

TEST_F(SamplesTest, HaveSpecialValues) {
  RandomNumbers random(7);
  bool nan = false, infinite = false, negative_zero = false, whole = false, least = false, equal = false, quote = false;
  std::size_t longest = 0;
  for (int k = 0; k < 2000; ++k) {
    const double x = random_sample(kFloat, 30, {}, random).real;
    nan = nan || std::isnan(x);
    infinite = infinite || std::isinf(x);
    negative_zero = negative_zero || (x == 0 && std::signbit(x));
    whole = whole || (x != 0 && std::trunc(x) == x && std::fabs(x) <= 30);
    least = least || random_sample(kInt, 30, {}, random).number == std::numeric_limits<std::int32_t>::min();
    quote = quote || random_sample(kChar, 30, {}, random).number == '"';
    const Sample s = random_sample(sequence(kInt), 30, {}, random);
    longest = std::max(longest, s.parts.size());
    for (std::size_t i = 1; i < s.parts.size(); ++i) equal = equal || s.parts[i].number == s.parts[i - 1].number;
  }
  EXPECT_TRUE(nan && infinite && negative_zero && whole && least && equal && quote);
  EXPECT_EQ(longest, 30u);
}

/// The simplest value that can be reached from a value, as long as `keep` holds.
template <class Keep>
Sample simplest(const ValueShape& shape, Sample sample, Keep keep) {
  for (int step = 0; step < 10000; ++step) {
    bool found = false;
    for (Sample& simpler : simpler_samples(shape, sample))
      if (keep(simpler)) {
        sample = std::move(simpler);
        found = true;
        break;
      }
    if (!found) return sample;
  }
  ADD_FAILURE() << "no end of simpler values";
  return sample;
}

TEST_F(SamplesTest, SimplerOnesEndAtTheSimplest) {
  RandomNumbers random(3);
  const auto any = [](const Sample&) { return true; };
  const ValueShape shape = sequence(pair(sequence(kChar), kFloat));
  for (int k = 0; k < 50; ++k) {
    EXPECT_EQ(show(shape, simplest(shape, random_sample(shape, 20, {}, random), any)), "[]");
    EXPECT_EQ(show(kInt, simplest(kInt, random_sample(kInt, 1000, {}, random), any)), "0");
    EXPECT_EQ(show(kFloat, simplest(kFloat, random_sample(kFloat, 1000, {}, random), any)), "0.0");
    EXPECT_EQ(show(kChar, simplest(kChar, random_sample(kChar, 1000, {}, random), any)), "`a");
  }
  const auto large = [](const Sample& s) { return s.number > 17 || s.number < -100; };
  EXPECT_EQ(simplest(kInt, number(987654), large).number, 18);
  EXPECT_EQ(simplest(kInt, number(-987654), large).number, 18);
  const auto has_seven = [](const Sample& s) {
    return std::any_of(s.parts.begin(), s.parts.end(), [](const Sample& e) { return e.number >= 7; });
  };
  const ValueShape ints = sequence(kInt);
  EXPECT_EQ(show(ints, simplest(ints, parts({number(3), number(95), number(4), number(8)}), has_seven)), "[7]");
  const auto has_equal = [](const Sample& s) {
    return std::adjacent_find(s.parts.begin(), s.parts.end()) != s.parts.end();
  };
  EXPECT_EQ(show(ints, simplest(ints, parts({number(3), number(-9), number(-9), number(8)}), has_equal)), "[0, 0]");
}

}  // namespace
}  // namespace nesl_cli

#include "operations/operations.h"

#include "test_machine.h"

namespace cvl::cpu {
namespace {

template <class T>
std::vector<T> packed(const std::vector<T>& a, const std::vector<std::uint8_t>& flags) {
  std::vector<T> kept;
  for (std::size_t e = 0; e < a.size(); ++e)
    if (flags[e]) kept.push_back(a[e]);
  return kept;
}

template <class L>
void expect_counts(Context& context, const std::vector<std::uint8_t>& flags, const TestSegments& segments) {
  std::vector<L> lengths(std::size_t(segments.descriptor.segments), L(-1)), expected(lengths.size(), 0);
  for (std::size_t k = 0; k < lengths.size(); ++k)
    for (std::int64_t e = segments.offsets[k]; e < segments.offsets[k + 1]; ++e) expected[k] += flags[std::size_t(e)];
  plan_pack(context, flag_operand(flags), segments.descriptor, result(lengths));
  EXPECT_EQ(lengths, expected);
}

template <class T>
void expect_packed(Context& context, const PackPlan& plan, const std::vector<std::uint8_t>& flags,
                   std::mt19937& random) {
  const std::vector<T> a = random_vector<T>(std::int64_t(flags.size()), random);
  std::vector<T> kept(std::size_t(plan.kept) + 64, T(77));
  run(context, Pack{plan,
                    {vcode::kElemTypeOf<T>, std::int64_t(a.size()), a.data()},
                    flag_operand(flags),
                    {vcode::kElemTypeOf<T>, plan.kept, kept.data()}});
  std::vector<T> expected = packed(a, flags);
  expected.resize(expected.size() + 64, T(77));  // detects writes beyond the result
  EXPECT_EQ(kept, expected);
}

TEST(Pack, KeepsFlaggedElementsAndCountsThem) {
  for (const auto& lengths : test_lengths())
    for (const unsigned density : {0u, 1u, 50u, 99u, 100u}) {
      const TestSegments segments(lengths);
      std::mt19937 random(density);
      const auto flags = random_flags(segments.descriptor.elements, random, density);
      on_all_machines([&](Context& context) {
        expect_counts<std::int64_t>(context, flags, segments);
        std::vector<std::int32_t> counts(lengths.size());
        const auto plan = plan_pack(context, flag_operand(flags), segments.descriptor, result(counts));
        std::mt19937 data(1);
        expect_packed<std::int32_t>(context, *plan, flags, data);
        expect_packed<double>(context, *plan, flags, data);
        const auto bytes = random_flags(segments.descriptor.elements, data, 50);
        std::vector<std::uint8_t> kept(std::size_t(plan->kept));
        run(context, Pack{*plan, flag_operand(bytes), flag_operand(flags), flag_result(kept)});
        EXPECT_EQ(kept, packed(bytes, flags));
      });
    }
}

TEST(Pack, CountsInRegularSegmentsAsInIrregularOnes) {
  std::mt19937 random(3);
  for (const std::int64_t length : {0, 1, 7, 64, 1000}) {
    const std::int64_t segments = length == 0 ? 50 : 100000 / length;
    const auto flags = random_flags(segments * length, random, 30);
    const TestSegments listed(std::vector<std::int64_t>(std::size_t(segments), length));
    on_all_machines([&](Context& context) {
      std::vector<std::int32_t> regular(std::size_t(segments), -1), irregular(regular);
      plan_pack(context, flag_operand(flags), {segments, segments * length, length, nullptr}, result(regular));
      plan_pack(context, flag_operand(flags), listed.descriptor, result(irregular));
      EXPECT_EQ(regular, irregular);
    });
  }
}

}  // namespace
}  // namespace cvl::cpu

#include "operations/operations.h"

#include "test_machine.h"
#include "vcode/op_semantics.h"

namespace cvl::cpu {
namespace {

/// Accumulates into `places` places, or one less, of each segment, and compares every bit with a plain loop.
template <class M, class T, class I>
void expect_accumulated(const std::vector<std::int64_t>& lengths, std::int64_t places, std::mt19937& random) {
  const TestSegments from(lengths);
  std::vector<std::int64_t> room(lengths.size());
  for (std::int64_t& n : room) n = places + std::int64_t(random() % 2);
  const TestSegments to(room);
  std::vector<I> indices;
  std::vector<T> source = random_vector<T>(from.descriptor.elements, random),
                 defaults = random_vector<T>(to.descriptor.elements, random);
  for (std::vector<T>* v : {&source, &defaults})
    for (T& x : *v)
      if constexpr (std::is_floating_point_v<T>) x = random() % 50 == 0 ? T(NAN) : x / T(7);
  std::vector<T> expected = defaults;
  for (std::size_t k = 0; k < lengths.size(); ++k)
    for (std::int64_t e = 0; e < lengths[k]; ++e) {
      indices.push_back(I(random() % 3 == 0 ? 0 : random() % unsigned(places)));
      T& at = expected[std::size_t(to.offsets[k] + indices.back())];
      at = vcode::accumulate<M>(source[indices.size() - 1], at);
    }
  const auto same = [](T a, T b) { return a == b || (a != a && b != b); };
  on_all_machines([&](Context& context) {
    std::vector<T> got(expected.size());
    run(context, Accumulate{M::kMonoid, operand(source), operand(indices), operand(defaults), from.descriptor,
                            to.descriptor, result(got)});
    EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin(), same));
    got = defaults;
    run(context, Accumulate{M::kMonoid, operand(source), operand(indices), operand(got), from.descriptor, to.descriptor,
                            result(got)});
    EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin(), same)) << "in place";
  });
}

/// Each of the ways: in order, in copies of few places, and by parts.
TEST(Accumulate, CombinesInTheOrderOfElements) {
  std::mt19937 random(5);
  for (const auto& lengths : test_lengths())
    for (const std::int64_t places : {1, 7, 300, 5000, 300000}) {
      if (places * std::int64_t(lengths.size()) > 1000000) continue;
      SCOPED_TRACE(std::to_string(lengths.size()) + " segments, " + std::to_string(places) + " places");
      expect_accumulated<vcode::monoids::Sum, std::int32_t, std::int32_t>(lengths, places, random);
      expect_accumulated<vcode::monoids::Min, std::int64_t, std::int64_t>(lengths, places, random);
      expect_accumulated<vcode::monoids::Sum, double, std::int32_t>(lengths, places, random);
      expect_accumulated<vcode::monoids::Max, float, std::int64_t>(lengths, places, random);
    }
}

/// Reports the first index out of range, in each of the ways.
void expect_index_fault(std::int64_t n, std::int64_t places) {
  const std::vector<std::int32_t> source(std::size_t(n), 1), defaults(std::size_t(places), 5);
  for (const std::int64_t first : {std::int64_t{0}, n / 3, n - 1}) {
    std::vector<std::int32_t> indices(std::size_t(n), 0), got(std::size_t(places), 0);
    indices[std::size_t(n - 1)] = -5;
    indices[std::size_t(first)] = std::int32_t(places);
    on_all_machines([&](Context& context) {
      context.faults.set_site(9);
      run(context, Accumulate{Monoid::kSum, operand(source), operand(indices), operand(defaults),
                              SegmentDescriptor::single(n), SegmentDescriptor::single(places), result(got)});
      const Fault fault = context.faults.take();
      EXPECT_EQ(fault.kind, FaultKind::kIndexRange);
      EXPECT_EQ(fault.position, first);
      EXPECT_EQ(fault.value, places);
      EXPECT_EQ(fault.bound, places);
    });
  }
}

TEST(Accumulate, FindsTheFirstIndexOutOfRange) {
  expect_index_fault(100, 10);
  expect_index_fault(100000, 10);
  expect_index_fault(100000, 90000);
}

TEST(Accumulate, CombinesInOrderWithoutMemory) {
  const std::int64_t n = 300000;
  std::mt19937 random(3);
  std::string error;
  for (const std::int64_t places : {20, 200000}) {
    std::vector<std::int64_t> source = random_vector<std::int64_t>(n, random), indices(source.size());
    std::vector<std::int64_t> expected(std::size_t(places), 0), got = expected;
    for (std::size_t e = 0; e < indices.size(); ++e) {
      indices[e] = std::int64_t(random() % unsigned(places));
      expected[std::size_t(indices[e])] += source[e];
    }
    TestMachine machine(*choose_kernels("baseline", error), 4, 100);
    run(machine.context, Accumulate{Monoid::kSum, operand(source), operand(indices), operand(got),
                                    SegmentDescriptor::single(n), SegmentDescriptor::single(places), result(got)});
    EXPECT_EQ(got, expected);
    EXPECT_FALSE(machine.faults.any());
  }
}

}  // namespace
}  // namespace cvl::cpu

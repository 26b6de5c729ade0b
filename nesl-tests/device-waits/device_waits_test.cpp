#include <gtest/gtest.h>

#include <vector>

#include "device_backend.h"
#include "device_values.h"
#include "runtime/evaluator.h"

namespace runtime {
namespace {

using vcode::Suffix;

struct DeviceWaits : testing::Test {
  cuda::DeviceBackend device{std::size_t{1} << 30};
  Evaluator evaluator{device, {}};

  template <class T>
  Value vector(const std::vector<T>& elements) {
    return vector_of(evaluator, elements);
  }
  Value iota(int n) { return iota_of(evaluator, n); }
  /// The first result of an operation.
  template <class... Operands>
  Value apply(Op op, Suffix suffix, const Operands&... operands) {
    Value stack[] = {operands..., Value()};
    EXPECT_TRUE(evaluator.apply(op, suffix, stack)) << evaluator.failure();
    return stack[0];
  }
  int first(const Value& v) { return *static_cast<const int*>(evaluator.heap().host_data(v)); }
  std::uint64_t waits() const { return device.counters().waits; }
  std::uint64_t launches() const { return device.counters().launches; }
};

TEST_F(DeviceWaits, NoneForAMeanThatIsSubtracted) {
  constexpr int n = 1000;
  const Value a = iota(n), whole = Value::single_segment(n);
  const std::uint64_t waited = waits();
  const Value sum = apply(Op::kSumReduce, Suffix::kInt, a, whole);
  const Value mean = apply(Op::kDivide, Suffix::kInt, sum, Value::scalar(n));
  const Value spread = apply(Op::kDist, Suffix::kInt, mean, whole);
  const Value r = apply(Op::kSubtract, Suffix::kInt, a, spread);
  const Value largest = apply(Op::kMaxReduce, Suffix::kInt, r, whole);
  EXPECT_EQ(waits(), waited);
  EXPECT_EQ(first(largest), 999 - 499);
  EXPECT_EQ(waits() - waited, 1u);
}

TEST_F(DeviceWaits, ValuesOnTheHostAreComputedThere) {
  constexpr int n = 1000;
  const Value a = iota(n), whole = Value::single_segment(n);
  const Value sum = apply(Op::kSumReduce, Suffix::kInt, a, whole);
  const Value largest = apply(Op::kMaxReduce, Suffix::kInt, a, whole);
  const std::uint64_t waited = waits();
  EXPECT_EQ(first(largest), 999);
  EXPECT_EQ(waits() - waited, 1u);
  // The same transfer has brought the sum, so that the host need not leave it to the device.
  const std::uint64_t launched = launches();
  EXPECT_EQ(first(apply(Op::kAdd, Suffix::kInt, sum, largest)), 499500 + 999);
  EXPECT_EQ(waits() - waited, 1u);
  EXPECT_EQ(launches(), launched);
}

TEST_F(DeviceWaits, NoneForSumsOfFewSegments) {
  const Value a = iota(1000), segments = evaluator.make_segdes(vector(std::vector<int>(10, 100)));
  const std::uint64_t waited = waits(), launched = launches();
  const Value sums = apply(Op::kSumReduce, Suffix::kInt, a, segments);
  const Value twice = apply(Op::kAdd, Suffix::kInt, sums, sums);
  const Value before = apply(Op::kSumScan, Suffix::kInt, twice, Value::single_segment(10));
  const Value last = apply(Op::kExtract, Suffix::kInt, before, Value::scalar(9), Value::single_segment(10));
  EXPECT_EQ(waits(), waited);
  EXPECT_EQ(first(last), 899 * 900);
  EXPECT_EQ(waits() - waited, 1u);
  EXPECT_EQ(launches() - launched, 1u);
}

TEST_F(DeviceWaits, NoneForDescriptorsOfAKnownLength) {
  constexpr int n = 1000;
  const Value whole = Value::single_segment(n);
  Value threes = apply(Op::kDist, Suffix::kInt, Value::scalar(3), whole);
  device.flush();
  const std::uint64_t waited = waits(), launched = launches();
  const Value segdes = evaluator.make_segdes(threes);
  ASSERT_TRUE(segdes.is_segdes());
  EXPECT_EQ(segdes.segments(), n);
  EXPECT_EQ(segdes.elements(), 3 * n);
  const Value lengths = evaluator.lengths_of(segdes);
  EXPECT_EQ(evaluator.make_segdes(lengths).elements(), 3 * n);
  device.flush();
  EXPECT_EQ(launches() - launched, 1u);  // the lengths
  EXPECT_EQ(waits(), waited);
  // The sum is stored in the place of the operand, which no other value shares.
  const void* const place = threes.vector()->device;
  const Value more = iota(n);
  Value stack[] = {std::move(threes), more};
  ASSERT_TRUE(evaluator.apply(Op::kAdd, Suffix::kInt, stack)) << evaluator.failure();
  EXPECT_EQ(stack[0].vector()->device, place);
  EXPECT_EQ(evaluator.make_segdes(stack[0]).elements(), 3 * n + n * (n - 1) / 2);
}

TEST_F(DeviceWaits, ADescriptorIsOneLaunchAndOneReply) {
  constexpr int n = 1000;
  const Value lengths = iota(n);
  const cuda::Traffic before = device.counters();
  const Value segdes = evaluator.make_segdes(lengths);
  EXPECT_EQ(launches() - before.launches, 1u);
  EXPECT_EQ(waits() - before.waits, 1u);
  EXPECT_EQ(device.counters().replies - before.replies, 1u);
  EXPECT_NE(segdes.segdes()->offsets.tag(), Value::Tag::kNone);
  // An operation that needs only the starts of segments makes no heads.
  const Value elements = apply(Op::kDist, Suffix::kInt, Value::scalar(7), Value::single_segment(segdes.elements()));
  const Value parts = apply(Op::kAppend, Suffix::kInt, elements, elements, segdes, segdes,
                            evaluator.make_segdes(apply(Op::kAdd, Suffix::kInt, lengths, lengths)));
  EXPECT_EQ(parts.length(), 2 * segdes.elements());
  EXPECT_EQ(segdes.segdes()->heads.tag(), Value::Tag::kNone);
  EXPECT_TRUE(evaluator.settle());
}

/// Lengths of descriptors, joined and added, and flags that a PACK has counted.
TEST_F(DeviceWaits, NoneForDescriptorsOfLengthsWithAKnownSum) {
  constexpr int n = 100;
  const Value whole = Value::single_segment(n);
  const Value a = evaluator.make_segdes(iota(n)), b = evaluator.make_segdes(iota_of(evaluator, n, 5));
  const Value of_a = evaluator.lengths_of(a), of_b = evaluator.lengths_of(b);
  std::vector<std::uint8_t> bytes;
  for (int e = 0; e < 2 * n; ++e) bytes.push_back(static_cast<std::uint8_t>(e % 2));
  VectorObject* const object = evaluator.heap().make_vector(ElemType::kB8, 2 * n);
  device.upload(object->device, bytes.data(), bytes.size());
  const Value flags = Value::adopt(object);
  const Value packed = apply(Op::kPack, Suffix::kInt, iota(2 * n), flags, Value::single_segment(2 * n));
  const std::uint64_t waited = waits();
  const Value sums = apply(Op::kAdd, Suffix::kInt, of_a, of_b);
  const Value joined = apply(Op::kAppend, Suffix::kInt, of_a, of_b, whole, whole, Value::single_segment(2 * n));
  const Value merged = apply(Op::kMerge, Suffix::kInt, flags, of_a, of_b);
  const Value ones = apply(Op::kBoolToInt, Suffix::kNone, flags);
  const Value descriptors[] = {evaluator.make_segdes(sums), evaluator.make_segdes(joined),
                               evaluator.make_segdes(merged), evaluator.make_segdes(ones)};
  EXPECT_EQ(waits(), waited);
  const std::int64_t total = a.elements() + b.elements();
  for (int k = 0; k < 3; ++k) EXPECT_EQ(descriptors[k].elements(), total) << k;
  EXPECT_EQ(descriptors[3].elements(), n);
  EXPECT_EQ(descriptors[0].segments(), n);
  EXPECT_EQ(descriptors[1].segments(), 2 * n);
  // Operations find the segments without that summary.
  for (const Value& descriptor : descriptors) {
    const Value counted = apply(
        Op::kSumReduce, Suffix::kInt,
        apply(Op::kDist, Suffix::kInt, Value::scalar(1), Value::single_segment(descriptor.elements())), descriptor);
    const Value differ = apply(Op::kNotEqual, Suffix::kInt, counted, evaluator.lengths_of(descriptor));
    const Value any = apply(Op::kOrReduce, Suffix::kBool, differ, Value::single_segment(descriptor.segments()));
    EXPECT_FALSE(*static_cast<const bool*>(evaluator.heap().host_data(any)));
  }
  EXPECT_TRUE(evaluator.settle());
}

/// Sums of lengths have the sum of the lengths, and flags that are no longer counted have opposites that are.
TEST_F(DeviceWaits, NoneForDescriptorsOfSummedLengthsAndOfOpposites) {
  constexpr int n = 1000;
  const Value a = evaluator.make_segdes(iota(n)), groups = evaluator.make_segdes(vector(std::vector<int>(100, 10)));
  const Value flags = apply(Op::kLess, Suffix::kInt, iota(n),
                            apply(Op::kDist, Suffix::kInt, Value::scalar(250), Value::single_segment(n)));
  (void)apply(Op::kPack, Suffix::kInt, iota(n), flags, Value::single_segment(n));
  const std::uint64_t waited = waits();
  const Value outer = evaluator.make_segdes(apply(Op::kSumReduce, Suffix::kInt, evaluator.lengths_of(a), groups));
  const Value others = apply(Op::kNot, Suffix::kBool, flags);
  const Value ones = evaluator.make_segdes(apply(Op::kBoolToInt, Suffix::kNone, others));
  EXPECT_EQ(outer.segments(), 100);
  EXPECT_EQ(outer.elements(), a.elements());
  EXPECT_EQ(ones.elements(), n - 250);
  EXPECT_EQ(waits(), waited);
  EXPECT_TRUE(evaluator.settle());
}

/// Lengths that are repeated equally often, and a sum of all, which is a known number.
TEST_F(DeviceWaits, NoneForRepeatedLengthsAndTheirSum) {
  constexpr int n = 100;
  const Value a = evaluator.make_segdes(iota(n)),
              fours = evaluator.make_segdes(apply(Op::kDist, Suffix::kInt, Value::scalar(4), Value::single_segment(n)));
  const std::uint64_t waited = waits();
  const Value repeated = evaluator.make_segdes(apply(Op::kDist, Suffix::kInt, evaluator.lengths_of(a), fours));
  EXPECT_EQ(repeated.elements(), 4 * a.elements());
  const Value sum = apply(Op::kSumReduce, Suffix::kInt, evaluator.lengths_of(a), Value::single_segment(n));
  EXPECT_EQ(first(sum), a.elements());
  EXPECT_EQ(evaluator.make_segdes(sum).elements(), a.elements());
  EXPECT_EQ(waits(), waited);
  EXPECT_TRUE(evaluator.settle());
}

/// Starts of few segments are computed on the host, however many elements there are.
TEST_F(DeviceWaits, NoneForStartsOfFewSegments) {
  const Value few = evaluator.make_segdes(vector<int>({1000, 2000, 3000}));
  const std::uint64_t waited = waits(), launched = launches();
  const Value starts = apply(Op::kOffsets, Suffix::kNone, few);
  EXPECT_EQ(static_cast<const int*>(evaluator.heap().host_data(starts))[2], 3000);
  device.flush();
  EXPECT_EQ(waits(), waited);
  EXPECT_EQ(launches(), launched);
}

/// The sum of what is stored in the place of lengths is not theirs.
TEST_F(DeviceWaits, AKnownSumIsOfTheElementsThatItWasFoundFor) {
  constexpr int n = 100;
  Value lengths = iota(n);
  (void)evaluator.make_segdes(lengths);
  const Value more = vector(std::vector<int>(n, 2));
  Value stack[] = {std::move(lengths), more};
  ASSERT_TRUE(evaluator.apply(Op::kMultiply, Suffix::kInt, stack)) << evaluator.failure();
  EXPECT_EQ(evaluator.make_segdes(stack[0]).elements(), n * (n - 1));
}

/// The host needs the lengths next, for the descriptor of what is kept.
TEST_F(DeviceWaits, OneForAPackOfFewSegmentsAndItsLengths) {
  constexpr int n = 1000;
  const Value a = iota(n), segments = evaluator.make_segdes(vector(std::vector<int>(10, 100)));
  const Value flags =
      apply(Op::kLess, Suffix::kInt, a, apply(Op::kDist, Suffix::kInt, Value::scalar(250), Value::single_segment(n)));
  const std::uint64_t waited = waits();
  Value stack[] = {a, flags, segments};
  ASSERT_TRUE(evaluator.apply(Op::kPack, Suffix::kInt, stack)) << evaluator.failure();
  EXPECT_EQ(stack[0].length(), 250);
  const Value lengths = evaluator.lengths_of(stack[1]);
  const auto* const data = static_cast<const int*>(evaluator.heap().host_data(lengths));
  EXPECT_EQ(std::vector<int>(data, data + 10), (std::vector{100, 100, 50, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(waits() - waited, 1u);
}

TEST_F(DeviceWaits, ANegativeKnownLengthIsAFault) {
  const Value negative = apply(Op::kDist, Suffix::kInt, Value::scalar(-1), Value::single_segment(1000));
  EXPECT_FALSE(evaluator.make_segdes(negative).is_segdes());
  EXPECT_EQ(evaluator.fault().kind, FaultKind::kNegativeLength);
  EXPECT_EQ(evaluator.fault().position, 0);
}

TEST_F(DeviceWaits, APackOfFewElementsIsOnTheHost) {
  const Value a = iota(1000), segments = evaluator.make_segdes(vector(std::vector<int>(10, 100)));
  const Value sums = apply(Op::kSumReduce, Suffix::kInt, a, segments);
  const Value flags = apply(Op::kEqual, Suffix::kInt, sums, sums);
  const std::uint64_t waited = waits();
  const Value packed = apply(Op::kPack, Suffix::kInt, sums, flags, Value::single_segment(10));
  EXPECT_NE(packed.vector()->host, nullptr);
  EXPECT_EQ(waits() - waited, 1u);
  EXPECT_EQ(first(packed), 4950);
}

TEST_F(DeviceWaits, AFaultOfADeferredOperationIsReported) {
  const Value a = iota(1000), whole = Value::single_segment(1000);
  const Value least = apply(Op::kMinReduce, Suffix::kInt, a, whole);
  const Value wrong = apply(Op::kDivide, Suffix::kInt, Value::scalar(7), least);
  EXPECT_TRUE(evaluator.is_sound());
  EXPECT_FALSE(evaluator.settle());
  EXPECT_EQ(evaluator.fault().kind, FaultKind::kDivideByZero);
}

}  // namespace
}  // namespace runtime

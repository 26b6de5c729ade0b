#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "backend_fixture.h"
#include "operations/rank_in_blocks.h"

// How operations are collected in batches, and when batches are launched. The conformance suite tests the results of
// single operations.

namespace cvl::cuda {
namespace {

constexpr int kMostElements = 8192;

template <class T>
std::vector<T> read(Backend& backend, const Vector<T>& v, int n) {
  std::vector<T> host(static_cast<std::size_t>(n));
  backend.download(host.data(), v.data(), host.size() * sizeof(T));
  return host;
}

/// Runs on one thread, and with blocks and loops in random order.
struct ShortBatchTest : testing::TestWithParam<int> {
  DeviceBackend backend{kMemory, Concurrency{GetParam(), 7}};

  template <class T>
  Vector<T> vector(int n) {
    return Vector<T>(backend, static_cast<std::size_t>(n));
  }
  std::uint64_t launches() const { return backend.counters().launches; }
  std::uint64_t waits() const { return backend.counters().waits; }
  void add(const Operand& a, const Operand& b, const Result& r) {
    const std::array operands{a, b};
    backend.run(Elementwise{Op::kAdd, operands, r});
  }
};

/// Segments with the given starts, with heads.
struct IrregularMap {
  IrregularMap(Backend& backend, const std::vector<std::int64_t>& starts)
      : offsets(backend, starts),
        heads(backend, static_cast<std::size_t>(head_words(starts.back()))),
        nonempty(backend, nonempty_of(starts)),
        descriptor{std::ssize(starts) - 1,
                   starts.back(),
                   -1,
                   static_cast<const std::int64_t*>(offsets.data()),
                   nullptr,
                   static_cast<const std::int32_t*>(nonempty.data())} {
    backend.run(MakeSegmentHeads{descriptor, heads});
    descriptor.heads = static_cast<const SegmentHeads*>(heads.data());
  }
  const Vector<std::int64_t> offsets, heads;
  const Vector<int> nonempty;
  SegmentDescriptor descriptor;
};

INSTANTIATE_TEST_SUITE_P(Workers, ShortBatchTest, testing::Values(0, 3));

TEST_P(ShortBatchTest, ABatchIsOneLaunchAndOneWait) {
  for (const int n : {1, 100, 4097, kMostElements}) {
    const SegmentDescriptor single = SegmentDescriptor::single(n);
    const int start = 3, stride = 1, zero = 0;
    const Operand first{ElemType::kI32, 1, &start, true}, step{ElemType::kI32, 1, &stride, true},
        origin{ElemType::kI32, 1, &zero, true};
    const auto a = vector<int>(n), sums = vector<int>(n), total = vector<int>(1), spread = vector<int>(n),
               r = vector<int>(n), reversed = vector<int>(n), last = vector<int>(1);
    const auto below = vector<bool>(n);
    const std::uint64_t launched = launches(), waited = waits();
    backend.run(Index{first, step, single, a});  // 3, 4, …
    backend.run(Scan{Monoid::kSum, a, single, sums});
    backend.run(Reduce{Monoid::kMax, a, single, total});  // n + 2
    backend.run(Dist{total, single, spread});
    const std::array differ{Operand(spread), Operand(a)};
    backend.run(Elementwise{Op::kSubtract, differ, r});  // n - 1, …, 0
    backend.run(Gather{sums, r, {}, single, single, reversed});
    add(reversed, r, reversed);
    const std::array compared{Operand(r), Operand(reversed)};
    backend.run(Elementwise{Op::kLess, compared, below});
    backend.run(Extract{reversed, origin, single, last});
    EXPECT_EQ(launches(), launched);
    const std::vector<int> result = read(backend, reversed, n);
    EXPECT_EQ(launches() - launched, 1u);
    EXPECT_EQ(waits() - waited, 1u);
    for (int e = 0; e < n; ++e) {
      const int position = n - 1 - e, sum = 3 * position + position * (position - 1) / 2;
      ASSERT_EQ(result[static_cast<std::size_t>(e)], sum + position) << n;
    }
    EXPECT_EQ(last.first(), result[0]);
    EXPECT_EQ(backend.take_fault().kind, FaultKind::kNone);
  }
}

TEST_P(ShortBatchTest, StepsTakeSegmentsOfAllForms) {
  constexpr int n = 6000, kSegments = 41;
  std::vector<std::int64_t> starts{0};
  for (int k = 0; k < kSegments; ++k) starts.push_back(k + 1 == kSegments ? n : starts.back() + k % 3 * 140);
  const IrregularMap irregular(backend, starts);
  std::vector<double> elements;
  for (int e = 0; e < n; ++e) elements.push_back(e % 101);
  const Vector<double> a(backend, elements);
  for (const SegmentDescriptor& descriptor :
       {irregular.descriptor, SegmentDescriptor{60, n, 100}, SegmentDescriptor::single(n)}) {
    const auto sums = vector<double>(n), totals = vector<double>(static_cast<int>(descriptor.segments)),
               r = vector<double>(n);
    const std::uint64_t before = launches();
    backend.run(Scan{Monoid::kSum, a, descriptor, sums});
    backend.run(Reduce{Monoid::kSum, a, descriptor, totals});
    backend.run(Dist{totals, descriptor, r});
    const std::vector<double> scanned = read(backend, sums, n), spread = read(backend, r, n);
    EXPECT_EQ(launches() - before, 1u);
    for (std::int64_t k = 0; k < descriptor.segments; ++k) {
      const std::int64_t begin =
          descriptor.is_regular() ? k * descriptor.regular_length : starts[static_cast<std::size_t>(k)];
      const std::int64_t end =
          descriptor.is_regular() ? begin + descriptor.regular_length : starts[static_cast<std::size_t>(k) + 1];
      double sum = 0;
      for (std::int64_t e = begin; e < end; ++e) {
        ASSERT_EQ(scanned[static_cast<std::size_t>(e)], sum) << e;
        sum += elements[static_cast<std::size_t>(e)];
      }
      for (std::int64_t e = begin; e < end; ++e) ASSERT_EQ(spread[static_cast<std::size_t>(e)], sum) << e;
    }
  }
}

TEST_P(ShortBatchTest, ScattersReplacementsAndRanksAreSteps) {
  for (const int n : {1, 100, kRankedInBlock, kMostElements}) {
    const SegmentDescriptor single = SegmentDescriptor::single(n);
    const Vector<int> a(backend, iota(n));
    const auto reversed = vector<int>(n), permuted = vector<int>(n), replaced = vector<int>(n), spread = vector<int>(n),
               merged = vector<int>(n), ranks = vector<int>(n), r = vector<int>(n);
    const auto is_low = vector<bool>(n);
    const int start = n - 1, stride = -1, zero = 0, seven = 7;
    const Operand last{ElemType::kI32, 1, &start, true}, back{ElemType::kI32, 1, &stride, true},
        first{ElemType::kI32, 1, &zero, true}, value{ElemType::kI32, 1, &seven, true};
    const std::uint64_t launched = launches();
    backend.run(Index{last, back, single, reversed});                     // n - 1, …, 0
    backend.run(Scatter{a, reversed, {}, {}, single, single, permuted});  // n - 1, …, 0
    backend.run(Replace{permuted, first, value, single, replaced});       // 7, n - 2, …, 0
    const std::array compared{Operand(a), Operand(reversed)};
    backend.run(Elementwise{Op::kLess, compared, is_low});
    const Operand flags(is_low);
    backend.run(Scatter{replaced, reversed, flags, {}, single, single, spread});  // to n - 1 - e for e < n - 1 - e
    const Operand defaults(a);
    backend.run(Scatter{a, spread, {}, defaults, single, single, merged});  // the last writer of each target
    const bool is_ranked = n <= kRankedInBlock;
    if (is_ranked) backend.run(Rank{false, replaced, single, ranks});
    add(merged, merged, r);
    EXPECT_EQ(launches(), launched);
    const std::vector<int> result = read(backend, r, n), replacement = read(backend, replaced, n),
                           scattered = read(backend, spread, n);
    EXPECT_EQ(launches() - launched, 1u);
    EXPECT_EQ(backend.take_fault().kind, FaultKind::kNone);
    std::vector<int> expected = iota(n);
    for (int e = 0; e < n; ++e) {
      const int back_e = n - 1 - e, was = e == 0 ? 7 : back_e;
      ASSERT_EQ(replacement[static_cast<std::size_t>(e)], was) << n;
      const int from = back_e < e ? (back_e == 0 ? 7 : e) : 0;
      ASSERT_EQ(scattered[static_cast<std::size_t>(e)], from) << n;
      expected[static_cast<std::size_t>(from)] = e;
    }
    for (int e = 0; e < n; ++e)
      ASSERT_EQ(result[static_cast<std::size_t>(e)], 2 * expected[static_cast<std::size_t>(e)]);
    if (!is_ranked) continue;
    const std::vector<int> positions = read(backend, ranks, n);
    for (int e = 1; e < n; ++e) {
      const int x = replacement[static_cast<std::size_t>(e)];
      ASSERT_EQ(positions[static_cast<std::size_t>(e)], x + (x >= 7 ? 1 : 0)) << n << ' ' << e;
    }
  }
}

TEST_P(ShortBatchTest, SlicesAndJoinsAreSteps) {
  constexpr int kSegments = 1500;
  std::vector<std::int64_t> offsets_of_a{0}, offsets_of_b{0}, offsets{0}, merged_offsets{0}, offsets_of_three{0};
  std::vector<char> is_of_a;
  for (int k = 0; k < kSegments; ++k) {
    offsets_of_a.push_back(offsets_of_a.back() + k % 4);
    offsets_of_b.push_back(offsets_of_b.back() + (k + 1) % 3);
    offsets.push_back(offsets_of_a.back() + offsets_of_b.back());
    offsets_of_three.push_back(offsets.back() + offsets_of_a.back());
  }
  for (int k = 0, of_a = 0; k < 2 * kSegments; ++k) {
    is_of_a.push_back((k % 5 < 2 ? of_a < kSegments : k - of_a >= kSegments) ? 1 : 0);
    const auto& from = is_of_a.back() != 0 ? offsets_of_a : offsets_of_b;
    const auto next = static_cast<std::size_t>(is_of_a.back() != 0 ? of_a++ : k - of_a);
    merged_offsets.push_back(merged_offsets.back() + from[next + 1] - from[next]);
  }
  const int in_a = static_cast<int>(offsets_of_a.back()), n = static_cast<int>(offsets.back());
  const IrregularMap of_a(backend, offsets_of_a), of_b(backend, offsets_of_b), to(backend, offsets),
      merged_to(backend, merged_offsets), to_three(backend, offsets_of_three);
  const Vector<int> both(backend, iota(n)), firsts(backend, std::vector<int>{0, in_a});
  const auto flags = vector<bool>(2 * kSegments);
  backend.upload(const_cast<void*>(flags.data()), is_of_a.data(), is_of_a.size());
  const auto a = vector<int>(in_a), b = vector<int>(n - in_a), joined = vector<int>(n),
             joined_three = vector<int>(n + in_a), merged = vector<int>(n);
  const int zero = 0;
  const Operand first{ElemType::kI32, 1, &zero, true}, behind_a{ElemType::kI32, 1, &in_a, true};
  backend.flush();
  const std::uint64_t launched = launches();
  backend.run(Slice{both, first, SegmentDescriptor::single(in_a), a});
  backend.run(Slice{both, behind_a, SegmentDescriptor::single(n - in_a), b});
  const JoinPart from_a{a, of_a.descriptor}, from_b{b, of_b.descriptor};
  const JoinPart nothing = JoinPart::none(ElemType::kI32, kSegments);
  backend.run(Append{{{{from_a, from_b, nothing}}, to.descriptor}, joined});
  backend.run(Append{{{{from_a, from_b, from_a}}, to_three.descriptor}, joined_three});
  backend.run(Merge{flags, {{{from_a, from_b}}, merged_to.descriptor}, merged});
  EXPECT_EQ(launches(), launched);
  const std::vector<int> appended = read(backend, joined, n), chosen = read(backend, merged, n),
                         three = read(backend, joined_three, n + in_a);
  EXPECT_EQ(launches() - launched, 1u);
  EXPECT_EQ(backend.take_fault().kind, FaultKind::kNone);
  std::vector<int> expected, expected_three, expected_merged;
  const auto put = [&](std::vector<int>& out, const std::vector<std::int64_t>& from, std::size_t k, int begin) {
    for (std::int64_t e = from[k]; e < from[k + 1]; ++e) out.push_back(begin + static_cast<int>(e));
  };
  std::size_t next_of_a = 0, next_of_b = 0;
  for (std::size_t k = 0; k < kSegments; ++k) {
    for (std::vector<int>* const out : {&expected, &expected_three}) {
      put(*out, offsets_of_a, k, 0);
      put(*out, offsets_of_b, k, in_a);
    }
    put(expected_three, offsets_of_a, k, 0);
  }
  for (const char takes_a : is_of_a)
    takes_a != 0 ? put(expected_merged, offsets_of_a, next_of_a++, 0)
                 : put(expected_merged, offsets_of_b, next_of_b++, in_a);
  EXPECT_EQ(appended, expected);
  EXPECT_EQ(three, expected_three);
  EXPECT_EQ(chosen, expected_merged);
}

TEST_P(ShortBatchTest, ADuplicateTargetInABatchIsAFault) {
  const Vector<int> a(backend, iota(100));
  const Vector<int> twos(backend, std::vector<int>(100, 2));
  const auto halves = vector<int>(100), r = vector<int>(100);
  const std::array divided{Operand(a), Operand(twos)};
  backend.run(Elementwise{Op::kDivide, divided, halves});
  const std::uint64_t launched = launches();
  backend.set_site(6);
  const SegmentDescriptor single = SegmentDescriptor::single(100);
  backend.run(Scatter{a, halves, {}, {}, single, single, r});
  const Fault fault = backend.take_fault();
  EXPECT_EQ(launches() - launched, 1u);
  EXPECT_EQ(fault.kind, FaultKind::kDuplicateTarget);
  EXPECT_EQ(fault.site, 6u);
  EXPECT_EQ(fault.position, 1);
}

TEST_P(ShortBatchTest, AFullBatchIsLaunched) {
  const Vector<int> a(backend, iota(10)), ones(backend, std::vector<int>(10, 1));
  const std::uint64_t before = launches();
  for (int k = 0; k < 2 * Batch::kMost + 1; ++k) add(a, ones, a);
  EXPECT_EQ(read(backend, a, 10)[9], 9 + 2 * Batch::kMost + 1);
  EXPECT_EQ(launches() - before, 3u);
}

TEST_P(ShortBatchTest, ScalarsComputedOnTheDeviceAreReadThere) {
  constexpr int n = 200000;
  const Vector<int> a(backend, iota(n));
  const auto sum = vector<int>(1), mean = vector<int>(1), r = vector<int>(n);
  const std::uint64_t launched = launches(), waited = waits();
  const int length = 1000;
  backend.run(Reduce{Monoid::kMax, a, SegmentDescriptor::single(n), sum});
  const std::array divided{Operand(sum), Operand{ElemType::kI32, 1, &length, true}};
  backend.run(Elementwise{Op::kDivide, divided, mean});
  backend.run(Dist{mean, SegmentDescriptor::single(n), r});
  add(a, r, r);
  EXPECT_EQ(waits(), waited);
  EXPECT_EQ(launches() - launched, 4u);
  EXPECT_TRUE(backend.would_wait(sum.data()));
  EXPECT_EQ(mean.first(), 199);
  EXPECT_EQ(waits() - waited, 1u);
  // This download also fetched the sum.
  EXPECT_FALSE(backend.would_wait(sum.data()));
  EXPECT_EQ(sum.first(), n - 1);
  EXPECT_EQ(waits() - waited, 1u);
  EXPECT_EQ(read(backend, r, 3), (std::vector{199, 200, 201}));
}

TEST_P(ShortBatchTest, ShortAndLongOperationsRunInOrderOfIssue) {
  constexpr int n = 20000;
  const Vector<int> a(backend, iota(n));
  const auto sum = vector<int>(1), r = vector<int>(n);
  for (int round = 1; round < 4; ++round) {
    backend.run(Reduce{Monoid::kMax, a, SegmentDescriptor::single(n), sum});
    add(sum, sum, sum);
    backend.run(Dist{sum, SegmentDescriptor::single(n), r});
    EXPECT_EQ(read(backend, r, n)[n - 1], 2 * (n - 1));
  }
}

TEST_P(ShortBatchTest, TheFirstStepAtFaultIsReported) {
  const Vector<int> a(backend, iota(100)), zeros(backend, std::vector<int>(100, 0));
  const auto r = vector<int>(100), s = vector<int>(100);
  const std::array divided{Operand(a), Operand(a)}, by_zero{Operand(a), Operand(zeros)};
  backend.set_site(3);
  add(a, zeros, r);
  backend.set_site(4);
  backend.run(Elementwise{Op::kDivide, divided, s});  // 0 / 0 in element 0
  backend.set_site(5);
  backend.run(Elementwise{Op::kRemainder, by_zero, s});
  EXPECT_FALSE(backend.has_fault());
  const Fault fault = backend.take_fault();
  EXPECT_EQ(fault.kind, FaultKind::kDivideByZero);
  EXPECT_EQ(fault.site, 4u);
  EXPECT_EQ(fault.position, 0);
  EXPECT_EQ(read(backend, r, 100), iota(100));
}

TEST_P(ShortBatchTest, AnUploadToMemoryOfAStepLaunchesTheBatchFirst) {
  const Vector<int> a(backend, iota(100)), b(backend, iota(100));
  const auto r = vector<int>(100), s = vector<int>(100);
  const std::vector<int> sevens(100, 7);
  backend.flush();
  const std::uint64_t before = launches();
  add(a, a, r);
  backend.upload(const_cast<void*>(b.data()), sevens.data(), 400);
  EXPECT_EQ(launches(), before);
  add(b, b, s);
  backend.upload(const_cast<void*>(a.data()), sevens.data(), 400);
  EXPECT_EQ(launches() - before, 1u);
  EXPECT_EQ(read(backend, r, 3), (std::vector{0, 2, 4}));
  EXPECT_EQ(read(backend, s, 3), (std::vector{14, 14, 14}));
}

/// A short upload waits for the batch, a long one does not.
TEST_P(ShortBatchTest, UploadsThatOverlapAreDoneInTheirOrder) {
  const Vector<int> a(backend, iota(1000));
  const std::vector<int> ones(100, 1), twos(1000, 2);
  backend.upload(static_cast<int*>(const_cast<void*>(a.data())) + 2, ones.data(), 400);
  backend.upload(const_cast<void*>(a.data()), twos.data(), 4000);
  EXPECT_EQ(read(backend, a, 4), (std::vector{2, 2, 2, 2}));
}

/// Lengths that the device computes, their offsets, and head bits made of these.
TEST_P(ShortBatchTest, LengthsAreExpandedAndSummarizedInTheBatchThatComputesThem) {
  constexpr int n = 1000;
  const auto lengths = vector<int>(n), nonempty = vector<int>(n + 1);
  const auto offsets = vector<std::int64_t>(n + 1);
  const Vector<int> a(backend, iota(n));
  backend.flush();
  const Traffic before = backend.counters();
  const int three = 3;
  const std::array operands{Operand(a), Operand{ElemType::kI32, 1, &three, true}};
  backend.run(Elementwise{Op::kRemainder, operands, lengths});
  const LengthsSummary summary = backend.summarize_lengths({lengths, offsets, nonempty});
  EXPECT_EQ(summary.total, 999);
  EXPECT_EQ(summary.regular_length, -1);
  EXPECT_TRUE(summary.has_empty);
  const SegmentDescriptor descriptor{n,       summary.total,
                                     -1,      static_cast<const std::int64_t*>(offsets.data()),
                                     nullptr, static_cast<const std::int32_t*>(nonempty.data())};
  EXPECT_EQ(launches() - before.launches, 1u);
  EXPECT_EQ(waits() - before.waits, 1u);
  const auto heads = vector<std::int64_t>(static_cast<int>(head_words(summary.total)));
  backend.run(MakeOffsets{lengths, offsets, nonempty});
  backend.run(MakeSegmentHeads{descriptor, heads});
  const std::vector<int> listed = read(backend, nonempty, n + 1);
  EXPECT_EQ(launches() - before.launches, 2u);
  const std::vector<std::int64_t> starts = read(backend, offsets, n + 1);
  for (int k = 0; k <= n; ++k) ASSERT_EQ(starts[static_cast<std::size_t>(k)], k / 3 * 3 + std::max(k % 3 - 1, 0)) << k;
  std::vector<int> expected = nonempty_of(starts);
  ASSERT_EQ(listed.back(), expected.back());
  EXPECT_TRUE(std::equal(listed.begin(), listed.begin() + listed.back(), expected.begin()));
}

TEST_P(ShortBatchTest, ANegativeLengthIsFoundByTheBatch) {
  const Vector<int> lengths(backend, std::vector<int>{4, 5, -6, 7});
  backend.set_site(9);
  (void)backend.summarize_lengths({lengths, {}, {}});
  EXPECT_TRUE(backend.has_fault());
  const Fault fault = backend.take_fault();
  EXPECT_EQ(fault.kind, FaultKind::kNegativeLength);
  EXPECT_EQ(fault.position, 2);
  EXPECT_EQ(fault.site, 9u);
}

TEST_P(ShortBatchTest, MemoryIsReleasedAfterTheStepsThatUseIt) {
  const std::size_t limit = std::size_t{1} << 20;
  DeviceBackend small(limit, Concurrency{GetParam(), 7});
  const Vector<int> r(small, 1000);
  const std::uint64_t before = small.counters().launches;
  {
    const Vector<int> a(small, iota(1000));
    const std::array operands{Operand(a), Operand(a)};
    small.run(Elementwise{Op::kAdd, operands, r});
  }
  EXPECT_EQ(small.counters().launches, before);
  const Vector<char> all(small, limit - 8000);  // the pool then returns the block of `a` to the executor
  ASSERT_NE(all.data(), nullptr);
  EXPECT_EQ(small.counters().launches - before, 1u);
  EXPECT_EQ(read(small, r, 3), (std::vector{0, 2, 4}));
}

TEST_P(ShortBatchTest, AFailedLaunchOfABatchIsAFaultOfItsFirstStep) {
  const Vector<int> a(backend, iota(10));
  const auto r = vector<int>(10);
  backend.set_site(8);
  add(a, a, r);
  backend.set_site(9);
  add(r, a, r);
  backend.executor().refuse_launch(1);
  const Fault fault = backend.take_fault();
  EXPECT_EQ(fault.kind, FaultKind::kOutOfMemory);
  EXPECT_EQ(fault.site, 8u);
  add(a, a, r);
  EXPECT_EQ(read(backend, r, 3), (std::vector{0, 2, 4}));
  EXPECT_EQ(backend.take_fault().kind, FaultKind::kNone);
}

}  // namespace
}  // namespace cvl::cuda

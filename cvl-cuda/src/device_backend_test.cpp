#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <vector>

#include "backend_fixture.h"

// Numbers of launches and waits. The conformance suite tests results.

namespace cvl::cuda {
namespace {

TEST_F(BackendTest, ShortOperationsAreOneLaunch) {
  constexpr int n = 1000;
  const std::int64_t lengths[] = {0, 3, 0, 900, 97};
  std::vector<std::int64_t> starts{0};
  for (const std::int64_t length : lengths) starts.push_back(starts.back() + length);
  const Vector<std::int64_t> offsets(backend, starts);
  const Vector<std::int64_t> heads(backend, static_cast<std::size_t>(head_words(n)));
  const Vector<int> nonempty(backend, nonempty_of(starts));
  SegmentDescriptor irregular{5,       n,
                              -1,      static_cast<const std::int64_t*>(offsets.data()),
                              nullptr, static_cast<const std::int32_t*>(nonempty.data())};
  EXPECT_EQ(launches_of([&] { backend.run(MakeSegmentHeads{irregular, heads}); }), 1u);
  irregular.heads = static_cast<const SegmentHeads*>(heads.data());
  const SegmentDescriptor single = SegmentDescriptor::single(n), regular{100, n, 10};
  const Vector<int> a(backend, iota(n)), r(backend, n), one(backend, 1), five(backend, 5), hundred(backend, 100);
  const Operand operands[] = {a, a};
  EXPECT_EQ(launches_of([&] { backend.run(Elementwise{Op::kAdd, operands, r}); }), 1u);
  EXPECT_EQ(launches_of([&] {
              backend.run(Random{a, {}, r});
              (void)backend.take_fault();
            }),
            1u);
  for (const SegmentDescriptor& descriptor : {single, regular, irregular})
    EXPECT_EQ(launches_of([&] { backend.run(Scan{Monoid::kSum, a, descriptor, r}); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.run(Reduce{Monoid::kSum, a, single, one}); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.run(Reduce{Monoid::kSum, a, regular, hundred}); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.run(Reduce{Monoid::kSum, a, irregular, five}); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.run(Gather{a, a, {}, single, single, r}); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.run(Scatter{a, a, {}, {}, single, single, r}); }), 1u);
  const Operand defaults = a;
  EXPECT_EQ(launches_of([&] { backend.run(Scatter{a, a, {}, defaults, single, single, r}); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.run(Dist{five, irregular, r}); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.run(Index{hundred, hundred, regular, r}); }), 1u);
  const int position = 7;
  const Operand scalar{ElemType::kI32, 1, &position, true};
  EXPECT_EQ(launches_of([&] { backend.run(Extract{a, scalar, single, one}); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.run(Replace{a, scalar, scalar, single, r}); }), 1u);
  for (const SegmentDescriptor& descriptor : {single, regular, irregular})
    EXPECT_EQ(launches_of([&] { backend.run(Rank{false, a, descriptor, r}); }), 1u);
  const Vector<std::int64_t> six(backend, 6);
  EXPECT_EQ(launches_of([&] { backend.run(MakeOffsets{five, six, {}}); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.run(MakeOffsets{five, six, Vector<int>(backend, 6)}); }), 1u);
}

TEST_F(BackendTest, LongOperationsAreFewLaunches) {
  constexpr int n = 200000, segments = 20000;
  std::vector<int> lengths;
  std::vector<std::int64_t> starts{0};
  for (int k = 0; k < segments; ++k) {
    lengths.push_back(k % 21);
    starts.push_back(starts.back() + lengths.back());
  }
  const int elements = static_cast<int>(starts.back());
  const Vector<std::int64_t> offsets(backend, starts), heads(backend, static_cast<std::size_t>(head_words(elements)));
  const Vector<std::int64_t> made(backend, segments + 1);
  const Vector<int> nonempty(backend, segments + 1), sizes(backend, lengths);
  SegmentDescriptor irregular{segments, elements,
                              -1,       static_cast<const std::int64_t*>(offsets.data()),
                              nullptr,  static_cast<const std::int32_t*>(nonempty.data())};
  EXPECT_EQ(launches_of([&] { EXPECT_TRUE(backend.summarize_lengths({sizes, made, nonempty}).has_empty); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.run(MakeOffsets{sizes, made, nonempty}); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.run(MakeSegmentHeads{irregular, heads}); }), 1u);
  irregular.heads = static_cast<const SegmentHeads*>(heads.data());
  const Vector<int> one(backend, 1), some(backend, segments);
  const auto launches_over = [&](const SegmentDescriptor& descriptor, const Vector<int>& results) {
    const auto m = static_cast<std::size_t>(descriptor.elements);
    const Vector<int> a(backend, iota(static_cast<int>(m))), r(backend, m);
    std::vector<char> every_third(m);
    for (std::size_t e = 0; e < m; e += 3) every_third[e] = 1;
    const Vector<char> bytes(backend, every_third);
    const Operand flags{ElemType::kB8, descriptor.elements, bytes.data()};
    EXPECT_EQ(launches_of([&] { backend.run(Scan{Monoid::kSum, a, descriptor, r}); }), 1u);
    EXPECT_EQ(launches_of([&] { backend.run(Reduce{Monoid::kSum, a, descriptor, results}); }), 1u);
    EXPECT_EQ(launches_of([&] { backend.run(Dist{results, descriptor, r}); }), 1u);
    EXPECT_EQ(launches_of([&] { backend.run(Index{results, results, descriptor, r}); }), 1u);
    EXPECT_EQ(launches_of([&] {
                // Together with the result's descriptor (MakeOffsets and MakeSegmentHeads, two launches) a PACK is four
                // launches.
                const auto plan = backend.plan_pack(flags, descriptor, results);
                backend.run(Pack{*plan, a, flags, Vector<int>(backend, static_cast<std::size_t>(plan->kept))});
              }),
              2u);
  };
  launches_over(SegmentDescriptor::single(n), one);
  launches_over({segments, n, n / segments}, some);
  launches_over(irregular, some);
  const SegmentDescriptor single = SegmentDescriptor::single(n);
  const Vector<int> a(backend, iota(n)), r(backend, n);
  const Vector<char> all(backend, std::vector<char>(n, 1));
  const Operand defaults = a, flags{ElemType::kB8, n, all.data()};
  EXPECT_EQ(launches_of([&] { backend.run(Gather{a, a, {}, single, single, r}); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.run(Scatter{a, a, {}, {}, single, single, r}); }), 1u);
  EXPECT_EQ(launches_of([&] { backend.run(Scatter{a, a, flags, {}, single, single, r}); }), 2u);
  EXPECT_EQ(launches_of([&] { backend.run(Scatter{a, a, {}, defaults, single, single, r}); }), 3u);
  const Vector<int> twice(backend, 2 * n);
  const Append append{
      {{{{a, single}, {a, single}, JoinPart::none(ElemType::kI32, 1)}}, SegmentDescriptor::single(2 * n)}, twice};
  EXPECT_EQ(launches_of([&] { backend.run(append); }), 1u);
  // Two launches, and CUB's sort. The last case has two sorts and another launch between them.
  constexpr int few = 20;
  const std::uint64_t sort_32 = sort_operations(32), sort_37 = sort_operations(37), sort_64 = sort_operations(64);
  EXPECT_EQ(sort_32, 12u);
  EXPECT_EQ(launches_of([&] { backend.run(Rank{false, a, single, r}); }), 2 + sort_32);
  EXPECT_EQ(launches_of([&] { backend.run(Rank{false, a, {few, n, n / few}, r}); }), 2 + sort_37);
  const Vector<double> wide(backend, std::vector<double>(n));
  EXPECT_EQ(launches_of([&] { backend.run(Rank{false, wide, single, r}); }), 2 + sort_64);
  EXPECT_EQ(launches_of([&] {
              backend.run(Rank{false, wide, {few, n, n / few}, r});
            }),
            3 + sort_64 + sort_operations(5));
}

TEST_F(BackendTest, BatchFindsTheFlagsOfALongMerge) {
  constexpr int n = 10000, segments = 1000, length = n / segments;
  const Vector<int> a(backend, iota(n / 2)), b(backend, iota(n / 2)), merged(backend, n);
  const Vector<bool> is_of_b(backend, segments), is_of_a(backend, segments);
  std::vector<std::uint8_t> bytes(segments);
  for (int k = 0; k < segments; ++k) bytes[static_cast<std::size_t>(k)] = k % 2;
  backend.upload(const_cast<void*>(is_of_b.data()), bytes.data(), bytes.size());
  const Operand operands[] = {is_of_b};
  const SegmentDescriptor of_part{segments / 2, n / 2, length}, to{segments, n, length};
  const JoinPart from_a{a, of_part}, from_b{b, of_part};
  EXPECT_EQ(launches_of([&] {
              backend.run(Elementwise{Op::kNot, operands, is_of_a});
              backend.run(Merge{is_of_a, {{{from_a, from_b}}, to}, merged});
            }),
            2u);
  std::vector<int> read(n), expected;
  backend.download(read.data(), merged.data(), n * sizeof read[0]);
  for (int e = 0; e < n; ++e) expected.push_back(e / (2 * length) * length + e % length);
  EXPECT_EQ(read, expected);
}

TEST_F(BackendTest, OffsetsOfSeveralDescriptorsAreOneLaunch) {
  constexpr int n = 5000;
  const std::vector<int> lengths = iota(n);
  const std::vector<std::int64_t> wide(lengths.begin(), lengths.end());
  std::vector<std::int64_t> sums(n + 1);
  std::partial_sum(wide.begin(), wide.end(), sums.begin() + 1);
  const auto read = [&](const Vector<std::int64_t>& v) {
    std::vector<std::int64_t> elements(n + 1);
    backend.download(elements.data(), v.data(), elements.size() * sizeof elements[0]);
    return elements;
  };
  const Vector<int> a(backend, lengths), b(backend, lengths), nonempty(backend, n + 1);
  const Vector<std::int64_t> of_a(backend, n + 1), of_b(backend, n + 1), c(backend, wide);
  EXPECT_EQ(launches_of([&] {
              backend.run(MakeOffsets{a, of_a, nonempty});
              backend.run(MakeOffsets{b, of_b, {}});
            }),
            1u);
  EXPECT_EQ(read(of_a), sums);
  EXPECT_EQ(read(of_b), sums);
  EXPECT_EQ(nonempty.first(), 1);
  EXPECT_EQ(launches_of([&] {
              for (int k = 0; k < kMostOffsets + 1; ++k) backend.run(MakeOffsets{a, of_a, {}});
            }),
            2u);
  // Lengths that are made by the launch before, and lengths that are overwritten.
  const Vector<std::int64_t> of_c(backend, n + 1), of_sums(backend, n + 1);
  EXPECT_EQ(launches_of([&] {
              backend.run(MakeOffsets{c, of_c, {}});
              backend.run(MakeOffsets{{ElemType::kI64, n, of_c.data()}, of_sums, {}});
              backend.upload(const_cast<void*>(c.data()), sums.data(), n * sizeof sums[0]);
            }),
            2u);
  EXPECT_EQ(read(of_c), sums);
  std::vector<std::int64_t> sums_of_sums(n + 1);
  std::partial_sum(sums.begin(), sums.end() - 1, sums_of_sums.begin() + 1);
  EXPECT_EQ(read(of_sums), sums_of_sums);
}

TEST_F(BackendTest, ABatchRepliesToTheHost) {
  constexpr int n = 1000;
  const Vector<int> a(backend, iota(n)), r(backend, n), sum(backend, 1), most(backend, 1);
  const SegmentDescriptor single = SegmentDescriptor::single(n);
  for (const int steps : {2, Batch::kMostWithReply, Batch::kMost}) {
    backend.flush();
    const Traffic before = backend.counters();
    backend.run(Reduce{Monoid::kSum, a, single, sum});
    for (int step = 2; step < steps; ++step) backend.run(Scan{Monoid::kSum, a, single, r});
    backend.run(Reduce{Monoid::kMax, a, single, most});
    EXPECT_EQ(sum.first(), n * (n - 1) / 2);
    EXPECT_EQ(most.first(), n - 1);
    EXPECT_EQ(launches() - before.launches, 1u);
    EXPECT_EQ(waits() - before.waits, 1u);
    // Without room for the reply among the arguments, another kernel brings the results.
    EXPECT_EQ(backend.counters().replies - before.replies, steps == Batch::kMost ? 0u : 1u);
  }
}

TEST_F(BackendTest, SummariesAndPacksReply) {
  constexpr int segments = 20000;
  const Vector<int> lengths(backend, iota(segments)), sizes(backend, 1);
  const Vector<char> all(backend, std::vector<char>(segments, 1));
  const Traffic before = backend.counters();
  const LengthsSummary summary = backend.summarize_lengths({lengths, {}, {}});
  EXPECT_EQ(summary.total, segments * (segments - 1) / 2);
  EXPECT_EQ(summary.regular_length, -1);
  EXPECT_TRUE(summary.has_empty);
  const Operand flags{ElemType::kB8, segments, all.data()};
  EXPECT_EQ(backend.plan_pack(flags, SegmentDescriptor::single(segments), sizes)->kept, segments);
  EXPECT_EQ(launches() - before.launches, 2u);
  EXPECT_EQ(backend.counters().replies - before.replies, 2u);
}

TEST_F(BackendTest, APermutationNeedsNoBitForEachTarget) {
  constexpr int n = 1000000;
  const Vector<int> a(backend, iota(n)), r(backend, n);
  const std::size_t before = backend.memory_use().peak;
  const SegmentDescriptor single = SegmentDescriptor::single(n);
  backend.run(Scatter{a, a, {}, {}, single, single, r});
  EXPECT_LT(backend.memory_use().peak - before, std::size_t{n / 32});
}

/// Vectors of more than 1024 tiles, whose look-back uses groups of groups.
struct LongVectorsTest : testing::TestWithParam<int> {
  static constexpr int kElements = 77 * 7 * 1051;  // a multiple of 77
  DeviceBackend backend{kMemory, Concurrency{GetParam(), 5}};
  /// Pseudorandom, so that a wrong order of elements changes prefix sums.
  std::vector<int> elements = [] {
    std::vector<int> v;
    for (int e = 0; e < kElements; ++e) v.push_back(static_cast<int>(mixed(static_cast<std::uint64_t>(e)) >> 40));
    return v;
  }();

  std::vector<int> read(const Vector<int>& v, std::size_t n) {
    std::vector<int> host(n);
    backend.download(host.data(), v.data(), n * sizeof(int));
    EXPECT_EQ(backend.take_fault().kind, FaultKind::kNone);
    return host;
  }
};

TEST_P(LongVectorsTest, Scan) {
  const Vector<int> a(backend, elements), r(backend, kElements);
  for (const int length : {kElements, kElements / 7, 13}) {
    const int segments = (kElements + length - 1) / length;
    std::vector<std::int64_t> starts;
    for (int k = 0; k < segments; ++k) starts.push_back(std::int64_t{k} * length);
    starts.push_back(kElements);
    const Vector<std::int64_t> offsets(backend, starts);
    const Vector<std::int64_t> heads(backend, static_cast<std::size_t>(head_words(kElements)));
    SegmentDescriptor descriptor = SegmentDescriptor::single(kElements);
    if (segments > 1) {
      descriptor = {segments, kElements, -1, static_cast<const std::int64_t*>(offsets.data())};
      backend.run(MakeSegmentHeads{descriptor, heads});
      descriptor.heads = static_cast<const SegmentHeads*>(heads.data());
    }
    backend.run(Scan{Monoid::kSum, a, descriptor, r});
    const std::vector<int> sums = read(r, kElements);
    const Vector<int> totals(backend, static_cast<std::size_t>(segments));
    backend.run(Reduce{Monoid::kSum, a, descriptor, totals});
    const std::vector<int> total = read(totals, static_cast<std::size_t>(segments));
    unsigned sum = 0;
    for (int e = 0; e < kElements; ++e) {
      if (e % length == 0) sum = 0;
      ASSERT_EQ(sums[static_cast<std::size_t>(e)], static_cast<int>(sum)) << e << ", segments of " << length;
      sum += static_cast<unsigned>(elements[static_cast<std::size_t>(e)]);
      if (e % length == length - 1 || e == kElements - 1) {
        ASSERT_EQ(total[static_cast<std::size_t>(e / length)], static_cast<int>(sum)) << "segments of " << length;
      }
    }
  }
}

TEST_P(LongVectorsTest, Pack) {
  std::vector<char> kept;
  std::vector<int> packed;
  for (int e = 0; e < kElements; ++e) {
    kept.push_back(static_cast<char>(e % 5 == 0 || e / 3000 % 2 == 0));
    if (kept.back() != 0) packed.push_back(elements[static_cast<std::size_t>(e)]);
  }
  const Vector<int> a(backend, elements);
  const Vector<char> bytes(backend, kept);
  const Operand flags{ElemType::kB8, kElements, bytes.data()};
  constexpr int kLength = kElements / 77;
  static_assert(kElements % 77 == 0 && kElements > 1024 * kTile);
  const Vector<int> counts(backend, 77);
  const auto plan = backend.plan_pack(flags, {77, kElements, kLength}, counts);
  ASSERT_EQ(plan->kept, std::ssize(packed));
  const Vector<int> r(backend, packed.size());
  backend.run(Pack{*plan, a, flags, r});
  EXPECT_EQ(read(r, packed.size()), packed);
  const std::vector<int> count = read(counts, 77);
  for (int k = 0; k < 77; ++k)
    EXPECT_EQ(count[static_cast<std::size_t>(k)],
              std::accumulate(kept.begin() + k * kLength, kept.begin() + (k + 1) * kLength, 0));
}

INSTANTIATE_TEST_SUITE_P(Workers, LongVectorsTest, testing::Values(0, 3));

/// Runs one program with the blocks in different orders, and compares the bits of the floats.
TEST(FloatSumsTest, DoNotDependOnTheOrderOfBlocks) {
  constexpr int n = 40 * kTile + 5;
  std::vector<float> elements;
  for (int e = 0; e < n; ++e)
    elements.push_back(1.0f / static_cast<float>(1 + (mixed(static_cast<std::uint64_t>(e)) >> 44)));
  std::vector<std::vector<float>> results;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    DeviceBackend backend(kMemory, Concurrency{seed == 0 ? 0 : 3, seed});
    const Vector<float> a(backend, elements), r(backend, n), sums(backend, 5);
    std::vector<float> host(n + 5);
    backend.run(Scan{Monoid::kSum, a, {5, n, n / 5}, r});
    backend.run(Reduce{Monoid::kSum, a, {5, n, n / 5}, sums});
    backend.download(host.data(), r.data(), n * sizeof(float));
    backend.download(host.data() + n, sums.data(), 5 * sizeof(float));
    results.push_back(host);
  }
  for (const std::vector<float>& result : results) EXPECT_EQ(result, results[0]);
}

TEST_F(BackendTest, PendingResultsAreReadTogether) {
  const Vector<int> a(backend, iota(1000)), sum(backend, 1), largest(backend, 1), smallest(backend, 1);
  const SegmentDescriptor single = SegmentDescriptor::single(1000);
  backend.run(Reduce{Monoid::kSum, a, single, sum});
  backend.run(Reduce{Monoid::kMax, a, single, largest});
  const std::uint64_t before = waits();
  EXPECT_EQ(sum.first(), 499500);
  EXPECT_EQ(largest.first(), 999);
  EXPECT_EQ(sum.first(), 499500);
  EXPECT_EQ(waits() - before, 1u);
  // An overwritten result is fetched again.
  backend.run(Reduce{Monoid::kMin, a, single, largest});
  backend.run(Reduce{Monoid::kMin, a, single, smallest});
  EXPECT_EQ(largest.first(), 0);
  EXPECT_EQ(smallest.first(), 0);
  EXPECT_EQ(waits() - before, 2u);
}

TEST_F(BackendTest, ResultsInReleasedMemoryAreForgotten) {
  const Vector<int> a(backend, iota(1000));
  const void* address = nullptr;
  {
    const Vector<int> sum(backend, 1);
    address = sum.data();
    backend.run(Reduce{Monoid::kSum, a, SegmentDescriptor::single(1000), sum});
    EXPECT_EQ(sum.first(), 499500);
  }
  const Vector<int> other(backend, std::vector<int>{17});
  EXPECT_EQ(other.data(), address);
  EXPECT_EQ(other.first(), 17);
}

TEST_F(BackendTest, WhatIsCopiedIntoAShortResultIsRead) {
  const Vector<int> a(backend, iota(16)), b(backend, 16);
  const Operand operands[] = {a, a};
  backend.run(Elementwise{Op::kAdd, operands, b});
  std::vector<int> read(16);
  const auto download = [&] { backend.download(read.data(), b.data(), 64); };
  download();
  EXPECT_EQ(read[15], 30);
  auto* const middle = static_cast<int*>(Result(b).data) + 8;
  backend.copy(middle, a.data(), 16);
  download();
  EXPECT_EQ((std::vector<int>(read.begin() + 7, read.begin() + 13)), (std::vector<int>{14, 0, 1, 2, 3, 24}));
  const int five = 5;
  backend.upload(middle, &five, sizeof five);
  download();
  EXPECT_EQ((std::vector<int>(read.begin() + 7, read.begin() + 13)), (std::vector<int>{14, 5, 1, 2, 3, 24}));
}

TEST_F(BackendTest, SteadyStateAllocatesNoMemory) {
  const Vector<int> a(backend, iota(100000));
  const SegmentDescriptor descriptor{10000, 100000, 10};
  auto work = [&] {
    const Vector<int> ranks(backend, 100000), sums(backend, 10000);
    backend.run(Rank{false, a, SegmentDescriptor::single(100000), ranks});
    backend.run(Reduce{Monoid::kSum, a, descriptor, sums});
  };
  work();
  const std::size_t held = backend.memory_use().held;
  for (int k = 0; k < 5; ++k) work();
  EXPECT_EQ(backend.memory_use().held, held);
}

TEST(MakingABackend, FailsWithASentenceWithoutMemoryForTheLibrary) {
  std::string error;
  EXPECT_EQ(make_device_backend(error, std::size_t{1000}), nullptr);
  EXPECT_EQ(error, "the device has no 262144 bytes of free memory for the library itself");
  EXPECT_NE(make_device_backend(error, kMemory), nullptr);
}

TEST(DevicesTest, ABackendUsesItsDeviceOnAnyThread) {
  std::optional<DeviceBackend> backend;
  {
    const UsingDevice third(3);
    backend.emplace(kMemory);
  }
  EXPECT_EQ(backend->device().number, 3);
  {
    const Vector<int> a(*backend, iota(10000)), sums(*backend, 10000), last(*backend, 1);
    for (const int device : {0, 3, 1}) {
      const UsingDevice of_thread(device);
      backend->run(Scan{Monoid::kSum, a, SegmentDescriptor::single(10000), sums});
      backend->run(Reduce{Monoid::kMax, sums, SegmentDescriptor::single(10000), last});
      EXPECT_EQ(last.first(), 9998 * 9999 / 2);
      EXPECT_EQ(backend->take_fault().kind, FaultKind::kNone);
      EXPECT_EQ(current_device(), device);
    }
  }
  backend.reset();
  EXPECT_EQ(current_device(), 0);
}

TEST_F(BackendTest, RunningOutOfMemoryIsAFaultOfTheOperation) {
  DeviceBackend small(std::size_t{1} << 20);
  const Vector<int> a(small, iota(100000)), r(small, 100000);
  small.set_site(5);
  small.run(Rank{false, a, SegmentDescriptor::single(100000), r});
  EXPECT_TRUE(small.has_fault());
  const Fault fault = small.take_fault();
  EXPECT_EQ(fault.kind, FaultKind::kOutOfMemory);
  EXPECT_EQ(fault.site, 5u);
  EXPECT_GT(fault.value, 0);
  EXPECT_FALSE(small.has_fault());
}

}  // namespace
}  // namespace cvl::cuda

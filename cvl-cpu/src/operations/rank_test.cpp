#include "operations/operations.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>

#include "test_machine.h"

namespace cvl::cpu {
namespace {

/// The order of ranks: NaN is larger than every number and equal to itself.
template <class T>
bool before(T a, T b) {
  return a < b || (a == a && b != b);
}

template <class T, class R>
std::vector<R> expected_ranks(const std::vector<T>& a, const std::vector<std::int64_t>& offsets, bool descending) {
  std::vector<R> ranks(a.size());
  std::vector<std::int64_t> order(a.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
    const auto first = order.begin() + offsets[k], last = order.begin() + offsets[k + 1];
    std::stable_sort(first, last, [&](std::int64_t x, std::int64_t y) {
      const T p = a[std::size_t(x)], q = a[std::size_t(y)];
      return descending ? before(q, p) : before(p, q);
    });
    for (auto at = first; at != last; ++at) ranks[std::size_t(*at)] = R(at - first);
  }
  return ranks;
}

template <class T, class R>
void expect_ranks(const std::vector<T>& a, const TestSegments& segments) {
  for (const bool descending : {false, true}) {
    const std::vector<R> expected = expected_ranks<T, R>(a, segments.offsets, descending);
    on_all_machines([&](Context& context) {
      std::vector<R> ranks(a.size(), R(-1));
      run(context, Rank{descending, operand(a), segments.descriptor, result(ranks)});
      EXPECT_EQ(ranks, expected);
      EXPECT_FALSE(context.faults.any());
    });
  }
}

/// Values of a type with repetitions, over ranges of several sizes.
template <class T>
std::vector<T> some_values(std::int64_t n, int kind, std::mt19937_64& random) {
  std::vector<T> a(static_cast<std::size_t>(n));
  for (T& x : a) {
    const std::uint64_t bits = random();
    switch (kind) {
      case 0:
        x = T(42);
        break;
      case 1:
        x = T(std::int64_t(bits % 100) - 50);
        break;
      case 2:
        x = T(bits % (std::uint64_t(1) << 30));
        break;
      default:
        std::memcpy(&x, &bits, sizeof x);  // all bit patterns, NaN included
    }
  }
  return a;
}

template <class T, class R>
void expect_ranks_of_many() {
  std::mt19937_64 random(5);
  for (const auto& lengths : test_lengths())
    for (int kind = 0; kind < 4; ++kind) {
      const TestSegments segments(lengths);
      SCOPED_TRACE("segments: " + std::to_string(lengths.size()) + ", kind: " + std::to_string(kind));
      expect_ranks<T, R>(some_values<T>(segments.descriptor.elements, kind, random), segments);
    }
}

TEST(Rank, OrdersInts) { expect_ranks_of_many<std::int32_t, std::int32_t>(); }
TEST(Rank, OrdersLongInts) { expect_ranks_of_many<std::int64_t, std::int64_t>(); }
TEST(Rank, OrdersFloats) { expect_ranks_of_many<float, std::int32_t>(); }
TEST(Rank, OrdersDoubles) { expect_ranks_of_many<double, std::int64_t>(); }

/// Lengths just below and above the limits between the ways of ranking.
TEST(Rank, OrdersSegmentsOfAllSizes) {
  std::mt19937_64 random(10);
  const TestSegments segments({0, 1, 48, 49, 255, 256, 8192, 16384, 16385, 3, 40000, 0, 100000, 2});
  const std::int64_t n = segments.descriptor.elements;
  for (int kind = 0; kind < 4; ++kind) {
    SCOPED_TRACE("kind: " + std::to_string(kind));
    expect_ranks<std::int32_t, std::int64_t>(some_values<std::int32_t>(n, kind, random), segments);
    expect_ranks<std::int64_t, std::int32_t>(some_values<std::int64_t>(n, kind, random), segments);
    expect_ranks<float, std::int64_t>(some_values<float>(n, kind, random), segments);
    expect_ranks<double, std::int32_t>(some_values<double>(n, kind, random), segments);
  }
}

/// Keys in clusters within clusters: buckets are ranked recursively, with wide and narrow keys.
TEST(Rank, OrdersUnevenKeys) {
  std::mt19937_64 random(11);
  std::vector<std::int64_t> a(200000);
  for (std::size_t e = 0; e < a.size(); ++e) {
    const std::uint64_t bits = random();
    a[e] = std::int64_t(e % 100 == 0 ? bits : e % 3 == 0 ? bits >> 20 : e % 3 == 1 ? bits >> 40 : bits >> 60);
  }
  const TestSegments one({std::int64_t(a.size())});
  expect_ranks<std::int64_t, std::int64_t>(a, one);
  expect_ranks<std::int64_t, std::int32_t>(a, one);
  expect_ranks<std::int32_t, std::int32_t>({a.begin(), a.end()}, one);
}

TEST(Rank, OrdersManyElements) {
  constexpr std::int64_t kMany = (1 << 19) + 12345;
  std::mt19937_64 random(9);
  std::vector<std::int64_t> huge(200001, 1);
  huge[100000] = kMany - 200000;
  const std::vector<std::vector<std::int64_t>> all{{kMany}, std::vector<std::int64_t>(kMany / 1000 + 1, 1000), huge};
  for (const auto& lengths : all) {
    const TestSegments segments(lengths);
    const std::int64_t n = segments.descriptor.elements;
    expect_ranks<std::int32_t, std::int32_t>(some_values<std::int32_t>(n, 2, random), segments);
    expect_ranks<double, std::int32_t>(some_values<double>(n, 2, random), segments);
    expect_ranks<std::int64_t, std::int64_t>(some_values<std::int64_t>(n, 3, random), segments);
    // Nearly all keys are small.
    std::vector<std::int32_t> uneven = some_values<std::int32_t>(n, 1, random);
    for (std::size_t e = 0; e < uneven.size(); e += 97) uneven[e] = std::int32_t(random() >> 33);
    expect_ranks<std::int32_t, std::int32_t>(uneven, segments);
  }
}

/// Keys of more digits than the two by which they are sorted first: none, some and nearly all differ in these.
TEST(Rank, OrdersKeysThatDifferInLowBits) {
  std::mt19937_64 random(12);
  for (const std::int64_t n : {49, 200, 255, 256, 3000, 16384, 30000})
    for (const int clusters : {1, 2, 20, 1000, 1 << 30}) {
      SCOPED_TRACE(std::to_string(n) + " elements in clusters: " + std::to_string(clusters));
      std::vector<double> a(std::size_t(n), 0.0);
      std::vector<std::int64_t> b(std::size_t(n), 0);
      std::vector<std::int32_t> c(std::size_t(n), 0);
      for (std::int64_t e = 0; e < n; ++e) {
        const std::uint64_t bits = random();
        const auto cluster = double(bits % std::uint64_t(clusters));
        a[std::size_t(e)] = cluster + double(bits >> 60) * 1e-13;
        b[std::size_t(e)] = std::int64_t(cluster) << 33 | std::int64_t(bits >> 61);
        c[std::size_t(e)] = std::int32_t(std::int64_t(cluster) << 12 | std::int64_t(bits >> 61));
      }
      a[0] = -1e300;
      c[0] = std::numeric_limits<std::int32_t>::min();
      expect_ranks<double, std::int32_t>(a, TestSegments({n}));
      expect_ranks<std::int64_t, std::int32_t>(b, TestSegments({n}));
      expect_ranks<std::int32_t, std::int32_t>(c, TestSegments({n}));
    }
}

/// Keys of so many bits that all of them are counted at once only if there are many elements for each.
TEST(Rank, OrdersManyEqualKeys) {
  std::mt19937_64 random(13);
  for (const int keys : {2048, 2049, 5000, 16384, 16385}) {
    SCOPED_TRACE("keys: " + std::to_string(keys));
    std::vector<std::int32_t> a(std::size_t(16 * 16384 + 5));
    for (std::int32_t& x : a) x = std::int32_t(random() % std::uint64_t(keys));
    expect_ranks<std::int32_t, std::int32_t>(a, TestSegments({std::int64_t(a.size())}));
    a.resize(50000);
    expect_ranks<std::int32_t, std::int64_t>(a, TestSegments({std::int64_t(a.size())}));
  }
}

/// Elements that are in order but for one near an end, a border between blocks, or none at all.
template <class T>
void expect_ranks_of_ordered() {
  for (const std::int64_t n : {60, 16384, 70000})
    for (const bool descending : {false, true})
      for (const std::int64_t out_of_order : {std::int64_t(-1), std::int64_t(1), std::int64_t(65536), n - 1}) {
        if (out_of_order >= n) continue;
        std::vector<T> a(std::size_t(n), T(0));
        for (std::int64_t e = 0; e < n; ++e) a[std::size_t(e)] = T((descending ? n - e : e) / 3);
        if (out_of_order >= 0) a[std::size_t(out_of_order)] = T(descending ? 2 * n : -5);
        SCOPED_TRACE(std::to_string(n) + " elements, out of order: " + std::to_string(out_of_order));
        expect_ranks<T, std::conditional_t<sizeof(T) == 4, std::int64_t, std::int32_t>>(a, TestSegments({n}));
      }
}

TEST(Rank, OrdersElementsThatAreInOrder) {
  expect_ranks_of_ordered<std::int32_t>();
  expect_ranks_of_ordered<std::int64_t>();
  expect_ranks_of_ordered<float>();
  expect_ranks_of_ordered<double>();
}

TEST(Rank, OrdersFloatsThatEndWithNanOrMixZeros) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const std::size_t n : {std::size_t(100), std::size_t(100000)}) {
    std::vector<double> a(n, 0.0);
    for (std::size_t e = 0; e < n; e += 3) a[e] = -0.0;
    for (std::size_t e = n - 40; e < n; ++e) a[e] = e % 2 == 0 ? kNan : -kNan;
    expect_ranks<double, std::int32_t>(a, TestSegments({std::int64_t(n)}));
    a[n - 1] = 1.0;
    expect_ranks<double, std::int32_t>(a, TestSegments({std::int64_t(n)}));
    a[n - 1] = kNan;
    a[5] = kNan;
    expect_ranks<double, std::int32_t>(a, TestSegments({std::int64_t(n)}));
  }
}

TEST(Rank, TreatsZerosAsEqualAndNanAsLargest) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  std::vector<double> a{kNan, 0.0, -kInf, -0.0, -kNan, kInf, 1.0, -1.0, 0.0};
  const TestSegments short_one({std::int64_t(a.size())});
  expect_ranks<double, std::int32_t>(a, short_one);
  const std::size_t period = a.size();
  while (a.size() < 1000) a.push_back(a[a.size() - period]);
  const TestSegments long_one({std::int64_t(a.size())});
  expect_ranks<double, std::int32_t>(a, long_one);
}

TEST(Rank, RegularSegmentsAndTheirOffsetsGiveTheSameRanks) {
  std::mt19937_64 random(6);
  for (const std::int64_t length : {1, 10, 100, 5000}) {
    const std::int64_t segments = 100000 / length;
    const auto a = some_values<std::int32_t>(segments * length, 2, random);
    const TestSegments listed(std::vector<std::int64_t>(std::size_t(segments), length));
    on_all_machines([&](Context& context) {
      std::vector<std::int32_t> regular(a.size()), irregular(a.size());
      run(context, Rank{false, operand(a), {segments, segments * length, length, nullptr}, result(regular)});
      run(context, Rank{false, operand(a), listed.descriptor, result(irregular)});
      EXPECT_EQ(regular, irregular);
    });
  }
}

TEST(Rank, ReportsHowMuchMemoryItLacks) {
  std::string error;
  TestMachine machine(*choose_kernels("", error), 1, 1 << 20);
  std::mt19937_64 random(8);
  const auto a = some_values<std::int64_t>(200000, 3, random);
  std::vector<std::int32_t> ranks(a.size());
  run(machine.context, Rank{false, operand(a), SegmentDescriptor::single(200000), result(ranks)});
  const Fault fault = machine.faults.take();
  EXPECT_EQ(fault.kind, FaultKind::kOutOfMemory);
  EXPECT_GE(fault.value, 8 * 200000);
}

}  // namespace
}  // namespace cvl::cpu

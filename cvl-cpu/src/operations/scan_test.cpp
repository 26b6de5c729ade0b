// Scans and reductions of vectors that are divided into many chunks, some large enough to be streamed.

#include "operations/operations.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/streaming.h"
#include "cvl/fold_order.h"
#include "test_machine.h"
#include "tuning/chunk_tuning.h"
#include "vcode/arith.h"
#include "vcode/op_semantics.h"

namespace cvl::cpu {
namespace {

constexpr std::int64_t kLarge = 700000;

std::vector<std::vector<std::int64_t>> lengths_of_large_vectors() {
  std::vector<std::vector<std::int64_t>> all = test_lengths();
  all.push_back({kLarge});
  std::mt19937 random(11);
  for (const int longest : {1, 20, 2000}) {
    std::vector<std::int64_t> lengths;
    for (std::int64_t left = kLarge; left > 0; left -= lengths.back())
      lengths.push_back(std::min<std::int64_t>(left, random() % unsigned(longest + 1)));
    all.push_back(lengths);
  }
  return all;
}

/// A vector in the memory of the backend.
template <class T>
struct DeviceVector {
  DeviceVector(Context& context, std::int64_t length) : data(context.arena.scratch<T>(length)), n(length) {}
  DeviceVector(Context& context, const std::vector<T>& values)
      : DeviceVector(context, static_cast<std::int64_t>(values.size())) {
    std::copy(values.begin(), values.end(), data.get());
  }
  Operand operand() const { return {vcode::kElemTypeOf<T>, n, data.get()}; }
  Result result() { return {vcode::kElemTypeOf<T>, n, data.get()}; }
  std::vector<T> values() const { return {data.get(), data.get() + n}; }
  Arena::Scratch<T> data;
  std::int64_t n;
};

template <class M, class T>
std::vector<T> scan_of(const std::vector<T>& a, const TestSegments& segments) {
  std::vector<T> scanned(a.size());
  for (std::int64_t k = 0; k < segments.descriptor.segments; ++k) {
    T sum = M::template identity<T>();
    for (std::int64_t e = segments.offsets[k]; e < segments.offsets[k + 1]; ++e) {
      scanned[e] = e == segments.offsets[k] ? M::template empty_value<T>() : sum;
      sum = M::template combine<T>(a[e], sum);
    }
  }
  return scanned;
}

TEST(Scan, IsExactForIntegersOfAnyShape) {
  for (const auto& lengths : lengths_of_large_vectors()) {
    const TestSegments segments(lengths);
    std::mt19937 random(5);
    const auto a = random_vector<std::int32_t>(segments.descriptor.elements, random);
    const auto sums = scan_of<vcode::monoids::Sum>(a, segments);
    const auto maxima = scan_of<vcode::monoids::Max>(a, segments);
    on_all_machines([&](Context& context) {
      DeviceVector<std::int32_t> source(context, a), scanned(context, segments.descriptor.elements);
      run(context, Scan{Monoid::kSum, source.operand(), segments.descriptor, scanned.result()});
      EXPECT_TRUE(scanned.values() == sums);
      run(context, Scan{Monoid::kMax, source.operand(), segments.descriptor, source.result()});  // in place
      EXPECT_TRUE(source.values() == maxima);
    });
  }
}

/// Checks that all machines compute the same as the first one, to the last bit.
template <class T>
void expect_same(std::vector<T>& expected, const std::vector<T>& found) {
  if (expected.empty()) expected = found;
  if (found.empty()) return;
  EXPECT_TRUE(std::memcmp(expected.data(), found.data(), found.size() * sizeof(T)) == 0);
}

/// Floats of very different sizes, whose sums differ with almost any other grouping.
template <class T>
std::vector<T> floats_of_all_sizes(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> a(static_cast<std::size_t>(n));
  for (T& x : a) x = std::ldexp(T(random()), int(random() % 40));
  return a;
}

template <class T>
void expect_scans_in_order(const TestSegments& segments) {
  const auto a = floats_of_all_sizes<T>(segments.descriptor.elements, 6);
  std::vector<T> expected(a.size());
  for (std::int64_t k = 0; k < segments.descriptor.segments; ++k)
    scan_in_order<vcode::monoids::Sum>(a.data() + segments.offsets[k], segments.offsets[k + 1] - segments.offsets[k],
                                       expected.data() + segments.offsets[k]);
  on_all_machines([&](Context& context) {
    DeviceVector<T> source(context, a), scanned(context, segments.descriptor.elements);
    run(context, Scan{Monoid::kSum, source.operand(), segments.descriptor, scanned.result()});
    expect_same(expected, scanned.values());
    run(context, Scan{Monoid::kSum, source.operand(), segments.descriptor, source.result()});
    expect_same(expected, source.values());
  });
}

TEST(Scan, GroupingOfFloatsDependsOnSegmentsOnly) {
  for (const auto& lengths : lengths_of_large_vectors()) {
    const TestSegments segments(lengths);
    expect_scans_in_order<double>(segments);
    expect_scans_in_order<float>(segments);
  }
}

TEST(Scan, ScansAChunkInPartsAsInOneCall) {
  for (const auto& lengths : lengths_of_large_vectors()) {
    const TestSegments segments(lengths);
    const SegmentDescriptor& descriptor = segments.descriptor;
    const auto a = floats_of_all_sizes<double>(descriptor.elements, 9);
    std::vector<double> whole(a), parts(a);
    const Partition partition(descriptor, kChunkItems, {kFoldBlock, true});
    on_all_machines([&](Context& context) {
      ScanKernels::Chunks* scan = context.kernels.scan.chunks.at(Monoid::kSum, ElemType::kF64);
      for (std::int64_t p = 0; p < partition.chunks(); ++p) {
        const Chunk chunk = partition.chunk(p);
        Slot before = 0;
        const double carried = 0.1;
        std::memcpy(&before, &carried, sizeof carried);
        scan(a.data(), descriptor, chunk, before, whole.data(), false, 0);
        Chunk part{chunk.element_begin, chunk.element_begin, chunk.segment_begin, chunk.segment_begin};
        while (part.element_end < chunk.element_end) {
          part.element_begin = part.element_end;
          part.element_end = std::min(chunk.element_end, part.element_end + 5 * kFoldBlock / 2);
          part.segment_begin = part.segment_end;
          while (part.segment_end < chunk.segment_end && descriptor.start(part.segment_end + 1) <= part.element_end)
            ++part.segment_end;
          const std::int64_t start = descriptor.start(part.segment_end);
          part.element_end = start + (part.element_end - start) / kFoldBlock * kFoldBlock;
          before = scan(a.data(), descriptor, part, before, parts.data(), false, 4096);
        }
      }
      expect_same(whole, parts);
    });
  }
}

template <class T>
void expect_reductions_in_order(const TestSegments& segments) {
  const auto a = floats_of_all_sizes<T>(segments.descriptor.elements, 7);
  std::vector<T> expected(static_cast<std::size_t>(segments.descriptor.segments));
  for (std::int64_t k = 0; k < segments.descriptor.segments; ++k)
    expected[k] = fold_in_order<vcode::monoids::Sum>(a.data() + segments.offsets[k],
                                                     segments.offsets[k + 1] - segments.offsets[k]);
  on_all_machines([&](Context& context) {
    DeviceVector<T> source(context, a), reduced(context, segments.descriptor.segments);
    run(context, Reduce{Monoid::kSum, source.operand(), segments.descriptor, reduced.result()});
    expect_same(expected, reduced.values());
  });
}

TEST(Reduce, GroupingOfFloatsDependsOnSegmentsOnly) {
  for (const auto& lengths : lengths_of_large_vectors()) {
    const TestSegments segments(lengths);
    expect_reductions_in_order<double>(segments);
    expect_reductions_in_order<float>(segments);
  }
}

/// Compares the grouping with one that was written down by hand.
/// Short segments are parts of a word of bits; longer ones and those at the end of the bits that are made together are
/// not.
TEST(Reduce, FlagsOfSegmentsOfAnyLength) {
  auto shapes = lengths_of_large_vectors();
  shapes.push_back({57, 58, 0, 64, 1, 4095, 4096, 4097, 63, 3, 0, 56, 9000, 2});
  for (const auto& lengths : shapes) {
    const TestSegments segments(lengths);
    std::mt19937 random(5);
    for (const unsigned rare : {1u, 100u}) {  // all flags are true, or one in a hundred is false
      std::vector<std::uint8_t> flags(static_cast<std::size_t>(segments.descriptor.elements));
      for (std::uint8_t& flag : flags) flag = rare == 1 || random() % rare != 0;
      std::vector<std::uint8_t> all, any, odd;
      for (std::int64_t k = 0; k < segments.descriptor.segments; ++k) {
        const auto begin = flags.begin() + segments.offsets[k], end = flags.begin() + segments.offsets[k + 1];
        const auto set = std::count(begin, end, 1);
        all.push_back(set == end - begin), any.push_back(set > 0), odd.push_back(set % 2 != 0);
      }
      on_all_machines([&](Context& context) {
        DeviceVector<std::uint8_t> source(context, flags), reduced(context, segments.descriptor.segments);
        const auto reduce = [&](Monoid monoid) {
          run(context, Reduce{monoid,
                              {ElemType::kB8, source.n, source.data.get()},
                              segments.descriptor,
                              {ElemType::kB8, reduced.n, reduced.data.get()}});
          return reduced.values();
        };
        EXPECT_TRUE(reduce(Monoid::kAll) == all);
        EXPECT_TRUE(reduce(Monoid::kAny) == any);
        EXPECT_TRUE(reduce(Monoid::kParity) == odd);
      });
    }
  }
}

TEST(Reduce, GroupsFloatsAsTheManualSays) {
  std::vector<double> a(1024 + 9);
  for (std::size_t e = 0; e < a.size(); ++e) a[e] = 1 / (3.0 + double(e));
  const auto lane = [&](std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t e = first; e < last; e += 32) sum += a[e];
    return sum;
  };
  double lanes[8];
  for (std::size_t j = 0; j < 8; ++j)
    lanes[j] = (lane(j, 1024) + lane(j + 8, 1024)) + (lane(j + 16, 1024) + lane(j + 24, 1024));
  const double block =
      ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
  const double* rest = a.data() + 1024;
  const double last =
      (((rest[0] + rest[8]) + rest[4]) + (rest[2] + rest[6])) + ((rest[1] + rest[5]) + (rest[3] + rest[7]));
  EXPECT_EQ(fold_in_order<vcode::monoids::Sum>(a.data(), std::ssize(a)), block + last);
}

TEST(Reduce, IgnoresNanWhereTheMonoidDoes) {
  const double nan = std::nan("");
  const TestSegments segments({3, 0, 2, 1});
  on_all_machines([&](Context& context) {
    DeviceVector<double> source(context, std::vector<double>{nan, -3, nan, 4, nan, nan});
    DeviceVector<double> reduced(context, 4);
    run(context, Reduce{Monoid::kMax, source.operand(), segments.descriptor, reduced.result()});
    const double none = vcode::monoids::Max::identity<double>(), empty = vcode::monoids::Max::empty_value<double>();
    EXPECT_EQ(reduced.values(), (std::vector<double>{-3, empty, 4, none}));
  });
}

TEST(Streaming, WritesLongResultsAtAnyAddress) {
  const std::int64_t kStreamed = stream_bytes() / 4 + 1000;
  std::mt19937 random(9);
  const auto a = random_vector<std::int32_t>(kStreamed, random);
  const TestSegments whole({kStreamed}), elements(std::vector<std::int64_t>(kStreamed, 1));
  const auto sums = scan_of<vcode::monoids::Sum>(a, whole);
  on_all_machines([&](Context& context) {
    DeviceVector<std::int32_t> x(context, a), room(context, kStreamed + 1);
    const Result behind_first{ElemType::kI32, kStreamed, room.data.get() + 1};
    const auto found = [&] { return std::vector<std::int32_t>(room.data.get() + 1, room.data.get() + 1 + kStreamed); };
    run(context, Scan{Monoid::kSum, x.operand(), whole.descriptor, behind_first});
    EXPECT_TRUE(found() == sums);
    run(context, Reduce{Monoid::kSum, x.operand(), elements.descriptor, behind_first});
    EXPECT_TRUE(found() == a);
    const Operand operands[] = {x.operand(), x.operand()};
    run(context, Elementwise{Op::kAdd, operands, behind_first});
    for (std::int64_t e = 0; e < kStreamed; ++e) ASSERT_EQ(room.data[e + 1], vcode::wrap_add(a[e], a[e]));
  });
}

TEST(Streaming, WritesTheWholeResultAndNothingElse) {
  std::mt19937 random(8);
  const auto a = random_vector<std::int32_t>(kLarge, random), b = random_vector<std::int32_t>(kLarge, random);
  const auto lengths = lengths_of_large_vectors();
  on_all_machines([&](Context& context) {
    DeviceVector<std::int32_t> x(context, a), y(context, b), room(context, kLarge + 64);
    std::fill_n(room.data.get(), room.n, 77);
    const Result sum{ElemType::kI32, kLarge, room.data.get()};
    const Operand operands[] = {x.operand(), y.operand()};
    run(context, Elementwise{Op::kAdd, operands, sum});
    for (std::int64_t e = 0; e < kLarge; ++e) ASSERT_EQ(room.data[e], vcode::wrap_add(a[e], b[e]));
    for (std::size_t l = lengths.size() - 4; l < lengths.size(); ++l) {
      const TestSegments segments(lengths[l]);
      DeviceVector<std::int32_t> starts(context, random_vector<std::int32_t>(segments.descriptor.segments, random));
      DeviceVector<std::int32_t> strides(context, random_vector<std::int32_t>(segments.descriptor.segments, random));
      run(context, Index{starts.operand(), strides.operand(), segments.descriptor, sum});
      for (std::int64_t k = 0; k < segments.descriptor.segments; ++k) {
        std::int32_t value = starts.data[k];
        for (std::int64_t e = segments.offsets[k]; e < segments.offsets[k + 1]; ++e) {
          ASSERT_EQ(room.data[e], value);
          value = vcode::wrap_add(value, strides.data[k]);
        }
      }
    }
    for (std::int64_t e = kLarge; e < room.n; ++e) ASSERT_EQ(room.data[e], 77);
  });
}

}  // namespace
}  // namespace cvl::cpu

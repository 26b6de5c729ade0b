#include "operations/operations.h"

#include <algorithm>
#include <numeric>

#include "test_machine.h"

namespace cvl::cpu {
namespace {

template <class I>
std::vector<I> random_permutation(const TestSegments& segments, std::mt19937& random) {
  std::vector<I> indices(std::size_t(segments.descriptor.elements));
  for (std::size_t k = 0; k + 1 < segments.offsets.size(); ++k) {
    const auto first = indices.begin() + segments.offsets[k], last = indices.begin() + segments.offsets[k + 1];
    std::iota(first, last, I(0));
    std::shuffle(first, last, random);
  }
  return indices;
}

/// A scatter by its definition; on entry `expected` holds the defaults or zeros.
template <class T, class I>
void scatter_slowly(const std::vector<T>& source, const std::vector<I>& indices, const std::vector<std::uint8_t>* flags,
                    const TestSegments& from, const TestSegments& to, std::vector<T>& expected) {
  for (std::size_t k = 0; k + 1 < from.offsets.size(); ++k)
    for (auto e = std::size_t(from.offsets[k]); e < std::size_t(from.offsets[k + 1]); ++e)
      if (flags == nullptr || (*flags)[e]) expected[std::size_t(to.offsets[k] + indices[e])] = source[e];
}

template <class T, class I>
void expect_permuted() {
  std::mt19937 random(1);
  for (const auto& lengths : test_lengths()) {
    const TestSegments segments(lengths);
    const auto source = random_vector<T>(segments.descriptor.elements, random);
    const auto indices = random_permutation<I>(segments, random);
    std::vector<T> expected(source.size());
    scatter_slowly(source, indices, nullptr, segments, segments, expected);
    on_all_machines([&](Context& context) {
      std::vector<T> got(source.size());
      run(context,
          Scatter{operand(source), operand(indices), {}, {}, segments.descriptor, segments.descriptor, result(got)});
      EXPECT_EQ(got, expected);
      EXPECT_FALSE(context.faults.any());
    });
  }
}

TEST(Scatter, Permutes) {
  expect_permuted<std::int32_t, std::int32_t>();
  expect_permuted<double, std::int32_t>();
  expect_permuted<std::int64_t, std::int64_t>();
}

/// Source segments of `lengths`, target segments that are longer by 0 to 3 elements, and indices within them, distinct
/// in each segment or not.
struct Spread {
  Spread(const std::vector<std::int64_t>& lengths, bool distinct, std::mt19937& random)
      : from(lengths), to(more_room(lengths, random)) {
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      const std::int64_t room = to.offsets[k + 1] - to.offsets[k];
      std::vector<std::int32_t> positions(static_cast<std::size_t>(room));
      std::iota(positions.begin(), positions.end(), 0);
      std::shuffle(positions.begin(), positions.end(), random);
      for (std::int64_t e = 0; e < lengths[k]; ++e)
        indices.push_back(distinct ? positions[std::size_t(e)] : std::int32_t(random() % unsigned(room)));
    }
    flags = random_flags(from.descriptor.elements, random, 60);
    source = random_vector<std::int32_t>(from.descriptor.elements, random);
  }
  static std::vector<std::int64_t> more_room(std::vector<std::int64_t> lengths, std::mt19937& random) {
    for (std::int64_t& n : lengths) n += random() % 4;
    return lengths;
  }
  TestSegments from, to;
  std::vector<std::int32_t> indices, source;
  std::vector<std::uint8_t> flags;
};

TEST(Scatter, StoresZerosWhereNoFlaggedElementIsWritten) {
  std::mt19937 random(2);
  for (const auto& lengths : test_lengths()) {
    Spread spread(lengths, true, random);
    // An index that is not used may have any value.
    for (std::size_t e = 0; e < spread.flags.size(); ++e)
      if (!spread.flags[e]) spread.indices[e] = e % 2 ? -7 : 1 << 30;
    std::vector<std::int32_t> expected(std::size_t(spread.to.descriptor.elements), 0);
    scatter_slowly(spread.source, spread.indices, &spread.flags, spread.from, spread.to, expected);
    on_all_machines([&](Context& context) {
      std::vector<std::int32_t> got(expected.size(), -1);
      const Operand flags = flag_operand(spread.flags);
      run(context, Scatter{operand(spread.source),
                           operand(spread.indices),
                           flags,
                           {},
                           spread.from.descriptor,
                           spread.to.descriptor,
                           result(got)});
      EXPECT_EQ(got, expected);
      EXPECT_FALSE(context.faults.any());
    });
  }
}

TEST(Scatter, LastWriterWinsWithDefaults) {
  std::mt19937 random(3);
  for (const auto& lengths : test_lengths())
    for (const bool flagged : {false, true})
      for (const bool in_place : {false, true}) {
        const Spread spread(lengths, false, random);
        const auto defaults = random_vector<std::int32_t>(spread.to.descriptor.elements, random);
        std::vector<std::int32_t> expected = defaults;
        scatter_slowly(spread.source, spread.indices, flagged ? &spread.flags : nullptr, spread.from, spread.to,
                       expected);
        on_all_machines([&](Context& context) {
          std::vector<std::int32_t> got = in_place ? defaults : std::vector<std::int32_t>(defaults.size());
          // Contents of the working memory that an earlier operation left do not matter.
          std::vector<std::int32_t> other = defaults;
          const Operand below = operand(other);
          run(context, Scatter{operand(spread.source),
                               operand(spread.indices),
                               {},
                               below,
                               spread.from.descriptor,
                               spread.to.descriptor,
                               result(other)});
          const Operand flags = flag_operand(spread.flags), before = operand(in_place ? got : defaults);
          run(context,
              Scatter{operand(spread.source), operand(spread.indices), flagged ? std::optional(flags) : std::nullopt,
                      before, spread.from.descriptor, spread.to.descriptor, result(got)});
          EXPECT_EQ(got, expected);
          EXPECT_FALSE(context.faults.any());
        });
      }
}

TEST(Scatter, RowsGoToTheirPlaces) {
  std::mt19937 random(5);
  for (const int longest : {1, 9, 40}) {
    std::vector<std::int32_t> indices;
    const std::int64_t places = 30000;
    while (indices.size() < 50000) {  // rows overlap
      const std::int32_t begin = std::int32_t(random() % unsigned(places - longest));
      for (std::int32_t k = 0, n = std::int32_t(random() % unsigned(longest)) + 1; k < n; ++k)
        indices.push_back(begin + k);
    }
    const TestSegments from({std::int64_t(indices.size())}), to({places});
    const auto source = random_vector<std::int64_t>(from.descriptor.elements, random);
    const auto defaults = random_vector<std::int64_t>(places, random);
    std::vector<std::int64_t> expected = defaults;
    scatter_slowly(source, indices, nullptr, from, to, expected);
    on_all_machines([&](Context& context) {
      std::vector<std::int64_t> got = defaults;
      run(context,
          Scatter{operand(source), operand(indices), {}, operand(got), from.descriptor, to.descriptor, result(got)});
      EXPECT_EQ(got, expected);
      EXPECT_FALSE(context.faults.any());
    });
  }
}

TEST(Scatter, PermutesWithinRegularSegments) {
  std::mt19937 random(4);
  for (const std::int64_t length : {1, 2, 7, 8, 10, 16, 17, 63, 127, 128, 300}) {
    SCOPED_TRACE("length " + std::to_string(length));
    const std::int64_t n = 50000 / length + 1;
    const TestSegments segments(std::vector<std::int64_t>(std::size_t(n), length));
    const SegmentDescriptor regular{n, n * length, length, nullptr};
    const auto source = random_vector<std::int64_t>(n * length, random);
    const auto indices = random_permutation<std::int32_t>(segments, random);
    std::vector<std::int64_t> expected(source.size());
    scatter_slowly(source, indices, nullptr, segments, segments, expected);
    on_all_machines([&](Context& context) {
      std::vector<std::int64_t> got(source.size());
      run(context, Scatter{operand(source), operand(indices), {}, {}, regular, regular, result(got)});
      EXPECT_EQ(got, expected);
      EXPECT_FALSE(context.faults.any());
      std::vector<std::int32_t> twice = indices;
      const auto at = std::size_t(n / 2 * length);
      if (length == 1) return;
      twice[at] = twice[at + 1];
      run(context, Scatter{operand(source), operand(twice), {}, {}, regular, regular, result(got)});
      EXPECT_EQ(context.faults.take().kind, FaultKind::kDuplicateTarget);
    });
  }
}

/// Permutes 100000 elements with `change` made to the identity; returns the fault.
template <class F>
void expect_fault(FaultKind kind, std::int64_t position, std::int64_t value, F&& change) {
  on_all_machines([&](Context& context) {
    const TestSegments segments({40000, 0, 10, 59990});
    std::vector<std::int32_t> indices(100000), source(indices), got(indices);
    for (std::size_t k = 0; k + 1 < segments.offsets.size(); ++k)
      std::iota(indices.begin() + segments.offsets[k], indices.begin() + segments.offsets[k + 1], 0);
    change(indices);
    run(context,
        Scatter{operand(source), operand(indices), {}, {}, segments.descriptor, segments.descriptor, result(got)});
    const Fault fault = context.faults.take();
    EXPECT_EQ(fault.kind, kind);
    EXPECT_EQ(fault.position, position);
    EXPECT_EQ(fault.value, value);
    if (kind == FaultKind::kIndexRange) {
      EXPECT_EQ(fault.bound, position < 40000 ? 40000 : position < 40010 ? 10 : 59990);
    }
  });
}

TEST(Scatter, FindsTheFirstIndexOutOfRange) {
  expect_fault(FaultKind::kIndexRange, 17, 40000, [](auto& i) { i[17] = 40000; });
  expect_fault(FaultKind::kIndexRange, 40003, -1, [](auto& i) { i[40003] = -1; });
  expect_fault(FaultKind::kIndexRange, 40009, 10, [](auto& i) { i[40009] = 10, i[99999] = 59990; });
}

TEST(Scatter, FindsTheFirstDuplicate) {
  expect_fault(FaultKind::kDuplicateTarget, 1, 0, [](auto& i) { i[1] = 0; });
  expect_fault(FaultKind::kDuplicateTarget, 99999, 5, [](auto& i) { i[99999] = 5; });
  expect_fault(FaultKind::kDuplicateTarget, 40001, 7, [](auto& i) { i[40000] = 7, i[40001] = 7; });
  // Sets of targets that have the same sum, or the same sum of squares, as the targets they replace.
  expect_fault(FaultKind::kDuplicateTarget, 1, 0, [](auto& i) { i[1] = 0, i[2] = 3; });
  expect_fault(FaultKind::kDuplicateTarget, 1, 0, [](auto& i) { i[1] = 0, i[2] = 3, i[4] = 5, i[7] = 6; });
}

TEST(Scatter, FindsDuplicatesAmongFlaggedElements) {
  on_all_machines([&](Context& context) {
    std::vector<std::int32_t> indices(100000), got(100001);
    std::iota(indices.begin(), indices.end(), 0);
    indices[500] = 499;    // unused
    indices[70000] = 600;  // used twice
    std::vector<std::uint8_t> flags(indices.size(), 1);
    flags[500] = 0;
    const Operand flag = flag_operand(flags);
    run(context, Scatter{operand(indices),
                         operand(indices),
                         flag,
                         {},
                         SegmentDescriptor::single(100000),
                         SegmentDescriptor::single(100001),
                         result(got)});
    const Fault fault = context.faults.take();
    EXPECT_EQ(fault.kind, FaultKind::kDuplicateTarget);
    EXPECT_EQ(fault.position, 70000);
    EXPECT_EQ(fault.value, 600);
  });
}

}  // namespace
}  // namespace cvl::cpu

#include "operations/operations.h"

#include <numeric>

#include "test_machine.h"

namespace cvl::cpu {
namespace {

/// Elements gathered from segments of other lengths, with the address of each.
template <class T, class I>
struct Gathered {
  Gathered(const std::vector<std::int64_t>& lengths, const std::vector<std::int64_t>& source_lengths,
           std::mt19937& random)
      : to(lengths), from(source_lengths), source(random_vector<T>(from.descriptor.elements, random)) {
    for (std::size_t k = 0; k < lengths.size(); ++k)
      for (std::int64_t e = 0; e < lengths[k]; ++e) {
        indices.push_back(source_lengths[k] == 0 ? I(0) : I(random() % std::uint64_t(source_lengths[k])));
        flags.push_back(source_lengths[k] != 0 && random() % 3 != 0);
        if (!flags.back() && random() % 2) indices.back() = random() % 2 ? I(-5) : I(1 << 30);
        const auto position = std::size_t(from.offsets[k] + indices.back());
        expected.push_back(flags.back() ? source[position] : T(0));
      }
  }
  TestSegments to, from;
  std::vector<T> source, expected;
  std::vector<I> indices;
  std::vector<std::uint8_t> flags;
};

/// Gathers with flags, and without flags the elements whose flags are true.
template <class T, class I>
void expect_gathered(const Gathered<T, I>& g, const SegmentDescriptor& from, const SegmentDescriptor& to) {
  std::vector<I> inside = g.indices;
  bool complete = true;
  for (std::size_t k = 0; k + 1 < g.to.offsets.size(); ++k)
    for (auto e = std::size_t(g.to.offsets[k]); e < std::size_t(g.to.offsets[k + 1]); ++e) {
      if (!g.flags[e]) inside[e] = 0;
      complete &= g.from.offsets[k] < g.from.offsets[k + 1];
    }
  on_all_machines([&](Context& context) {
    std::vector<T> got(g.expected.size(), T(-1));
    const Operand flags = flag_operand(g.flags);
    run(context, Gather{operand(g.source), operand(g.indices), flags, from, to, result(got)});
    EXPECT_EQ(got, g.expected);
    EXPECT_FALSE(context.faults.any());
    if (!complete) return;
    run(context, Gather{operand(g.source), operand(inside), {}, from, to, result(got)});
    for (std::size_t e = 0; e < got.size(); ++e)
      if (!g.flags[e]) got[e] = T(0);
    EXPECT_EQ(got, g.expected);
    EXPECT_FALSE(context.faults.any());
  });
}

TEST(Gather, GathersFromSegmentsOfOtherLengths) {
  std::mt19937 random(21);
  for (const auto& lengths : test_lengths()) {
    std::vector<std::int64_t> others = lengths;
    for (std::int64_t& n : others) n = (n + std::int64_t(random() % 3)) / (random() % 4 == 0 ? 7 : 1);
    const Gathered<std::int32_t, std::int32_t> narrow(lengths, others, random);
    expect_gathered(narrow, narrow.from.descriptor, narrow.to.descriptor);
    const Gathered<double, std::int64_t> wide(lengths, others, random);
    expect_gathered(wide, wide.from.descriptor, wide.to.descriptor);
  }
}

TEST(Gather, GathersFromRegularSegments) {
  std::mt19937 random(22);
  for (const std::int64_t length : {1, 2, 7, 8, 10, 16, 17, 63, 127, 128, 300})
    for (const std::int64_t other : {1, 3, 16, 1000}) {
      const std::int64_t n = 50000 / length + 1;
      SCOPED_TRACE("length " + std::to_string(length) + ", of the source " + std::to_string(other));
      const std::vector<std::int64_t> lengths(std::size_t(n), length), others(std::size_t(n), other);
      const SegmentDescriptor to{n, n * length, length, nullptr}, from{n, n * other, other, nullptr};
      const Gathered<float, std::int32_t> narrow(lengths, others, random);
      expect_gathered(narrow, from, to);
      expect_gathered(narrow, narrow.from.descriptor, to);
      const Gathered<std::int64_t, std::int64_t> wide(lengths, others, random);
      expect_gathered(wide, from, to);
    }
}

TEST(Gather, FindsTheFirstIndexOutOfRange) {
  for (const std::int64_t length : {1, 10, 1000})
    for (const std::int64_t bad : {0, 15, 16, 777, 99998, 99999})
      for (const std::int32_t index : {-1, 10, 1 << 30})
        on_all_machines([&](Context& context) {
          const std::int64_t n = 100000 / length;
          std::vector<std::int32_t> source(std::size_t(n * 10)), indices(100000), got(100000);
          for (std::size_t e = 0; e < indices.size(); ++e) indices[e] = std::int32_t(e % 10);
          indices[std::size_t(bad)] = index;
          if (bad + 1 < 100000) indices.back() = -3;
          const SegmentDescriptor from{n, n * 10, 10, nullptr}, to{n, 100000, length, nullptr};
          run(context, Gather{operand(source), operand(indices), {}, from, to, result(got)});
          const Fault fault = context.faults.take();
          EXPECT_EQ(fault.kind, FaultKind::kIndexRange);
          EXPECT_EQ(fault.position, bad);
          EXPECT_EQ(fault.value, index);
          EXPECT_EQ(fault.bound, 10);
        });
}

}  // namespace
}  // namespace cvl::cpu

#include "operations/operations.h"

#include "test_machine.h"

namespace cvl::cpu {
namespace {

/// Counts `numbers` numbers, from some start on, in each segment; elements are these numbers or slightly outside their
/// range.
template <class I>
void expect_counted(const std::vector<std::int64_t>& lengths, std::int64_t numbers, std::mt19937& random) {
  const TestSegments from(lengths);
  std::vector<std::int64_t> room(lengths.size());
  for (std::int64_t& n : room) n = numbers - std::int64_t(random() % 2);
  const TestSegments to(room);
  std::vector<I> a, start;
  std::vector<I> expected(std::size_t(to.descriptor.elements));
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    start.push_back(I(std::int64_t(random() % 1000) - 500));
    for (std::int64_t e = 0; e < lengths[k]; ++e) {
      const std::int64_t position = std::int64_t(random() % unsigned(numbers + 4)) - 2;
      a.push_back(I(start[k] + position));
      if (position >= 0 && position < room[k]) ++expected[std::size_t(to.offsets[k] + position)];
    }
  }
  on_all_machines([&](Context& context) {
    std::vector<I> got(expected.size(), I(-1));
    run(context, Count{operand(a), operand(start), from.descriptor, to.descriptor, result(got)});
    EXPECT_EQ(got, expected);
  });
}

TEST(Count, CountsInTablesAndWithoutTables) {
  std::mt19937 random(5);
  for (const auto& lengths : test_lengths())
    for (const std::int64_t numbers : {1, 7, 300, 1023, 1024, 5000}) {
      if (numbers * std::int64_t(lengths.size()) > 1000000) continue;
      SCOPED_TRACE(std::to_string(lengths.size()) + " segments, " + std::to_string(numbers) + " numbers");
      expect_counted<std::int32_t>(lengths, numbers, random);
      expect_counted<std::int64_t>(lengths, numbers, random);
    }
}

/// Of a long single segment threads have copies of the counts, or one thread counts, or many threads share the counts.
TEST(Count, CountsManyNumbersOfOneSegment) {
  std::mt19937 random(6);
  for (const std::int64_t numbers : {1024, 30000, 200000}) {
    SCOPED_TRACE(numbers);
    expect_counted<std::int32_t>({400000}, numbers, random);
    expect_counted<std::int64_t>({400000}, numbers, random);
  }
}

/// Threads add to the same counts of a long segment, each to a chunk of it, while short segments beside it are counted
/// by one thread alone. A count that is lost shows sooner or later.
void expect_shared_counts(std::int64_t length, std::int32_t different, std::int64_t numbers, int rounds) {
  std::vector<std::int64_t> lengths(300, 5);
  lengths[100] = length;
  const TestSegments from(lengths), to(std::vector<std::int64_t>(lengths.size(), numbers));
  std::vector<std::int32_t> a(std::size_t(from.descriptor.elements));
  const std::vector<std::int32_t> start(lengths.size(), 0);
  std::vector<std::int32_t> expected(std::size_t(to.descriptor.elements)), got(expected.size());
  for (std::size_t k = 0; k < lengths.size(); ++k)
    for (std::int64_t e = from.offsets[k]; e < from.offsets[k + 1]; ++e) {
      a[std::size_t(e)] = std::int32_t(e % different);
      ++expected[std::size_t(to.offsets[k] + e % different)];
    }
  std::string error;
  TestMachine machine(*choose_kernels("baseline", error), 2);
  for (int k = 0; k < rounds; ++k) {
    run(machine.context, Count{operand(a), operand(start), from.descriptor, to.descriptor, result(got)});
    ASSERT_EQ(got, expected) << "round " << k;
  }
}

TEST(Count, ThreadsAddToTheSameCountsInPlace) { expect_shared_counts(1000000, 2, 2000, 20); }

/// Two pieces, which take equally long and so add what is in their tables at the same time.
TEST(Count, ThreadsAddTheirTablesToTheSameCounts) { expect_shared_counts(250000, 1000, 1000, 500); }

TEST(Count, StartsWrapAround) {
  const std::vector<std::int32_t> a = {INT32_MAX, INT32_MIN, INT32_MIN, 0, INT32_MIN + 1};
  const std::vector<std::int32_t> start = {INT32_MAX};
  on_all_machines([&](Context& context) {
    std::vector<std::int32_t> got(2);
    run(context,
        Count{operand(a), operand(start), SegmentDescriptor::single(5), SegmentDescriptor::single(2), result(got)});
    EXPECT_EQ(got, (std::vector<std::int32_t>{1, 2}));
  });
}

}  // namespace
}  // namespace cvl::cpu

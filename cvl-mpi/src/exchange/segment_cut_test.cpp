#include "exchange/segment_cut.h"

#include <gtest/gtest.h>

#include "oracle.h"
#include "rank_threads.h"

namespace cvl::mpi {
namespace {

/// Calls check(cut, starts) on each of some ranks, for blocks of 4 elements. The offsets are on every rank.
template <class Check>
void cut_segments(int ranks, const std::vector<std::int64_t>& lengths, Check&& check) {
  std::vector<std::int64_t> offsets{0};
  for (const std::int64_t length : lengths) offsets.push_back(offsets.back() + length);
  run_ranks(ranks, [&](Messenger& messenger) {
    const auto inner = conformance::make_oracle({}, conformance::Addresses::kAnyHost);
    const Distribution distribution(ranks, 4);
    const RankGroup group{*inner, messenger, distribution};
    const SegmentDescriptor descriptor{std::ssize(lengths), offsets.back(), -1, offsets.data()};
    SegmentCut cut(group, descriptor);
    check(cut, offsets);
  });
}

TEST(SegmentCut, EachSegmentIsFinishedByOneRank) {
  for (const auto& lengths : {std::vector<std::int64_t>{0, 0, 7, 0, 30, 1, 1, 0, 0},
                              {50},
                              {1, 2, 3, 4, 5, 6, 7, 8, 9},
                              {0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0},
                              std::vector<std::int64_t>(40, 1),
                              {0, 0, 0, 0, 1, 0, 1, 0, 0, 0}})
    for (const int ranks : {2, 3, 5})
      cut_segments(ranks, lengths, [&](SegmentCut& cut, const std::vector<std::int64_t>& offsets) {
        ASSERT_FALSE(cut.is_whole());
        std::int64_t at = 0;
        for (const Range& finished : cut.all_finished()) {
          EXPECT_EQ(finished.begin, at);
          at = finished.end;
        }
        EXPECT_EQ(at, std::ssize(lengths));
        const Range elements = cut.elements();
        for (std::int64_t k = cut.touched().begin; k < cut.touched().end; ++k) {
          EXPECT_EQ(cut.start(k), offsets[static_cast<std::size_t>(k)]);
          EXPECT_EQ(cut.start(k + 1), offsets[static_cast<std::size_t>(k) + 1]);
          EXPECT_LE(cut.start(k), elements.end);
          EXPECT_GE(cut.start(k + 1), elements.begin);
        }
        const SegmentDescriptor& local = cut.local(elements, cut.touched());
        EXPECT_EQ(local.segments, cut.touched().size());
        EXPECT_EQ(local.start(local.segments), elements.size());
      });
}

TEST(SegmentCut, KnowsTheSegmentsThatContinue) {
  // Four ranks with 12 elements each.
  cut_segments(4, {5, 31, 12}, [](SegmentCut& cut, const std::vector<std::int64_t>&) {
    EXPECT_EQ(cut.all_finished(), (Ranges{{0, 1}, {1, 1}, {1, 2}, {2, 3}}));
    EXPECT_EQ(cut.all_touched(), (Ranges{{0, 2}, {1, 2}, {1, 2}, {2, 3}}));
    EXPECT_TRUE(cut.has_tail(0) && cut.has_tail(1) && !cut.has_tail(2) && !cut.has_tail(3));
    EXPECT_TRUE(!cut.is_continued(0) && cut.is_continued(1) && cut.is_continued(2) && !cut.is_continued(3));
    EXPECT_EQ(cut.start_of_first(2), 5);
    EXPECT_EQ(cut.fold_begin(2), 5);
    EXPECT_EQ(cut.fold_begin(3), 36);
  });
}

TEST(SegmentCut, FewElementsAreCutBySegments) {
  cut_segments(2, {0, 1, 0, 0, 2, 0}, [](SegmentCut& cut, const std::vector<std::int64_t>&) {
    EXPECT_EQ(cut.all_finished(), (Ranges{{0, 4}, {4, 6}}));
    EXPECT_EQ(cut.all_elements(), (Ranges{{0, 1}, {1, 3}}));
    EXPECT_FALSE(cut.any_continued());
  });
}

TEST(SegmentCuts, AreKeptUntilTheOffsetsChange) {
  run_ranks(2, [](Messenger& messenger) {
    const auto inner = conformance::make_oracle({}, conformance::Addresses::kAnyHost);
    const Distribution distribution(2, 4);
    const RankGroup group{*inner, messenger, distribution};
    SegmentCuts cuts(group);
    const std::int64_t offsets[] = {0, 1, 9};
    const SegmentDescriptor irregular{2, 9, -1, offsets};
    const auto first = cuts.of(irregular);
    EXPECT_EQ(cuts.of(irregular), first);
    EXPECT_NE(cuts.of({3, 9, 3}), first);
    EXPECT_EQ(cuts.of(irregular), first);
    cuts.remove(offsets, sizeof offsets);
    EXPECT_NE(cuts.of(irregular), first);
  });
}

}  // namespace
}  // namespace cvl::mpi

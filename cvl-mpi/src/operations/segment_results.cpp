#include "operations/segment_results.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cvl/op_dispatch.h"
#include "operations/carries.h"

namespace cvl::mpi {

namespace {

/// The number of pieces whose values a rank gives to others: of a single segment all, but for elements that the next
/// rank folds.
std::int64_t count_pieces(const LocalSegments& segments, int rank) {
  const SegmentCut& cut = segments.cut();
  if (cut.has_tail(rank) || !cut.descriptor().is_single()) return given_pieces(cut, segments.by_blocks(), rank);
  const Range elements = folded_elements(cut, segments.by_blocks(), rank);
  if (elements.empty()) return 0;
  const bool is_whole = elements.begin == cut.start_of_first(rank) || !segments.by_blocks();
  return is_whole ? 1 : (elements.size() + kFoldBlock - 1) / kFoldBlock;
}

template <class T>
T value_at(const std::int64_t* bits) {
  T value;
  std::memcpy(&value, bits, sizeof value);
  return value;
}

}  // namespace

Result SegmentResults::add(Monoid monoid, const Result& whole, const LocalSegments& segments) {
  const std::int64_t count = segments.count();
  Scratch memory = scratch_for(group_, whole.type, count);
  const Result pieces{whole.type, count, memory.data()};
  with_monoid(monoid, whole.type,
              [&]<class M, class T>() { std::fill_n(memory.as<T>(), count, M::template empty_value<T>()); });
  all_.push_back({monoid, whole, pieces, &segments, std::move(memory)});
  return pieces;
}

std::size_t SegmentResults::count_given(int rank) const {
  std::size_t count = 0;
  for (const OfSegments& values : all_) count += static_cast<std::size_t>(count_pieces(*values.segments, rank));
  return count;
}

void SegmentResults::append_given(std::vector<std::int64_t>& to) const {
  for (const OfSegments& values : all_) {
    const LocalSegments& segments = *values.segments;
    const std::int64_t count = count_pieces(segments, group_.rank());
    group_.before_reading(operand_of(values.pieces));
    const std::int64_t first = segments.has_tail_pieces() ? segments.first_of_tail() : 0;
    for (std::int64_t piece = first; piece < first + count; ++piece)
      std::memcpy(&to.emplace_back(), elements_of(values.pieces, {piece, piece + 1}).data,
                  elem_size(values.pieces.type));
  }
}

void SegmentResults::exchange() {
  std::vector<std::int64_t> mine;
  append_given(mine);
  std::vector<std::size_t> bytes, begins{0};
  for (int r = 0; r < group_.ranks(); ++r) {
    bytes.push_back(count_given(r) * sizeof(std::int64_t));
    begins.push_back(begins.back() + count_given(r));
  }
  if (begins.back() == 0) return;
  std::vector<std::int64_t> all(begins.back());
  group_.messenger.gather_to_all(mine.data(), bytes, all.data());
  std::vector<const std::int64_t*> given;
  for (std::size_t r = 0; r < bytes.size(); ++r) given.push_back(all.data() + begins[r]);
  take_given(given);
}

const void* SegmentResults::OfSegments::finished() const {
  const std::int64_t first = std::max<std::int64_t>(0, segments->of_head() - 1);
  return elements_of(pieces, {first, pieces.length}).data;
}

void SegmentResults::take_given(std::span<const std::int64_t* const> given) {
  std::vector<const std::int64_t*> next(given.begin(), given.end());
  for (OfSegments& values : all_) {
    const SegmentCut& cut = values.segments->cut();
    const int self = group_.rank();
    // The values of earlier ranks, and of a single segment those of all.
    const int end = values.is_single() ? group_.ranks() : self;
    group_.before_reading(operand_of(values.pieces));
    group_.before_writing(values.is_single() ? values.whole : values.pieces);
    with_monoid(values.monoid, values.pieces.type, [&]<class M, class T>() {
      T fold = M::template identity<T>();
      for (int r = 0; r < group_.ranks(); ++r) {
        const bool is_of_first =
            values.is_single() || (cut.has_tail(r) && cut.first_segment(r + 1) == cut.first_segment(self));
        auto& of_rank = next[static_cast<std::size_t>(r)];
        for (std::int64_t n = count_pieces(*values.segments, r); n > 0; --n, ++of_rank)
          if (r < end && is_of_first) fold = M::template combine<T>(value_at<T>(of_rank), fold);
      }
      if (values.is_single()) {
        *static_cast<T*>(values.whole.data) = fold;
      } else if (values.segments->of_head() > 0 && !cut.finished().empty()) {
        T* const pieces = static_cast<T*>(values.pieces.data);
        for (std::int64_t piece = 0; piece < values.segments->of_head(); ++piece)
          fold = M::template combine<T>(pieces[piece], fold);
        pieces[values.segments->of_head() - 1] = fold;
      }
    });
  }
}

void SegmentResults::append_deliveries(std::vector<Delivery>& to) const {
  for (const OfSegments& values : all_)
    if (!values.is_single()) to.push_back({values.finished(), values.segments->cut().all_finished(), values.whole});
}

}  // namespace cvl::mpi

// RANK: segments of one rank are ranked there. Segments that continue on several ranks are sorted by all ranks together,
// by regular sampling: Shi and Schaeffer, "Parallel sorting by regular sampling" (J. of Parallel and Distributed
// Computing 14, 1992). Equal elements are told apart by rank and position, so that shares are balanced whatever the
// elements, and the order is stable.

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "cvl/dispatch.h"
#include "operations/operation_context.h"

namespace cvl::mpi {

namespace {

/// A place in the order of all elements of segments that continue on several ranks.
struct SortedPlace {
  std::int64_t segment = 0;
  std::int64_t value_bits = 0;
  std::int64_t rank = 0;
  std::int64_t position = 0;  ///< among the elements of the piece of that rank, in their order
};

/// The number of elements of a segment that a rank has got.
struct SegmentCount {
  std::int64_t segment = -1;
  std::int64_t count = 0;
};

/// The elements of a segment on this rank, of a segment that other ranks have elements of, too.
struct SharedPiece {
  std::int64_t segment = 0;
  Range elements;
  std::vector<std::int64_t> order;  ///< the elements in the order of their values
};

/// Ranks the pieces of segments that continue on several ranks. T: type of elements; I: of ranks.
template <class T, class I>
class SharedRanking {
 public:
  SharedRanking(OperationContext& context, const SegmentCut& cut, const Rank& op)
      : context_(context), group_(context.group), cut_(cut), op_(op), a_(static_cast<const T*>(op.a.data)),
        result_(static_cast<I*>(op.result.data)) {
    const Range touched = cut.touched();
    if (cut.elements().empty()) return;
    if (cut.is_continued(context.rank())) add(touched.begin);
    if (cut.has_tail(context.rank()) && (pieces_.empty() || touched.size() > 1)) add(touched.end - 1);
  }

  /// Collective.
  void run();

 private:
  void add(std::int64_t segment) {
    SharedPiece piece{segment, cut_.clipped(segment, cut_.elements()), {}};
    // The result has the ranks within the piece.
    piece.order.resize(static_cast<std::size_t>(piece.elements.size()));
    for (std::int64_t e = piece.elements.begin; e < piece.elements.end; ++e)
      piece.order[static_cast<std::size_t>(result_[e])] = e;
    pieces_.push_back(std::move(piece));
  }
  bool less(T x, T y) const {
    if (op_.descending) std::swap(x, y);
    return y != y ? x == x : x < y;
  }
  static std::int64_t bits_of(T value) {
    std::int64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }
  static T value_of(const SortedPlace& place) {
    T value;
    std::memcpy(&value, &place.value_bits, sizeof value);
    return value;
  }
  bool is_before(const SortedPlace& x, const SortedPlace& y) const {
    if (x.segment != y.segment) return x.segment < y.segment;
    if (less(value_of(x), value_of(y))) return true;
    if (less(value_of(y), value_of(x))) return false;
    return std::pair(x.rank, x.position) < std::pair(y.rank, y.position);
  }
  std::vector<SortedPlace> choose_splitters() const;
  std::int64_t count_before(const SharedPiece& piece, const SortedPlace& splitter) const;

  OperationContext& context_;
  const RankGroup& group_;
  const SegmentCut& cut_;
  const Rank& op_;
  const T* const a_;
  I* const result_;
  std::vector<SharedPiece> pieces_;
};

/// For each rank but the last one, the first place of the next rank's share; fewer if there are few elements.
template <class T, class I>
std::vector<SortedPlace> SharedRanking<T, I>::choose_splitters() const {
  const int ranks = group_.ranks();
  // Samples stand for as many elements each on every rank.
  std::int64_t all = 0;
  for (int r = 0; r < ranks; ++r)
    if (cut_.is_continued(r) || cut_.has_tail(r)) all += cut_.elements(r).size();
  const std::int64_t step = std::max<std::int64_t>(1, all / (std::int64_t{ranks} * ranks));
  std::vector<SortedPlace> samples;
  for (const SharedPiece& piece : pieces_)
    for (std::int64_t j = 0; j < piece.elements.size(); j += step)
      samples.push_back(
          {piece.segment, bits_of(a_[piece.order[static_cast<std::size_t>(j)]]), context_.rank(), j});
  const std::vector<std::int64_t> counts = group_.messenger.gather_to_all(std::ssize(samples));
  std::vector<std::size_t> bytes;
  for (const std::int64_t count : counts) bytes.push_back(static_cast<std::size_t>(count) * sizeof(SortedPlace));
  std::vector<SortedPlace> sorted(
      static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})));
  group_.messenger.gather_to_all(samples.data(), bytes, sorted.data());
  std::ranges::sort(sorted, [this](const SortedPlace& x, const SortedPlace& y) { return is_before(x, y); });
  std::vector<SortedPlace> splitters;
  for (int r = 1; r < ranks && !sorted.empty(); ++r)
    splitters.push_back(sorted[sorted.size() * static_cast<std::size_t>(r) / static_cast<std::size_t>(ranks)]);
  return splitters;
}

/// How many elements of a piece come before a splitter.
template <class T, class I>
std::int64_t SharedRanking<T, I>::count_before(const SharedPiece& piece, const SortedPlace& splitter) const {
  if (piece.segment != splitter.segment) return piece.segment < splitter.segment ? piece.elements.size() : 0;
  if (splitter.rank == context_.rank()) return splitter.position;
  // Of equal elements, those of earlier ranks come first.
  const bool equal_before = context_.rank() < splitter.rank;
  const T value = value_of(splitter);
  const auto end = std::ranges::partition_point(piece.order, [&](std::int64_t e) {
    return equal_before ? !less(value, a_[e]) : less(a_[e], value);
  });
  return end - piece.order.begin();
}

template <class T, class I>
void SharedRanking<T, I>::run() {
  const auto ranks = static_cast<std::size_t>(group_.ranks());
  const std::vector<SortedPlace> splitters = choose_splitters();
  if (splitters.empty()) return;

  // Each rank gets, of each piece, what lies between two splitters: at most two runs of each rank, for two segments.
  constexpr std::size_t kRuns = 2;
  using Runs = std::array<SegmentCount, kRuns>;
  std::vector<Runs> sent_runs(ranks), received_runs(ranks);
  std::vector<T> sent;
  std::vector<std::int64_t> sent_elements;
  std::vector<Outgoing> outgoing(ranks);
  std::vector<Incoming> incoming(ranks);
  std::vector<std::size_t> sent_begin(ranks + 1);
  std::vector<std::int64_t> done(pieces_.size());
  for (std::size_t r = 0; r < ranks; ++r) {
    sent_begin[r] = sent.size();
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      const std::int64_t end =
          r + 1 < ranks ? std::max(done[p], count_before(pieces_[p], splitters[r])) : pieces_[p].elements.size();
      sent_runs[r][p] = {pieces_[p].segment, end - done[p]};
      for (std::int64_t j = done[p]; j < end; ++j) {
        sent_elements.push_back(pieces_[p].order[static_cast<std::size_t>(j)]);
        sent.push_back(a_[sent_elements.back()]);
      }
      done[p] = end;
    }
    outgoing[r] = {&sent_runs[r], sizeof(Runs)};
    incoming[r] = {&received_runs[r], sizeof(Runs)};
  }
  sent_begin[ranks] = sent.size();
  group_.messenger.exchange(outgoing, incoming);

  // Elements of a segment are placed one rank after the other, so that ranking them is stable.
  struct Run {
    std::int64_t segment;
    std::size_t rank;
    std::int64_t count, begin;
  };
  std::vector<Run> runs;
  std::int64_t received_count = 0;
  std::vector<std::int64_t> received_begin(ranks + 1);
  for (std::size_t r = 0; r < ranks; ++r) {
    received_begin[r] = received_count;
    for (const auto& [segment, count] : received_runs[r]) {
      if (count > 0) runs.push_back({segment, r, count, received_count});
      received_count += count;
    }
  }
  received_begin[ranks] = received_count;
  const Scratch arrived = scratch_for(group_, op_.a.type, received_count),
                grouped = scratch_for(group_, op_.a.type, received_count),
                ranked = scratch_for(group_, op_.result.type, received_count),
                returned = scratch_for(group_, op_.result.type, received_count);
  for (std::size_t r = 0; r < ranks; ++r) {
    outgoing[r] = {sent.data() + sent_begin[r], (sent_begin[r + 1] - sent_begin[r]) * sizeof(T)};
    incoming[r] = {arrived.as<T>() + received_begin[r],
                   static_cast<std::size_t>(received_begin[r + 1] - received_begin[r]) * sizeof(T)};
  }
  group_.messenger.exchange(outgoing, incoming);

  std::ranges::stable_sort(runs, {}, &Run::segment);
  std::vector<std::int64_t> offsets{0};
  std::vector<SegmentCount> groups;
  std::int64_t at = 0;
  for (const Run& run : runs) {
    std::copy_n(arrived.as<T>() + run.begin, run.count, grouped.as<T>() + at);
    at += run.count;
    if (groups.empty() || groups.back().segment != run.segment) {
      groups.push_back({run.segment, 0});
      offsets.push_back(at);
    }
    groups.back().count += run.count;
    offsets.back() = at;
  }
  const std::int64_t segments = std::ssize(groups);
  if (segments > 0) {
    const SegmentDescriptor descriptor{segments, at, segments == 1 ? at : -1, segments == 1 ? nullptr : offsets.data()};
    context_.inner().run(
        Rank{op_.descending, {op_.a.type, at, grouped.data()}, descriptor, {op_.result.type, at, ranked.data()}});
    context_.faults.take_from(context_.inner());
  }

  // Of the first segment of this rank, elements of earlier ranks come before; of later segments none.
  const auto last_of_all = group_.messenger.gather_to_all(groups.empty() ? SegmentCount{} : groups.back());
  std::int64_t before = 0;
  for (int r = 0; r < context_.rank() && !groups.empty(); ++r)
    if (last_of_all[static_cast<std::size_t>(r)].segment == groups.front().segment)
      before += last_of_all[static_cast<std::size_t>(r)].count;
  at = 0;
  for (const Run& run : runs) {
    const I shift = run.segment == groups.front().segment ? static_cast<I>(before) : I(0);
    for (std::int64_t j = 0; j < run.count; ++j)
      returned.as<I>()[run.begin + j] = static_cast<I>(ranked.as<I>()[at + j] + shift);
    at += run.count;
  }
  std::vector<I> ranks_of_sent(sent.size());
  for (std::size_t r = 0; r < ranks; ++r) {
    incoming[r] = {ranks_of_sent.data() + sent_begin[r], (sent_begin[r + 1] - sent_begin[r]) * sizeof(I)};
    outgoing[r] = {returned.as<I>() + received_begin[r],
                   static_cast<std::size_t>(received_begin[r + 1] - received_begin[r]) * sizeof(I)};
  }
  group_.messenger.exchange(outgoing, incoming);
  for (std::size_t j = 0; j < sent_elements.size(); ++j) result_[sent_elements[j]] = ranks_of_sent[j];
}

}  // namespace

void compute(OperationContext& context, const Rank& op) {
  const auto cut = context.cuts.of(op.descriptor);
  const Range elements = cut->elements();
  PartialResult result(context.group, op.result, cut->all_elements());
  context.inner().run(
      Rank{op.descending, elements_of(op.a, elements), cut->local(elements, cut->touched()), result.part()});
  context.faults.take_from(context.inner());
  if (cut->any_continued())
    with_number(op.a.type, [&]<class T>() {
      with_int(op.result.type, [&]<class I>() { SharedRanking<T, I>(context, *cut, op).run(); });
    });
  result.finish();
}

}  // namespace cvl::mpi

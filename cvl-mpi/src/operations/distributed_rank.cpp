// RANK: segments of one rank are ranked there. The elements of segments that continue on several ranks are divided
// among all ranks by splitters from a sample, each rank ranks its share, and the ranks go back: Blelloch, Leiserson,
// Maggs, Plaxton, Smith and Zagha, "A comparison of sorting algorithms for the Connection Machine CM-2" (SPAA 1991).
// Equal elements are told apart by their positions, so that shares are balanced whatever the elements, and the order is
// stable.

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "exchange/element_exchange.h"
#include "operations/operation_context.h"

namespace cvl::mpi {

namespace {

/// Samples of a rank. With so many, the largest of 1024 shares of random elements was 1.20 to 1.25 times as long as
/// their mean in five simulations.
constexpr std::int64_t kSamples = 256;

/// A place in the order of all elements of segments that continue on several ranks.
struct SortedPlace {
  std::int64_t segment = 0;
  std::int64_t value_bits = 0;
  std::int64_t element = 0;  ///< number in the whole vector
};

/// A sample of a rank's elements.
struct Sample {
  std::int64_t elements = 0;  ///< that are sampled
  std::array<SortedPlace, kSamples> places{};

  std::int64_t size() const { return std::min(elements, kSamples); }
  /// The number of sample j among the elements. Samples of equal ranges of elements are at places in these that follow
  /// no pattern, as the elements might have the same one.
  std::int64_t position(std::int64_t j) const {
    constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15u;
    const auto begin = [&](std::int64_t k) { return static_cast<std::int64_t>(__int128{k} * elements / size()); };
    const std::uint64_t fraction = static_cast<std::uint64_t>(j + 1) * kGoldenRatio;
    const auto range = static_cast<std::uint64_t>(begin(j + 1) - begin(j));
    return begin(j) + static_cast<std::int64_t>(static_cast<unsigned __int128>(fraction) * range >> 64);
  }
};

/// Elements of a segment that one rank sends to another one.
struct Run {
  std::int64_t segment = -1;  ///< -1: none
  std::int64_t count = 0;
  std::int64_t before = 0;  ///< elements of the segment that the sender gives to earlier ranks
};
/// A rank has elements of at most two segments that continue on other ranks.
using Runs = std::array<Run, 2>;

/// The elements on this rank of a segment that continues on other ranks.
struct SharedPiece {
  std::int64_t segment = 0;
  Range elements;
  std::vector<std::int64_t> counts, begins;  ///< for each rank: elements sent to it, and before them
};

/// Ranks the segments that continue on several ranks. T: type of elements; I: of ranks.
template <class T, class I>
class SharedRanking {
 public:
  SharedRanking(OperationContext& context, const Rank& op)
      : context_(context),
        group_(context.group),
        op_(op),
        a_(static_cast<const T*>(op.a.data)),
        result_(static_cast<I*>(op.result.data)) {}

  /// Pieces are added in the order of segments.
  void add(std::int64_t segment, Range elements) {
    const auto ranks = static_cast<std::size_t>(group_.ranks());
    pieces_.push_back({segment, elements, std::vector<std::int64_t>(ranks), std::vector<std::int64_t>(ranks)});
    elements_ += elements.size();
  }
  /// Collective.
  void run();

 private:
  bool less(T x, T y) const {
    if (op_.descending) std::swap(x, y);
    return y != y ? x == x : x < y;
  }
  static T value_of(const SortedPlace& place) {
    T value;
    std::memcpy(&value, &place.value_bits, sizeof value);
    return value;
  }
  /// Whether element e with value x comes before an element of the same segment.
  bool is_before(T x, std::int64_t e, const SortedPlace& y) const {
    const T value = value_of(y);
    return less(x, value) || (!less(value, x) && e < y.element);
  }
  SortedPlace place(std::int64_t number) const;
  std::vector<SortedPlace> choose_splitters() const;
  void choose_shares(SharedPiece& piece, const std::vector<SortedPlace>& splitters, std::int32_t* shares) const;
  /// Calls f(e, place) for each element of the pieces; `place` is its number among the elements that are sent.
  template <class F>
  void for_each_sent(const Scratch& shares, F&& f) const {
    const auto* share = shares.as<std::int32_t>();
    for (const SharedPiece& piece : pieces_) {
      std::vector<std::int64_t> next = piece.begins;
      for (std::int64_t e = piece.elements.begin; e < piece.elements.end; ++e)
        f(e, next[static_cast<std::size_t>(*share++)]++);
    }
  }
  Scratch rank_arrived(const std::vector<Runs>& runs_of_ranks, const Scratch& arrived, std::int64_t count) const;

  OperationContext& context_;
  const RankGroup& group_;
  const Rank& op_;
  const T* const a_;
  I* const result_;
  std::vector<SharedPiece> pieces_;
  std::int64_t elements_ = 0;  ///< of all pieces
};

/// The place of an element of the pieces, which are numbered one piece after the other.
template <class T, class I>
SortedPlace SharedRanking<T, I>::place(std::int64_t number) const {
  std::size_t p = 0;
  for (; number >= pieces_[p].elements.size(); ++p) number -= pieces_[p].elements.size();
  SortedPlace place{pieces_[p].segment, 0, pieces_[p].elements.begin + number};
  std::memcpy(&place.value_bits, &a_[place.element], sizeof(T));
  return place;
}

/// The first place of each rank's share but that of rank 0, which chooses them from the samples of all ranks.
template <class T, class I>
std::vector<SortedPlace> SharedRanking<T, I>::choose_splitters() const {
  const auto ranks = static_cast<std::size_t>(group_.ranks());
  Sample mine;
  mine.elements = elements_;
  for (std::int64_t j = 0; j < mine.size(); ++j) mine.places[static_cast<std::size_t>(j)] = place(mine.position(j));
  std::vector<Sample> samples(group_.rank() == 0 ? ranks : 0);
  std::vector<Outgoing> outgoing(ranks);
  std::vector<Incoming> incoming(ranks);
  outgoing[0] = {&mine, sizeof mine};
  for (std::size_t r = 0; r < samples.size(); ++r) incoming[r] = {&samples[r], sizeof samples[r]};
  group_.messenger.exchange(outgoing, incoming);

  // A sample stands for as many elements as its rank has for each of its samples.
  struct Weighted {
    SortedPlace place;
    double weight;
  };
  std::vector<Weighted> sorted;
  double all = 0;
  for (const Sample& sample : samples) {
    for (std::int64_t j = 0; j < sample.size(); ++j)
      sorted.push_back({sample.places[static_cast<std::size_t>(j)],
                        static_cast<double>(sample.elements) / static_cast<double>(sample.size())});
    all += static_cast<double>(sample.elements);
  }
  std::ranges::sort(sorted, [this](const Weighted& x, const Weighted& y) {
    if (x.place.segment != y.place.segment) return x.place.segment < y.place.segment;
    return is_before(value_of(x.place), x.place.element, y.place);
  });
  std::vector<SortedPlace> splitters(ranks - 1);
  double before = 0;
  auto sample = sorted.begin();
  for (std::size_t r = 1; r < ranks && !sorted.empty(); ++r) {
    for (; std::next(sample) != sorted.end() && before < all * static_cast<double>(r) / static_cast<double>(ranks);
         ++sample)
      before += sample->weight;
    splitters[r - 1] = sample->place;
  }
  group_.messenger.broadcast(splitters.data(), splitters.size() * sizeof(SortedPlace), 0);
  return splitters;
}

/// Finds the rank whose share each element of a piece belongs to, and counts them.
template <class T, class I>
void SharedRanking<T, I>::choose_shares(SharedPiece& piece, const std::vector<SortedPlace>& splitters,
                                        std::int32_t* shares) const {
  // clang 14 does not compile std::ranges::equal_range.
  const auto begin = std::ranges::lower_bound(splitters, piece.segment, {}, &SortedPlace::segment);
  const auto end = std::ranges::upper_bound(splitters, piece.segment, {}, &SortedPlace::segment);
  const std::span<const SortedPlace> of_segment(begin, end);
  const auto first = static_cast<std::int32_t>(begin - splitters.begin());
  for (std::int64_t e = piece.elements.begin; e < piece.elements.end; ++e) {
    // The splitters before the element, without branches, which nothing would predict.
    const SortedPlace* next = of_segment.data();
    for (std::size_t n = of_segment.size(); n > 0;) {
      const std::size_t half = n / 2;
      const bool is_behind = !is_before(a_[e], e, next[half]);
      next += is_behind ? half + 1 : 0;
      n = is_behind ? n - half - 1 : half;
    }
    const std::int32_t share = first + static_cast<std::int32_t>(next - of_segment.data());
    *shares++ = share;
    ++piece.counts[static_cast<std::size_t>(share)];
  }
}

template <class T, class I>
void SharedRanking<T, I>::run() {
  const std::vector<SortedPlace> splitters = choose_splitters();
  const Scratch shares = scratch_for(group_, ElemType::kI32, elements_);
  auto* shares_of_piece = shares.as<std::int32_t>();
  for (SharedPiece& piece : pieces_) {
    choose_shares(piece, splitters, shares_of_piece);
    shares_of_piece += piece.elements.size();
  }

  // A rank gets its share of the first piece, then that of the second one.
  const auto ranks = static_cast<std::size_t>(group_.ranks());
  std::vector<Runs> sent_runs(ranks), received_runs(ranks);
  std::vector<std::int64_t> sent(ranks), received(ranks), before(pieces_.size());
  std::int64_t all_sent = 0, all_received = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      SharedPiece& piece = pieces_[p];
      sent_runs[r][p] = {piece.segment, piece.counts[r], before[p]};
      piece.begins[r] = all_sent;
      before[p] += piece.counts[r];
      sent[r] += piece.counts[r];
      all_sent += piece.counts[r];
    }
  }
  const std::vector<std::int64_t> ones(ranks, 1);
  exchange_parts(group_, sizeof(Runs), ones, sent_runs.data(), ones, received_runs.data());
  for (std::size_t r = 0; r < ranks; ++r) {
    for (const Run& run : received_runs[r]) received[r] += run.count;
    all_received += received[r];
  }

  const Scratch arrived = scratch_for(group_, op_.a.type, all_received);
  {
    const Scratch values = scratch_for(group_, op_.a.type, all_sent);
    for_each_sent(shares, [&](std::int64_t e, std::int64_t place) { values.as<T>()[place] = a_[e]; });
    exchange_parts(group_, sizeof(T), sent, values.data(), received, arrived.data());
  }
  const Scratch ranked = rank_arrived(received_runs, arrived, all_received);
  const Scratch returned = scratch_for(group_, op_.result.type, all_sent);
  exchange_parts(group_, sizeof(I), received, ranked.data(), sent, returned.data());
  for_each_sent(shares, [&](std::int64_t e, std::int64_t place) { result_[e] = returned.as<I>()[place]; });
}

/// The ranks, within whole segments, of the elements that have arrived, in the order of their arrival.
template <class T, class I>
Scratch SharedRanking<T, I>::rank_arrived(const std::vector<Runs>& runs_of_ranks, const Scratch& arrived,
                                          std::int64_t count) const {
  // Elements of a segment follow one another in the order of ranks, as segments on later ranks are later ones.
  std::vector<std::int64_t> offsets{0}, before;
  std::int64_t segment = -1;
  for (const Runs& of_rank : runs_of_ranks)
    for (const Run& run : of_rank) {
      if (run.segment < 0) continue;
      VC_CHECK(segment <= run.segment);
      if (run.segment != segment) {
        offsets.push_back(offsets.back());
        before.push_back(0);
      }
      segment = run.segment;
      offsets.back() += run.count;
      before.back() += run.before;
    }
  VC_CHECK(offsets.back() == count);

  Scratch ranked = scratch_for(group_, op_.result.type, count);
  const std::int64_t segments = std::ssize(before);
  if (count == 0) return ranked;
  const SegmentDescriptor descriptor{segments, count, segments == 1 ? count : -1,
                                     segments == 1 ? nullptr : offsets.data()};
  context_.inner().run(
      Rank{op_.descending, {op_.a.type, count, arrived.data()}, descriptor, {op_.result.type, count, ranked.data()}});
  context_.faults.take_from(context_.inner());
  for (std::size_t k = 0; k < before.size(); ++k)
    if (before[k] > 0)
      for (std::int64_t j = offsets[k]; j < offsets[k + 1]; ++j) ranked.as<I>()[j] += static_cast<I>(before[k]);
  return ranked;
}

}  // namespace

void compute(OperationContext& context, const Rank& op) {
  const auto cut = context.cuts.of(op.descriptor);
  const Range elements = cut->elements(), touched = cut->touched();
  PartialResult result(context.group, op.result, cut->all_elements());
  // The segments of this rank alone lie between the one that continues from earlier ranks and the one that continues
  // on later ones.
  const bool is_continued = !elements.empty() && cut->is_continued(context.rank()),
             has_tail = cut->has_tail(context.rank());
  const bool is_within_one = is_continued && has_tail && touched.size() == 1;
  Range own = touched;
  if (is_continued) ++own.begin;
  if (has_tail && !is_within_one) --own.end;
  if (!own.empty()) {
    const Range of_own{cut->start(own.begin), cut->start(own.end)};
    context.inner().run(Rank{op.descending, elements_of(op.a, of_own), cut->local(of_own, own),
                             elements_of(result.part(), {of_own.begin - elements.begin, of_own.end - elements.begin})});
    context.faults.take_from(context.inner());
  }
  if (cut->any_continued())
    with_number(op.a.type, [&]<class T>() {
      with_int(op.result.type, [&]<class I>() {
        SharedRanking<T, I> shared(context, op);
        if (is_continued) shared.add(touched.begin, cut->clipped(touched.begin, elements));
        if (has_tail && !is_within_one) shared.add(touched.end - 1, cut->clipped(touched.end - 1, elements));
        shared.run();
      });
    });
  result.finish();
}

}  // namespace cvl::mpi

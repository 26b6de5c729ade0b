// RANK: segments of one rank are ranked there. The elements of segments that continue on several ranks are divided
// among all ranks by splitters from a sample, each rank ranks its share, and the ranks go back: Blelloch, Leiserson,
// Maggs, Plaxton, Smith and Zagha, "A comparison of sorting algorithms for the Connection Machine CM-2" (SPAA 1991).
// Equal elements are told apart by their positions, so that shares are balanced whatever the elements, and the order is
// stable.

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "exchange/element_exchange.h"
#include "exchange/radix_sort.h"
#include "operations/unsent_ranks.h"

namespace cvl::mpi {

namespace {

/// Samples of a rank for each turn. With so many, the largest of 1024 shares of random elements was 1.20 to 1.25 times
/// as long as their mean in five simulations.
constexpr std::int64_t kSamples = 256;

/// A place in the order of all elements of segments that continue on several ranks.
struct SortedPlace {
  std::int64_t segment = 0;
  std::int64_t value_bits = 0;
  std::int64_t element = 0;  ///< number in the whole vector
};

/// An element of a sample, and how many elements it stands for.
struct Sample {
  SortedPlace place;
  double weight = 0;
};

/// The samples of a rank as a message: the number of elements that are sampled, and the samples.
class SampleMessage {
 public:
  /// Room for `most` samples.
  explicit SampleMessage(std::int64_t most) : words_(1 + static_cast<std::size_t>(most) * kWords) {}

  std::int64_t& elements() { return words_[0]; }
  std::int64_t size() const { return std::min(words_[0], static_cast<std::int64_t>(words_.size() / kWords)); }
  void set(std::int64_t j, const SortedPlace& place) {
    std::ranges::copy(std::array{place.segment, place.value_bits, place.element}, &words_[begin(j)]);
  }
  Sample sample(std::int64_t j) const {
    const std::int64_t* const place = &words_[begin(j)];
    return {{place[0], place[1], place[2]}, static_cast<double>(words_[0]) / static_cast<double>(size())};
  }
  void* data() { return words_.data(); }
  std::size_t bytes() const { return words_.size() * sizeof(std::int64_t); }

 private:
  static constexpr std::size_t kWords = 3;  // of a place
  static std::size_t begin(std::int64_t j) { return 1 + static_cast<std::size_t>(j) * kWords; }

  std::vector<std::int64_t> words_;
};

/// The number of sample j of `size` among `elements` elements. Samples of equal ranges of elements are at places in
/// these that follow no pattern, as the elements might have the same one.
std::int64_t sample_position(std::int64_t j, std::int64_t size, std::int64_t elements) {
  constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15u;
  const Range range = part_of({0, elements}, j, size);
  const std::uint64_t fraction = static_cast<std::uint64_t>(j + 1) * kGoldenRatio;
  const auto length = static_cast<std::uint64_t>(range.size());
  return range.begin + static_cast<std::int64_t>(static_cast<unsigned __int128>(fraction) * length >> 64);
}

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
  std::vector<std::int64_t> counts;  ///< elements of each share
  std::int64_t before = 0;           ///< elements of the shares of earlier turns
  std::vector<std::int64_t> begins;  ///< in a turn, for each rank: where elements for it begin among those sent
};

/// Elements that a rank ranks for others.
struct Share {
  std::vector<std::int64_t> sent, received;  ///< by this rank to each one, and from each one
  std::vector<Runs> runs;                    ///< of those received, by their ranks
  Scratch arrived;                           ///< the elements received

  std::int64_t size() const { return std::reduce(received.begin(), received.end()); }
};

/// Ranks the segments that continue on several ranks. Each rank ranks a share of the elements in each turn: one turn,
/// or as many as the memory for exchanges makes necessary. T: type of elements; I: of ranks.
template <class T, class I>
class SharedRanking final : public UnsentRanks {
 public:
  /// most: elements of the rank with the most.
  SharedRanking(OperationContext& context, const Rank& op, std::int64_t most)
      : context_(context),
        group_(context.group),
        op_(op),
        turns_(group_.turns_for(most, kShareSlack * (sizeof(T) + sizeof(I)))),
        a_(static_cast<const T*>(op.a.data)),
        result_(static_cast<I*>(op.result.data)) {}

  /// Pieces are added in the order of segments.
  void add(std::int64_t segment, Range elements) {
    pieces_.push_back({segment, elements, std::vector<std::int64_t>(static_cast<std::size_t>(group_.ranks() * turns_)),
                       0, std::vector<std::int64_t>(static_cast<std::size_t>(group_.ranks()))});
    elements_ += elements.size();
    group_.before_reading(elements_of(op_.a, elements));
    group_.before_writing(elements_of(op_.result, elements));
  }
  /// Collective.
  void run();
  /// Divides a single segment into shares. False if there are several turns: then all is done. Collective.
  bool divide();
  const Result& ranks() const override { return op_.result; }
  bool have_bytes_of(const void* data, std::size_t bytes) const override {
    const auto* const begin = static_cast<const std::byte*>(data);
    const auto overlaps = [&](const void* vector, std::size_t size) {
      const auto* const first = static_cast<const std::byte*>(vector);
      return first < begin + bytes && begin < first + size;
    };
    return overlaps(a_, sizeof(T) * static_cast<std::size_t>(op_.a.length)) ||
           overlaps(result_, sizeof(I) * static_cast<std::size_t>(op_.a.length));
  }
  bool is_permuted_by(const Scatter& op) const override {
    return op.source.data == op_.a.data && op.source.type == op_.a.type && op.source.length == op_.a.length &&
           op.indices.data == op_.result.data && !op.flags && !op.defaults && op.from.is_single() &&
           op.to.is_single() && op.to.elements == op_.a.length;
  }
  void send() override { send_ranks(share_, 0); }
  void permute(const Result& sorted) override;

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
    const int is_less = less(x, value) ? 1 : 0, is_greater = less(value, x) ? 1 : 0, is_first = e < y.element ? 1 : 0;
    return (is_less | (is_first & ~is_greater)) != 0;
  }
  /// A buffer here and at the receiver, and half as many for shares that are longer than others.
  static constexpr std::size_t kShareSlack = 3;

  SortedPlace place(std::int64_t number) const;
  std::vector<SortedPlace> choose_splitters() const;
  void choose_shares(SharedPiece& piece, const std::vector<SortedPlace>& splitters);
  Share exchange_share(std::int64_t turn);
  void send_ranks(const Share& share, std::int64_t turn);
  /// Calls f(e, place) for each element that this rank sends in a turn; `place` is its number among these.
  template <class F>
  void for_each_sent(std::int64_t turn, F&& f) const {
    const std::int64_t first = turn * group_.ranks();
    for (const SharedPiece& piece : pieces_) {
      std::vector<std::int64_t> next = piece.begins;
      for (std::int64_t e = piece.elements.begin; e < piece.elements.end; ++e) {
        const std::int64_t rank = -1 - static_cast<std::int64_t>(result_[e]) - first;
        if (0 <= rank && rank < group_.ranks()) f(e, next[static_cast<std::size_t>(rank)]++);
      }
    }
  }
  Scratch rank_arrived(const Share& share) const;

  OperationContext& context_;
  const RankGroup& group_;
  const Rank op_;
  const std::int64_t turns_;
  const T* const a_;
  I* const result_;  ///< -1 - share of an element until its rank is known
  std::vector<SharedPiece> pieces_;
  std::int64_t elements_ = 0;  ///< of all pieces
  Share share_;                ///< of divide()
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

/// The first place of each share but the first one. Rank 0 chooses them from the samples of all ranks.
template <class T, class I>
std::vector<SortedPlace> SharedRanking<T, I>::choose_splitters() const {
  const auto ranks = static_cast<std::size_t>(group_.ranks());
  const std::int64_t most = kSamples * turns_;
  SampleMessage mine(most);
  mine.elements() = elements_;
  for (std::int64_t j = 0; j < mine.size(); ++j) mine.set(j, place(sample_position(j, mine.size(), elements_)));
  std::vector<SampleMessage> messages(group_.rank() == 0 ? ranks : 0, SampleMessage(most));
  std::vector<Outgoing> outgoing(ranks);
  std::vector<Incoming> incoming(ranks);
  outgoing[0] = {mine.data(), mine.bytes()};
  for (std::size_t r = 0; r < messages.size(); ++r) incoming[r] = {messages[r].data(), messages[r].bytes()};
  group_.messenger.exchange(outgoing, incoming);

  std::vector<Sample> samples;
  for (const SampleMessage& message : messages)
    for (std::int64_t j = 0; j < message.size(); ++j) samples.push_back(message.sample(j));
  std::ranges::sort(samples, [this](const Sample& x, const Sample& y) {
    if (x.place.segment != y.place.segment) return x.place.segment < y.place.segment;
    return is_before(value_of(x.place), x.place.element, y.place);
  });
  double all = 0, before = 0;
  for (const Sample& sample : samples) all += sample.weight;
  const std::size_t shares = ranks * static_cast<std::size_t>(turns_);
  std::vector<SortedPlace> splitters(shares - 1);
  auto sample = samples.begin();
  for (std::size_t k = 1; k < shares && !samples.empty(); ++k) {
    for (; std::next(sample) != samples.end() && before < all * static_cast<double>(k) / static_cast<double>(shares);
         ++sample)
      before += sample->weight;
    splitters[k - 1] = sample->place;
  }
  group_.messenger.broadcast(splitters.data(), splitters.size() * sizeof(SortedPlace), 0);
  return splitters;
}

/// Finds the share of each element of a piece, and counts them.
template <class T, class I>
void SharedRanking<T, I>::choose_shares(SharedPiece& piece, const std::vector<SortedPlace>& splitters) {
  // clang 14 does not compile std::ranges::equal_range.
  const auto begin = std::ranges::lower_bound(splitters, piece.segment, {}, &SortedPlace::segment);
  const auto end = std::ranges::upper_bound(splitters, piece.segment, {}, &SortedPlace::segment);
  const std::span<const SortedPlace> of_segment(begin, end);
  const std::int64_t first = begin - splitters.begin();
  for (std::int64_t e = piece.elements.begin; e < piece.elements.end; ++e) {
    // The splitters before the element, without branches, which nothing would predict.
    const SortedPlace* next = of_segment.data();
    for (std::size_t n = of_segment.size(); n > 0;) {
      const std::size_t half = n / 2;
      const bool is_behind = !is_before(a_[e], e, next[half]);
      next += is_behind ? half + 1 : 0;
      n = is_behind ? n - half - 1 : half;
    }
    const std::int64_t share = first + (next - of_segment.data());
    result_[e] = static_cast<I>(-1 - share);
    ++piece.counts[static_cast<std::size_t>(share)];
  }
}

template <class T, class I>
void SharedRanking<T, I>::run() {
  const std::vector<SortedPlace> splitters = choose_splitters();
  for (SharedPiece& piece : pieces_) choose_shares(piece, splitters);
  for (std::int64_t turn = 0; turn < turns_; ++turn) send_ranks(exchange_share(turn), turn);
}

template <class T, class I>
bool SharedRanking<T, I>::divide() {
  if (turns_ > 1) {
    run();
    return false;
  }
  const std::vector<SortedPlace> splitters = choose_splitters();
  for (SharedPiece& piece : pieces_) choose_shares(piece, splitters);
  share_ = exchange_share(0);
  return true;
}

/// Brings one share to each rank. Two rounds of messages.
template <class T, class I>
Share SharedRanking<T, I>::exchange_share(std::int64_t turn) {
  // A rank gets its share of the first piece, then that of the second one.
  const auto ranks = static_cast<std::size_t>(group_.ranks()), first = static_cast<std::size_t>(turn) * ranks;
  std::vector<Runs> sent_runs(ranks), received_runs(ranks);
  std::vector<std::int64_t> sent(ranks), received(ranks);
  std::int64_t all_sent = 0, all_received = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      SharedPiece& piece = pieces_[p];
      const std::int64_t count = piece.counts[first + r];
      sent_runs[r][p] = {piece.segment, count, piece.before};
      piece.begins[r] = all_sent;
      piece.before += count;
      sent[r] += count;
      all_sent += count;
    }
  }
  const std::vector<std::int64_t> ones(ranks, 1);
  exchange_parts(group_, sizeof(Runs), ones, sent_runs.data(), ones, received_runs.data());
  for (std::size_t r = 0; r < ranks; ++r) {
    for (const Run& run : received_runs[r]) received[r] += run.count;
    all_received += received[r];
  }

  Scratch arrived = scratch_for(group_, op_.a.type, all_received);
  {
    const Scratch values = scratch_for(group_, op_.a.type, all_sent);
    for_each_sent(turn, [&](std::int64_t e, std::int64_t place) { values.as<T>()[place] = a_[e]; });
    exchange_parts(group_, sizeof(T), sent, values.data(), received, arrived.data());
  }
  return {std::move(sent), std::move(received), std::move(received_runs), std::move(arrived)};
}

/// Ranks a share, and sends the ranks to those of the elements. One round of messages.
template <class T, class I>
void SharedRanking<T, I>::send_ranks(const Share& share, std::int64_t turn) {
  const Scratch ranks = rank_arrived(share);
  const Scratch returned = scratch_for(group_, op_.result.type, std::reduce(share.sent.begin(), share.sent.end()));
  exchange_parts(group_, sizeof(I), share.received, ranks.data(), share.sent, returned.data());
  for_each_sent(turn, [&](std::int64_t e, std::int64_t place) { result_[e] = returned.as<I>()[place]; });
}

/// A share is consecutive elements of the sorted vector, so that it is sorted without ranks.
template <class T, class I>
void SharedRanking<T, I>::permute(const Result& sorted) {
  const std::int64_t mine = share_.size();
  Ranges haves;
  std::int64_t begin = 0;
  for (const std::int64_t count : group_.messenger.gather_to_all(mine)) {
    haves.push_back({begin, begin + count});
    begin += count;
  }
  const Scratch to = scratch_for(group_, op_.a.type, mine), other = scratch_for(group_, op_.a.type, mine);
  group_.before_reading({op_.a.type, mine, share_.arrived.data()});
  for (const Scratch* room : {&to, &other}) group_.before_writing({op_.a.type, mine, room->data()});
  const T* const elements = radix_sort<T>(share_.arrived.as<T>(), to.as<T>(), other.as<T>(), mine, op_.descending);
  deliver(group_, elements, haves, sorted);
}

/// The ranks, within whole segments, of the elements that have arrived, in the order of their arrival.
template <class T, class I>
Scratch SharedRanking<T, I>::rank_arrived(const Share& share) const {
  const std::int64_t count = share.size();
  // Elements of a segment follow one another in the order of ranks, as segments on later ranks are later ones.
  std::vector<std::int64_t> before;
  const std::size_t most_segments = share.runs.size() * std::tuple_size_v<Runs>;
  const Scratch memory = scratch_for(group_, ElemType::kI64, static_cast<std::int64_t>(most_segments) + 1);
  auto* const offsets = memory.as<std::int64_t>();
  offsets[0] = 0;
  std::int64_t segment = -1;
  for (const Runs& of_rank : share.runs)
    for (const Run& run : of_rank) {
      if (run.segment < 0) continue;
      VC_CHECK(segment <= run.segment);
      if (run.segment != segment) {
        offsets[before.size() + 1] = offsets[before.size()];
        before.push_back(0);
      }
      segment = run.segment;
      offsets[before.size()] += run.count;
      before.back() += run.before;
    }
  VC_CHECK(offsets[before.size()] == count);

  Scratch ranked = scratch_for(group_, op_.result.type, count);
  const std::int64_t segments = std::ssize(before);
  if (count == 0) return ranked;
  const SegmentDescriptor descriptor{segments, count, segments == 1 ? count : -1, segments == 1 ? nullptr : offsets};
  context_.inner().run(Rank{
      op_.descending, {op_.a.type, count, share.arrived.data()}, descriptor, {op_.result.type, count, ranked.data()}});
  context_.faults.take_from(context_.inner());
  if (std::ranges::all_of(before, [](std::int64_t elements) { return elements == 0; })) return ranked;
  group_.before_reading({op_.result.type, count, ranked.data()});
  group_.before_writing({op_.result.type, count, ranked.data()});
  for (std::size_t k = 0; k < before.size(); ++k)
    if (before[k] > 0)
      for (std::int64_t j = offsets[k]; j < offsets[k + 1]; ++j) ranked.as<I>()[j] += static_cast<I>(before[k]);
  return ranked;
}

}  // namespace

std::unique_ptr<UnsentRanks> rank_without_sending(OperationContext& context, const Rank& op) {
  const auto cut = context.cuts.of(op.descriptor);
  if (!op.descriptor.is_single() || !cut->any_continued()) {
    compute(context, op);
    return nullptr;
  }
  std::unique_ptr<UnsentRanks> unsent;
  with_number(op.a.type, [&]<class T>() {
    with_int(op.result.type, [&]<class I>() {
      auto shared = std::make_unique<SharedRanking<T, I>>(context, op, longest(cut->all_elements()));
      if (!cut->elements().empty()) shared->add(0, cut->elements());
      if (shared->divide()) unsent = std::move(shared);
    });
  });
  return unsent;
}

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
        SharedRanking<T, I> shared(context, op, longest(cut->all_elements()));
        if (is_continued) shared.add(touched.begin, cut->clipped(touched.begin, elements));
        if (has_tail && !is_within_one) shared.add(touched.end - 1, cut->clipped(touched.end - 1, elements));
        shared.run();
      });
    });
  result.finish();
}

}  // namespace cvl::mpi

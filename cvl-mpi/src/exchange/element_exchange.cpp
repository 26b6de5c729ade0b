#include "exchange/element_exchange.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>
#include <span>

#include "base/check.h"
#include "cvl/dispatch.h"

namespace cvl::mpi {

void exchange_parts(const RankGroup& group, std::size_t size, const std::vector<std::int64_t>& sent, const void* from,
                    const std::vector<std::int64_t>& received, void* to) {
  const PartsOfRanks parts{size, sent, from, received, to};
  exchange_parts(group, {&parts, 1});
}

void exchange_parts(const RankGroup& group, std::span<const PartsOfRanks> vectors) {
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (const PartsOfRanks& parts : vectors) {
    const auto* out = static_cast<const std::byte*>(parts.from);
    auto* in = static_cast<std::byte*>(parts.to);
    for (std::size_t r = 0; r < parts.sent.size(); ++r) {
      outgoing.push_back({out, static_cast<std::size_t>(parts.sent[r]) * parts.size});
      const std::size_t bytes = static_cast<std::size_t>(parts.received[r]) * parts.size;
      incoming.push_back({in, static_cast<int>(r) == group.rank() ? outgoing.back().bytes : bytes});
      out += outgoing.back().bytes;
      in += bytes;
    }
  }
  group.messenger.exchange(outgoing, incoming);
}

namespace {

std::int64_t sum(const std::vector<std::int64_t>& counts) { return std::reduce(counts.begin(), counts.end()); }

/// The type of places on a rank.
ElemType type_of_places(const Ranges& targets) {
  return longest(targets) <= std::numeric_limits<std::int32_t>::max() ? ElemType::kI32 : ElemType::kI64;
}

constexpr Target kNowhere = std::numeric_limits<Target>::max();

/// Bytes of an element in the buffers of a sender and of a receiver.
std::size_t bytes_of(const Routing& routing) {
  return sizeof(Target) + 2 * (elem_size(type_of_places(routing.targets)) + elem_size(routing.values.type));
}

/// Calls f(e, place) for each element with a place.
template <class F>
void for_each_place(const Routing& routing, F&& f) {
  constexpr std::int64_t kBatch = 1024;
  std::int64_t places[kBatch];
  for (std::int64_t begin = routing.elements.begin; begin < routing.elements.end; begin += kBatch) {
    const Range batch{begin, std::min(begin + kBatch, routing.elements.end)};
    routing.write_places(batch, places);
    for (std::int64_t e = batch.begin; e < batch.end; ++e)
      if (const std::int64_t place = places[e - batch.begin]; place >= 0) f(e, place);
  }
}

/// Elements that are sent to other ranks, and room for those that arrive.
struct Sending {
  Routed routed;
  std::vector<std::int64_t> sent;  ///< to each other rank
  Scratch places, values;          ///< of the elements sent

  void add_to(std::vector<PartsOfRanks>& parts) const {
    parts.push_back(
        {elem_size(routed.places.type), sent, places.data(), routed.from_rank, routed.memory_of_places.data()});
    parts.push_back(
        {elem_size(routed.values.type), sent, values.data(), routed.from_rank, routed.memory_of_values.data()});
  }
};

/// Routes the elements of one part of the places.
class RoutingOfPart {
 public:
  RoutingOfPart(const RankGroup& group, const Routing& routing, std::int64_t part, std::int64_t parts)
      : group_(group),
        routing_(routing),
        part_(part),
        is_all_(parts == 1),
        ranks_(group, sizeof(Target) * static_cast<std::size_t>(routing.elements.size())) {
    VC_CHECK(routing.targets.size() < kNowhere);
    for (const Range& target : routing.targets) targets_.push_back(part_of(target, part, parts));
    find_ranks();
  }
  /// keep(route), if given, is called in the end if all ranks are good, and elements have arrived in one exchange.
  std::optional<bool> run(const std::function<bool()>& is_good, const std::function<void(const Arrival&)>& take,
                          const std::function<void(KeptRoute)>& keep = {});

  // The steps of run(), for several vectors that are exchanged together.

  std::vector<std::int64_t> count_all() const { return count_sent(kAllOrdinals); }
  Sending send_all(const std::vector<std::int64_t>& sent, std::vector<std::int64_t> received) const {
    return prepare(kAllOrdinals, sent, std::move(received));
  }
  Arrival arrival_of_all(const Routed& routed) const { return arrival(routed, true, true); }

  /// The route of elements that have arrived in one exchange.
  KeptRoute take_route(Routed& routed) {
    return {count_all(), routed.from_rank, std::move(ranks_), std::move(routed.memory_of_places), routed.places};
  }

 private:
  static constexpr Range kAllOrdinals{0, std::numeric_limits<std::int64_t>::max()};

  std::size_t self() const { return static_cast<std::size_t>(group_.rank()); }
  /// Finds the rank of each of this rank's elements, once for all passes over them.
  void find_ranks();
  /// Calls f(e, place, rank) for each of this rank's elements of the part whose ordinal lies within a range.
  template <class F>
  void for_each_sent(Range ordinals, F&& f) const;
  std::vector<std::int64_t> count_sent(Range ordinals) const;
  /// Orders the elements within a range of ordinals, sent[r] of them for rank r.
  Sending prepare(Range ordinals, const std::vector<std::int64_t>& sent, std::vector<std::int64_t> received) const;
  /// Moves these elements. One round of messages.
  Routed send(Range ordinals, const std::vector<std::int64_t>& sent, std::vector<std::int64_t> received) const;
  Arrival arrival(const Routed& routed, bool is_first, bool is_last) const {
    return {routed, targets_[self()], part_, is_first, is_last};
  }
  void run_in_turns(std::int64_t all_sent, const std::function<void(const Arrival&)>& take) const;

  const RankGroup& group_;
  const Routing& routing_;
  const std::int64_t part_;
  const bool is_all_;
  Ranges targets_;
  Scratch ranks_;  ///< a Target for each of this rank's elements; kNowhere for those that are not of the part
};

void RoutingOfPart::find_ranks() {
  auto* const ranks = ranks_.as<Target>();
  std::fill_n(ranks, routing_.elements.size(), kNowhere);
  const RankFinder find_rank(routing_.targets);
  for_each_place(routing_, [&](std::int64_t e, std::int64_t place) {
    const std::size_t rank = routing_.is_everywhere ? self() : static_cast<std::size_t>(find_rank(place));
    const Range target = targets_[rank];
    if (target.begin <= place && place < target.end) ranks[e - routing_.elements.begin] = static_cast<Target>(rank);
  });
}

template <class F>
void RoutingOfPart::for_each_sent(Range ordinals, F&& f) const {
  if (ordinals.empty()) return;
  const auto* const ranks = ranks_.as<Target>();
  std::int64_t ordinal = 0;
  for_each_place(routing_, [&](std::int64_t e, std::int64_t place) {
    const Target rank = ranks[e - routing_.elements.begin];
    if (rank == kNowhere) return;
    if (ordinals.begin <= ordinal && ordinal < ordinals.end) f(e, place, std::size_t{rank});
    ++ordinal;
  });
}

std::vector<std::int64_t> RoutingOfPart::count_sent(Range ordinals) const {
  std::vector<std::int64_t> sent(targets_.size());
  const std::span<const Target> ranks(ranks_.as<Target>(), static_cast<std::size_t>(routing_.elements.size()));
  std::int64_t ordinal = 0;
  for (const Target rank : ordinals.empty() ? std::span<const Target>() : ranks) {
    if (rank == kNowhere) continue;
    if (ordinals.begin <= ordinal && ordinal < ordinals.end) ++sent[rank];
    ++ordinal;
  }
  return sent;
}

Sending RoutingOfPart::prepare(Range ordinals, const std::vector<std::int64_t>& sent,
                               std::vector<std::int64_t> received) const {
  Routed routed(group_, routing_.values.type, std::move(received), targets_);
  const ElemType type_of_place = routed.places.type;
  // This rank's elements for itself go where they arrive.
  std::vector<std::int64_t> sent_to_others = sent;
  sent_to_others[self()] = 0;
  const std::int64_t all_sent = sum(sent_to_others);
  Scratch sent_places = scratch_for(group_, type_of_place, all_sent),
          sent_values = scratch_for(group_, routing_.values.type, all_sent);
  const std::int64_t own = std::reduce(routed.from_rank.begin(), routed.from_rank.begin() + group_.rank());
  group_.before_reading(elements_of(routing_.values, routing_.elements));
  with_int(type_of_place, [&]<class P>() {
    with_size(routing_.values.type, [&]<class T>() {
      /// Where the next element for a rank goes.
      struct Next {
        P* place;
        T* value;
        std::int64_t origin;
      };
      std::vector<Next> next;
      std::int64_t begin = 0;
      for (std::size_t r = 0; r < targets_.size(); begin += sent_to_others[r++])
        next.push_back({sent_places.as<P>() + begin, sent_values.as<T>() + begin, targets_[r].begin});
      next[self()] = {routed.memory_of_places.as<P>() + own, routed.memory_of_values.as<T>() + own,
                      targets_[self()].begin};
      const auto* const from = static_cast<const T*>(routing_.values.data);
      for_each_sent(ordinals, [&](std::int64_t e, std::int64_t place, std::size_t rank) {
        Next& to = next[rank];
        *to.place++ = static_cast<P>(place - to.origin);
        *to.value++ = from[e];
      });
    });
  });
  return {std::move(routed), std::move(sent_to_others), std::move(sent_places), std::move(sent_values)};
}

Routed RoutingOfPart::send(Range ordinals, const std::vector<std::int64_t>& sent,
                           std::vector<std::int64_t> received) const {
  Sending sending = prepare(ordinals, sent, std::move(received));
  if (!routing_.is_everywhere) {
    std::vector<PartsOfRanks> parts;
    sending.add_to(parts);
    exchange_parts(group_, parts);
  }
  return std::move(sending.routed);
}

std::optional<bool> RoutingOfPart::run(const std::function<bool()>& is_good,
                                       const std::function<void(const Arrival&)>& take,
                                       const std::function<void(KeptRoute)>& keep) {
  const std::vector<std::int64_t> sent = count_sent(kAllOrdinals);
  std::vector<std::int64_t> received = sent;
  std::optional<bool> all_good;
  if (!routing_.is_everywhere) {
    std::vector<std::int64_t> told(2 * sent.size(), is_good() ? 1 : 0);
    for (std::size_t r = 0; r < sent.size(); ++r) told[2 * r] = sent[r];
    told = group_.messenger.exchange_counts(told);
    all_good = true;
    for (std::size_t r = 0; r < sent.size(); ++r) {
      received[r] = told[2 * r];
      all_good = *all_good && told[2 * r + 1] != 0;
    }
  }
  if (!is_all_) {
    std::int64_t most[] = {std::max(sum(sent), sum(received))};
    group_.messenger.reduce(most, Reduction::kMax);
    if (most[0] > group_.fitting(bytes_of(routing_))) {
      run_in_turns(sum(sent), take);
      return all_good;
    }
  }
  Routed routed = send(kAllOrdinals, sent, std::move(received));
  take(arrival(routed, true, true));
  if (keep && all_good == true) keep(take_route(routed));
  return all_good;
}

/// One rank sends at a time, so that elements arrive in their order.
void RoutingOfPart::run_in_turns(std::int64_t all_sent, const std::function<void(const Arrival&)>& take) const {
  const std::int64_t fitting = group_.fitting(bytes_of(routing_));
  const std::vector<std::int64_t> of_ranks = group_.messenger.gather_to_all(all_sent);
  std::int64_t turns = 0, turn = 0;
  for (const std::int64_t count : of_ranks) turns += (count + fitting - 1) / fitting;
  for (int r = 0; r < group_.ranks(); ++r)
    for (std::int64_t begin = 0; begin < of_ranks[static_cast<std::size_t>(r)]; begin += fitting, ++turn) {
      const Range ordinals = r == group_.rank() ? Range{begin, begin + fitting} : Range{};
      const std::vector<std::int64_t> sent = count_sent(ordinals);
      std::vector<std::int64_t> received = group_.messenger.exchange_counts(sent);
      take(arrival(send(ordinals, sent, std::move(received)), turn == 0, turn + 1 == turns));
    }
}

}  // namespace

Routed::Routed(const RankGroup& group, ElemType type, std::vector<std::int64_t> counts, const Ranges& targets)
    : from_rank(std::move(counts)),
      size(sum(from_rank)),
      memory_of_places(scratch_for(group, type_of_places(targets), size)),
      memory_of_values(scratch_for(group, type, size)),
      places{type_of_places(targets), size, memory_of_places.data()},
      values{type, size, memory_of_values.data()} {}

Routed::Routed(const RankGroup& group, ElemType type, std::vector<std::int64_t> counts, const Operand& places_of_all)
    : from_rank(std::move(counts)),
      size(sum(from_rank)),
      memory_of_values(scratch_for(group, type, size)),
      places(places_of_all),
      values{type, size, memory_of_values.data()} {}

std::int64_t parts_of(const RankGroup& group, const Routing& routing) {
  // Places need not be distributed evenly.
  return routing.is_everywhere ? 1 : group.turns_for(2 * routing.most, bytes_of(routing));
}

Range places_of_part(const RankGroup& group, const Routing& routing, int rank, std::int64_t part) {
  return part_of(routing.targets[static_cast<std::size_t>(rank)], part, parts_of(group, routing));
}

std::optional<bool> route(const RankGroup& group, const Routing& routing, const std::function<bool()>& is_good,
                          const std::function<void(const Arrival&)>& take) {
  VC_CHECK(routing.elements.empty() || routing.elements.end <= routing.values.length);
  const std::int64_t parts = parts_of(group, routing);
  std::optional<bool> all_good;
  for (std::int64_t part = 0; part < parts; ++part)
    all_good = RoutingOfPart(group, routing, part, parts).run(is_good, take);
  return all_good;
}

namespace {

/// Sends elements by a route that is kept. One round of messages.
void send_by(const RankGroup& group, const KeptRoute& route, const Routing& routing,
             const std::function<void(const Arrival&)>& take) {
  const auto self = static_cast<std::size_t>(group.rank());
  const Routed routed(group, routing.values.type, route.received, route.places);
  std::vector<std::int64_t> sent = route.sent;
  sent[self] = 0;
  const Scratch values = scratch_for(group, routing.values.type, sum(sent));
  group.before_reading(elements_of(routing.values, routing.elements));
  with_size(routing.values.type, [&]<class T>() {
    std::vector<T*> next;
    T* begin = values.as<T>();
    for (const std::int64_t count : sent) {
      next.push_back(begin);
      begin += count;
    }
    next[self] =
        routed.memory_of_values.as<T>() + std::reduce(route.received.begin(), route.received.begin() + group.rank());
    const auto* const from = static_cast<const T*>(routing.values.data) + routing.elements.begin;
    const auto* const targets = route.targets.as<Target>();
    for (std::int64_t e = 0; e < routing.elements.size(); ++e)
      if (targets[e] != kNowhere) *next[targets[e]]++ = from[e];
  });
  exchange_parts(group, elem_size(routing.values.type), sent, values.data(), routed.from_rank,
                 routed.memory_of_values.data());
  take({routed, routing.targets[self]});
}

}  // namespace

std::optional<bool> route(const RankGroup& group, const Routing& routing, const std::function<bool()>& is_good,
                          const std::function<void(const Arrival&)>& take, KeptRoutes* routes,
                          const KeptRoutes::Indices& indices) {
  // All elements may go to one rank.
  const std::size_t most = static_cast<std::size_t>(routing.most) * static_cast<std::size_t>(group.ranks()) *
                           elem_size(type_of_places(routing.targets));
  if (routes == nullptr || routing.is_everywhere || parts_of(group, routing) > 1 || most > group.exchange_bytes)
    return route(group, routing, is_good, take);
  if (const KeptRoute* const kept = routes->find(indices)) {
    send_by(group, *kept, routing, take);
    return true;
  }
  std::function<void(KeptRoute)> keep;
  if (routes->is_found_again(indices)) keep = [&](KeptRoute found) { routes->keep(std::move(found)); };
  return RoutingOfPart(group, routing, 0, 1).run(is_good, take, keep);
}

void route(const RankGroup& group, std::span<const Routing> routings,
           const std::function<void(std::size_t, const Arrival&)>& take) {
  std::size_t bytes = 0;
  for (const Routing& routing : routings) bytes += 2 * bytes_of(routing) * static_cast<std::size_t>(routing.most);
  const auto is_everywhere = [](const Routing& routing) { return routing.is_everywhere; };
  if (routings.size() == 1 || bytes > group.exchange_bytes || std::ranges::any_of(routings, is_everywhere)) {
    for (std::size_t k = 0; k < routings.size(); ++k)
      (void)route(
          group, routings[k], [] { return true; }, [&](const Arrival& arrival) { take(k, arrival); });
    return;
  }
  const std::size_t count = routings.size(), ranks = static_cast<std::size_t>(group.ranks());
  std::deque<RoutingOfPart> parts;
  std::vector<std::vector<std::int64_t>> sent;
  std::vector<std::int64_t> counts(count * ranks);
  for (std::size_t k = 0; k < count; ++k) {
    sent.push_back(parts.emplace_back(group, routings[k], 0, 1).count_all());
    for (std::size_t r = 0; r < ranks; ++r) counts[r * count + k] = sent[k][r];
  }
  counts = group.messenger.exchange_counts(counts);
  std::deque<Sending> sendings;
  std::vector<PartsOfRanks> exchanged;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<std::int64_t> received(ranks);
    for (std::size_t r = 0; r < ranks; ++r) received[r] = counts[r * count + k];
    sendings.push_back(parts[k].send_all(sent[k], std::move(received)));
    sendings.back().add_to(exchanged);
  }
  exchange_parts(group, exchanged);
  for (std::size_t k = 0; k < count; ++k) take(k, parts[k].arrival_of_all(sendings[k].routed));
}

std::int64_t find_routed(const Routing& routing, Range places, std::int64_t ordinal) {
  std::int64_t found = -1;
  for_each_place(routing, [&](std::int64_t e, std::int64_t place) {
    if (places.begin <= place && place < places.end && ordinal-- == 0) found = e;
  });
  return found;
}

}  // namespace cvl::mpi

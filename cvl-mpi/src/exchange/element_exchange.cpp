#include "exchange/element_exchange.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "cvl/dispatch.h"
#include "exchange/position_code.h"

namespace cvl::mpi {

namespace {

/// Copies the elements with these positions, which this rank has, to consecutive places.
void gather_local(const Operand& vector, std::span<const std::int64_t> positions, void* to) {
  with_size(vector.type, [&]<class T>() {
    const auto* const from = static_cast<const T*>(vector.data);
    auto* out = static_cast<T*>(to);
    for (const std::int64_t position : positions) *out++ = from[position];
  });
}

std::int64_t sum(const std::vector<std::int64_t>& counts) {
  std::int64_t total = 0;
  for (const std::int64_t count : counts) total += count;
  return total;
}

}  // namespace

void exchange_parts(const RankGroup& group, std::size_t size, const std::vector<std::int64_t>& sent, const void* from,
                    const std::vector<std::int64_t>& received, void* to) {
  std::vector<Outgoing> outgoing(sent.size());
  std::vector<Incoming> incoming(sent.size());
  const auto* out = static_cast<const std::byte*>(from);
  auto* in = static_cast<std::byte*>(to);
  for (std::size_t r = 0; r < sent.size(); ++r) {
    outgoing[r] = {out, static_cast<std::size_t>(sent[r]) * size};
    incoming[r] = {in, static_cast<std::size_t>(received[r]) * size};
    out += outgoing[r].bytes;
    in += incoming[r].bytes;
  }
  group.messenger.exchange(outgoing, incoming);
}

namespace {

/// The elements of ascending positions that each rank holds.
std::vector<std::span<const std::int64_t>> split(std::span<const std::int64_t> positions, const Ranges& parts) {
  std::vector<std::span<const std::int64_t>> of_rank;
  for (const Range& part : parts) {
    const auto end = std::ranges::lower_bound(positions, part.end);
    of_rank.push_back({positions.begin(), end});
    positions = {end, positions.end()};
  }
  return of_rank;
}

/// Elements that other ranks ask of this one.
struct Asked {
  std::vector<std::int64_t> positions;  ///< those of each rank follow one another
  std::vector<std::int64_t> counts;     ///< for each rank
};

/// Asks each other rank for elements. Two rounds of messages.
Asked exchange_positions(const RankGroup& group, const std::vector<std::span<const std::int64_t>>& wanted) {
  const auto self = static_cast<std::size_t>(group.rank());
  std::vector<std::int64_t> sizes(wanted.size());
  for (std::size_t r = 0; r < wanted.size(); ++r)
    if (r != self) sizes[r] = static_cast<std::int64_t>(code_size(wanted[r]));
  const std::vector<std::int64_t> asked_sizes = group.messenger.exchange_counts(sizes);
  const Scratch codes(group, static_cast<std::size_t>(sum(sizes))),
      asked_codes(group, static_cast<std::size_t>(sum(asked_sizes)));
  auto* code = codes.as<std::byte>();
  for (std::size_t r = 0; r < wanted.size(); code += sizes[r++])
    if (r != self) encode(wanted[r], code);
  exchange_parts(group, 1, sizes, codes.data(), asked_sizes, asked_codes.data());
  Asked asked;
  const auto* asked_code = asked_codes.as<std::byte>();
  for (const std::int64_t size : asked_sizes) {
    const std::size_t before = asked.positions.size();
    decode({asked_code, static_cast<std::size_t>(size)}, asked.positions);
    asked.counts.push_back(static_cast<std::int64_t>(asked.positions.size() - before));
    asked_code += size;
  }
  return asked;
}

}  // namespace

Scratch fetch_elements(const RankGroup& group, const Operand& vector, const PositionSet& positions,
                       bool same_everywhere) {
  Scratch elements = scratch_for(group, vector.type, positions.size());
  const std::span<const std::int64_t> wanted = positions.sorted();
  if (!group.is_divided(vector.length)) {
    gather_local(vector, wanted, elements.data());
    return elements;
  }
  const auto self = static_cast<std::size_t>(group.rank());
  const std::size_t size = elem_size(vector.type);
  const std::vector<std::span<const std::int64_t>> wanted_of = split(wanted, group.distribution.parts(vector.length));
  std::byte* const own =
      elements.as<std::byte>() + static_cast<std::size_t>(wanted_of[self].data() - wanted.data()) * size;
  gather_local(vector, wanted_of[self], own);
  if (same_everywhere) {
    std::vector<std::size_t> bytes;
    for (const auto& of_rank : wanted_of) bytes.push_back(of_rank.size() * size);
    group.messenger.gather_to_all(own, bytes, elements.data());
    return elements;
  }
  const Asked asked = exchange_positions(group, wanted_of);
  const Scratch given = scratch_for(group, vector.type, std::ssize(asked.positions));
  gather_local(vector, asked.positions, given.data());
  std::vector<Outgoing> outgoing(wanted_of.size());
  std::vector<Incoming> incoming(wanted_of.size());
  const auto* out = given.as<std::byte>();
  auto* in = elements.as<std::byte>();
  for (std::size_t r = 0; r < wanted_of.size(); ++r) {
    const std::size_t bytes = wanted_of[r].size() * size;
    outgoing[r] = {out, static_cast<std::size_t>(asked.counts[r]) * size};
    if (r != self) incoming[r] = {in, bytes};
    out += outgoing[r].bytes;
    in += bytes;
  }
  group.messenger.exchange(outgoing, incoming);
  return elements;
}

namespace {

/// The type of places on a rank.
ElemType type_of_places(const Ranges& targets) {
  const auto is_short = [](const Range& target) { return target.size() <= std::numeric_limits<std::int32_t>::max(); };
  return std::ranges::all_of(targets, is_short) ? ElemType::kI32 : ElemType::kI64;
}

/// Calls f<P, T>() for the type of places and one of the size of the elements.
template <class F>
void with_types(ElemType places, ElemType elements, F&& f) {
  with_int(places, [&]<class P>() { with_size(elements, [&]<class T>() { f.template operator()<P, T>(); }); });
}

}  // namespace

Routed::Routed(const RankGroup& group, ElemType type, std::vector<std::int64_t> counts, const Ranges& targets)
    : from_rank(std::move(counts)),
      size(sum(from_rank)),
      memory_of_places(scratch_for(group, type_of_places(targets), size)),
      memory_of_values(scratch_for(group, type, size)),
      places{type_of_places(targets), size, memory_of_places.data()},
      values{type, size, memory_of_values.data()} {}

Routed route(const RankGroup& group, const Operand& values, std::span<const std::int64_t> places,
             const Ranges& targets) {
  VC_CHECK(values.length == std::ssize(places));
  // The rank of each element that is sent, so that it is looked for once.
  const Scratch memory_of_ranks = scratch_for(group, ElemType::kI32, values.length);
  auto* const ranks = memory_of_ranks.as<std::int32_t>();
  std::vector<std::int64_t> sent(targets.size());
  const RankFinder find_rank(targets);
  for (std::size_t e = 0; e < places.size(); ++e) {
    ranks[e] = places[e] < 0 ? -1 : find_rank(places[e]);
    if (places[e] >= 0) ++sent[static_cast<std::size_t>(ranks[e])];
  }
  Routed routed(group, values.type, group.messenger.exchange_counts(sent), targets);
  const ElemType type = routed.places.type;
  const std::int64_t all_sent = sum(sent);
  const Scratch sent_places = scratch_for(group, type, all_sent),
                sent_values = scratch_for(group, values.type, all_sent);
  with_types(type, values.type, [&]<class P, class T>() {
    /// Where the next element for a rank goes.
    struct Next {
      P* place;
      T* value;
      std::int64_t origin;
    };
    std::vector<Next> next;
    std::int64_t begin = 0;
    for (std::size_t r = 0; r < targets.size(); begin += sent[r++])
      next.push_back({sent_places.as<P>() + begin, sent_values.as<T>() + begin, targets[r].begin});
    const auto* const from = static_cast<const T*>(values.data);
    for (std::size_t e = 0; e < places.size(); ++e) {
      if (ranks[e] < 0) continue;
      Next& to = next[static_cast<std::size_t>(ranks[e])];
      *to.place++ = static_cast<P>(places[e] - to.origin);
      *to.value++ = from[e];
    }
  });
  exchange_parts(group, elem_size(type), sent, sent_places.data(), routed.from_rank, routed.memory_of_places.data());
  exchange_parts(group, elem_size(values.type), sent, sent_values.data(), routed.from_rank,
                 routed.memory_of_values.data());
  return routed;
}

Routed keep_own(const RankGroup& group, const Operand& values, std::span<const std::int64_t> places,
                const Ranges& targets) {
  const auto self = static_cast<std::size_t>(group.rank());
  const Range own = targets[self];
  const auto is_own = [&](std::int64_t place) { return own.begin <= place && place < own.end; };
  std::vector<std::int64_t> counts(targets.size());
  counts[self] = static_cast<std::int64_t>(std::ranges::count_if(places, is_own));
  Routed routed(group, values.type, std::move(counts), targets);
  with_types(routed.places.type, values.type, [&]<class P, class T>() {
    auto* place = routed.memory_of_places.as<P>();
    auto* value = routed.memory_of_values.as<T>();
    for (std::size_t e = 0; e < places.size(); ++e) {
      if (!is_own(places[e])) continue;
      *place++ = static_cast<P>(places[e] - own.begin);
      *value++ = static_cast<const T*>(values.data)[e];
    }
  });
  return routed;
}

}  // namespace cvl::mpi

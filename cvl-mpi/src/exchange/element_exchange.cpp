#include "exchange/element_exchange.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "cvl/dispatch.h"

namespace cvl::mpi {

namespace {

/// Copies the elements with these positions, counted from `origin`, to consecutive places.
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

/// Exchanges vectors whose parts for, or from, each rank follow one another.
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

}  // namespace

Scratch fetch_elements(const RankGroup& group, const Operand& vector, const PositionSet& positions, bool same_everywhere) {
  Scratch elements = scratch_for(group, vector.type, positions.size());
  const std::span<const std::int64_t> wanted = positions.sorted();
  if (!group.is_divided(vector.length)) {
    gather_local(vector, wanted, elements.data());
    return elements;
  }
  const Ranges parts = group.distribution.parts(vector.length);
  const auto self = static_cast<std::size_t>(group.rank());
  // The wanted positions are sorted, so that those of a rank follow one another.
  std::vector<std::int64_t> wants(parts.size());
  std::int64_t own_begin = 0;
  for (std::size_t r = 0, at = 0; r < parts.size(); ++r) {
    const std::size_t begin = at;
    at = static_cast<std::size_t>(std::lower_bound(wanted.begin() + static_cast<std::ptrdiff_t>(begin), wanted.end(),
                                                   parts[r].end) -
                                  wanted.begin());
    wants[r] = static_cast<std::int64_t>(at - begin);
    if (r == self) own_begin = static_cast<std::int64_t>(begin);
  }
  if (same_everywhere) {
    const auto own = wanted.subspan(static_cast<std::size_t>(own_begin), static_cast<std::size_t>(wants[self]));
    Scratch given = scratch_for(group, vector.type, std::ssize(own));
    gather_local(vector, own, given.data());
    std::vector<std::size_t> bytes(parts.size());
    for (std::size_t r = 0; r < parts.size(); ++r) bytes[r] = size_of(vector.type, wants[r]);
    group.messenger.gather_to_all(given.data(), bytes, elements.data());
    return elements;
  }
  const std::vector<std::int64_t> asked = group.messenger.exchange_counts(wants);
  std::vector<std::int64_t> asked_positions(static_cast<std::size_t>(sum(asked)));
  exchange_parts(group, sizeof(std::int64_t), wants, wanted.data(), asked, asked_positions.data());
  Scratch given = scratch_for(group, vector.type, std::ssize(asked_positions));
  gather_local(vector, asked_positions, given.data());
  exchange_parts(group, elem_size(vector.type), asked, given.data(), wants, elements.data());
  return elements;
}

Routed route(const RankGroup& group, const Operand& values, std::span<const std::int64_t> places, const Ranges& targets) {
  VC_CHECK(values.length == std::ssize(places));
  // The rank of each element that is sent, so that it is looked for once.
  std::vector<std::int32_t> ranks(places.size(), -1);
  std::vector<std::int64_t> sent(targets.size());
  const RankFinder find_rank(targets);
  for (std::size_t e = 0; e < places.size(); ++e)
    if (places[e] >= 0) ++sent[static_cast<std::size_t>(ranks[e] = find_rank(places[e]))];
  std::vector<std::int64_t> next(sent.size());
  for (std::size_t r = 1; r < next.size(); ++r) next[r] = next[r - 1] + sent[r - 1];
  std::vector<std::int64_t> sent_places(static_cast<std::size_t>(sum(sent)));
  Scratch sent_values = scratch_for(group, values.type, std::ssize(sent_places));
  with_size(values.type, [&]<class T>() {
    const auto* const from = static_cast<const T*>(values.data);
    for (std::size_t e = 0; e < places.size(); ++e) {
      if (ranks[e] < 0) continue;
      const auto r = static_cast<std::size_t>(ranks[e]);
      const auto at = static_cast<std::size_t>(next[r]++);
      sent_places[at] = places[e] - targets[r].begin;
      sent_values.as<T>()[at] = from[e];
    }
  });
  Routed routed;
  routed.from_rank = group.messenger.exchange_counts(sent);
  routed.places.resize(static_cast<std::size_t>(sum(routed.from_rank)));
  routed.values = scratch_for(group, values.type, routed.size());
  exchange_parts(group, sizeof(std::int64_t), sent, sent_places.data(), routed.from_rank, routed.places.data());
  exchange_parts(group, elem_size(values.type), sent, sent_values.data(), routed.from_rank, routed.values.data());
  return routed;
}

Routed keep_own(const RankGroup& group, const Operand& values, std::span<const std::int64_t> places, const Ranges& targets) {
  const Range own = targets[static_cast<std::size_t>(group.rank())];
  const auto is_own = [&](std::int64_t place) { return own.begin <= place && place < own.end; };
  const auto count = static_cast<std::int64_t>(std::ranges::count_if(places, is_own));
  Routed routed{{}, std::vector<std::int64_t>(targets.size()), scratch_for(group, values.type, count)};
  routed.from_rank[static_cast<std::size_t>(group.rank())] = count;
  routed.places.reserve(static_cast<std::size_t>(count));
  with_size(values.type, [&]<class T>() {
    T* out = routed.values.as<T>();
    for (std::size_t e = 0; e < places.size(); ++e) {
      if (!is_own(places[e])) continue;
      routed.places.push_back(places[e] - own.begin);
      *out++ = static_cast<const T*>(values.data)[e];
    }
  });
  return routed;
}

}  // namespace cvl::mpi

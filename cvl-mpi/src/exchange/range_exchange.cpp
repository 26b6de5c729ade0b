#include "exchange/range_exchange.h"

#include <cstring>

#include "base/check.h"

namespace cvl::mpi {

namespace {

/// Sends to each rank r the elements wants[r] that this rank has, and places what this rank wants, without what it has
/// itself. mine: the address of element has[rank].begin; to: that of element wants[rank].begin.
void exchange(const RankGroup& group, const Ranges& has, const Ranges& wants, std::size_t size, const void* mine,
              void* to) {
  const auto self = static_cast<std::size_t>(group.rank());
  std::vector<Outgoing> outgoing(has.size());
  std::vector<Incoming> incoming(has.size());
  for (std::size_t r = 0; r < has.size(); ++r) {
    if (r == self) continue;
    const Range given = intersection(has[self], wants[r]), taken = intersection(has[r], wants[self]);
    if (!given.empty())
      outgoing[r] = {
          static_cast<const std::byte*>(mine) + size * static_cast<std::size_t>(given.begin - has[self].begin),
          size * static_cast<std::size_t>(given.size())};
    if (!taken.empty())
      incoming[r] = {static_cast<std::byte*>(to) + size * static_cast<std::size_t>(taken.begin - wants[self].begin),
                     size * static_cast<std::size_t>(taken.size())};
  }
  group.messenger.exchange(outgoing, incoming);
}

/// Whether each rank has what it wants.
bool all_contained(const Ranges& has, const Ranges& wants) {
  for (std::size_t r = 0; r < has.size(); ++r)
    if (!has[r].contains(wants[r])) return false;
  return true;
}

}  // namespace

Fetched fetch(const RankGroup& group, const Operand& vector, const Ranges& wants) {
  const Range wanted = wants[static_cast<std::size_t>(group.rank())];
  Fetched fetched{elements_of(vector, wanted), {}};
  if (!group.is_divided(vector.length)) return fetched;
  const Ranges parts = group.distribution.parts(vector.length);
  if (all_contained(parts, wants)) return fetched;
  const Range part = parts[static_cast<std::size_t>(group.rank())], held = intersection(part, wanted);
  fetched.memory = scratch_for(group, vector.type, wanted.size());
  fetched.elements.data = fetched.memory.data();
  exchange(group, parts, wants, elem_size(vector.type), elements_of(vector, part).data, fetched.memory.data());
  if (!held.empty())
    std::memcpy(fetched.memory.as<std::byte>() + size_of(vector.type, held.begin - wanted.begin),
                elements_of(vector, held).data, size_of(vector.type, held.size()));
  return fetched;
}

void fetch_in_place(const RankGroup& group, const Operand& vector, const Ranges& wants) {
  VC_CHECK(group.is_divided(vector.length));
  const Ranges parts = group.distribution.parts(vector.length);
  if (all_contained(parts, wants)) return;
  const auto self = static_cast<std::size_t>(group.rank());
  exchange(group, parts, wants, elem_size(vector.type), elements_of(vector, parts[self]).data,
           const_cast<void*>(elements_of(vector, wants[self]).data));
}

void deliver(const RankGroup& group, const void* mine, const Ranges& haves, const Result& vector) {
  const auto self = static_cast<std::size_t>(group.rank());
  const std::size_t size = elem_size(vector.type);
  if (!group.is_divided(vector.length)) {
    if (vector.length == 0) return;
    std::vector<std::size_t> bytes(haves.size());
    for (std::size_t r = 0; r < haves.size(); ++r) bytes[r] = size_of(vector.type, haves[r].size());
    return group.messenger.gather_to_all(mine, bytes, vector.data);
  }
  const Ranges parts = group.distribution.parts(vector.length);
  const Range held = intersection(haves[self], parts[self]);
  void* const to = elements_of(vector, parts[self]).data;
  if (!held.empty()) {
    const std::byte* const from =
        static_cast<const std::byte*>(mine) + size_of(vector.type, held.begin - haves[self].begin);
    void* const place = elements_of(vector, held).data;
    if (place != from) std::memcpy(place, from, size_of(vector.type, held.size()));
  }
  if (haves != parts) exchange(group, haves, parts, size, mine, to);
}

void gather_to_all(const RankGroup& group, std::span<const GatheredBytes> gathered) {
  if (gathered.size() == 1)
    return group.messenger.gather_to_all(gathered[0].mine, gathered[0].bytes, gathered[0].all);
  const auto self = static_cast<std::size_t>(group.rank());
  std::vector<std::size_t> bytes(static_cast<std::size_t>(group.ranks()));
  std::size_t size = 0;
  for (const GatheredBytes& one : gathered)
    for (std::size_t r = 0; r < bytes.size(); ++r) {
      bytes[r] += one.bytes[r];
      size += one.bytes[r];
    }
  const Scratch mine(group, bytes[self]), all(group, size);
  auto* out = mine.as<std::byte>();
  const auto copy = [](std::byte* to, const void* from, std::size_t count) {
    if (count > 0) std::memcpy(to, from, count);
  };
  for (const GatheredBytes& one : gathered) {
    copy(out, one.mine, one.bytes[self]);
    out += one.bytes[self];
  }
  group.messenger.gather_to_all(mine.data(), bytes, all.data());
  std::vector<std::byte*> next;
  for (const GatheredBytes& one : gathered) next.push_back(static_cast<std::byte*>(one.all));
  const auto* in = all.as<std::byte>();
  for (std::size_t r = 0; r < bytes.size(); ++r)
    for (std::size_t k = 0; k < gathered.size(); ++k) {
      copy(next[k], in, gathered[k].bytes[r]);
      next[k] += gathered[k].bytes[r];
      in += gathered[k].bytes[r];
    }
}

void place(const RankGroup& group, const Operand& vector, std::int64_t begin, const Result& to) {
  VC_CHECK(group.is_divided(to.length));
  const auto self = static_cast<std::size_t>(group.rank());
  const Range all{begin, begin + vector.length};
  Ranges haves(static_cast<std::size_t>(group.ranks()), all), wants = group.distribution.parts(to.length);
  for (Range& want : wants) want = intersection(want, all);
  if (group.is_divided(vector.length)) {
    haves = group.distribution.parts(vector.length);
    for (Range& have : haves) have = {have.begin + begin, have.end + begin};
  }
  const auto address_of = [&](std::int64_t element) {
    return static_cast<const std::byte*>(vector.data) + size_of(vector.type, element - begin);
  };
  const Range held = intersection(haves[self], wants[self]);
  if (!held.empty()) std::memcpy(elements_of(to, held).data, address_of(held.begin), size_of(vector.type, held.size()));
  if (!all_contained(haves, wants))
    exchange(group, haves, wants, elem_size(vector.type), address_of(haves[self].begin),
             elements_of(to, wants[self]).data);
}

}  // namespace cvl::mpi

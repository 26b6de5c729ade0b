#include "exchange/range_exchange.h"

#include <cstring>
#include <utility>

#include "base/check.h"

namespace cvl::mpi {

namespace {

/// Ranges of vectors that go to other ranks in one round of messages.
class RangeMessages {
 public:
  explicit RangeMessages(const RankGroup& group) : group_(group) {}

  /// Sends to each rank r the elements wants[r] of a vector that this rank has, and places what this rank wants,
  /// without what it has itself. mine: the address of element has[rank].begin; to: that of element wants[rank].begin.
  void add(const Ranges& has, const Ranges& wants, std::size_t size, const void* mine, void* to);
  /// Collective.
  void exchange() {
    if (!outgoing_.empty()) group_.messenger.exchange(outgoing_, incoming_);
  }

 private:
  const RankGroup& group_;
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
};

void RangeMessages::add(const Ranges& has, const Ranges& wants, std::size_t size, const void* mine, void* to) {
  const auto self = static_cast<std::size_t>(group_.rank());
  for (std::size_t r = 0; r < has.size(); ++r) {
    Outgoing& outgoing = outgoing_.emplace_back();
    Incoming& incoming = incoming_.emplace_back();
    if (r == self) continue;
    const Range given = intersection(has[self], wants[r]), taken = intersection(has[r], wants[self]);
    if (!given.empty())
      outgoing = {static_cast<const std::byte*>(mine) + size * static_cast<std::size_t>(given.begin - has[self].begin),
                  size * static_cast<std::size_t>(given.size())};
    if (!taken.empty())
      incoming = {static_cast<std::byte*>(to) + size * static_cast<std::size_t>(taken.begin - wants[self].begin),
                  size * static_cast<std::size_t>(taken.size())};
  }
}

/// Whether each rank has what it wants.
bool all_contained(const Ranges& has, const Ranges& wants) {
  for (std::size_t r = 0; r < has.size(); ++r)
    if (!has[r].contains(wants[r])) return false;
  return true;
}

void exchange(const RankGroup& group, const Ranges& has, const Ranges& wants, std::size_t size, const void* mine,
              void* to) {
  RangeMessages messages(group);
  messages.add(has, wants, size, mine, to);
  messages.exchange();
}

}  // namespace

Fetched fetch(const RankGroup& group, const Operand& vector, const Ranges& wants) {
  return std::move(fetch(group, std::span(&vector, 1), std::span(&wants, 1)).front());
}

std::vector<Fetched> fetch(const RankGroup& group, std::span<const Operand> vectors, std::span<const Ranges> wants) {
  const auto self = static_cast<std::size_t>(group.rank());
  RangeMessages messages(group);
  std::vector<Fetched> all;
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    const Operand& vector = vectors[k];
    const Range wanted = wants[k][self];
    Fetched& fetched = all.emplace_back(Fetched{elements_of(vector, wanted), {}});
    const Ranges parts = group.distribution.parts(vector.length);
    if (group.has_all(vector) || all_contained(parts, wants[k])) continue;
    const Range part = parts[self], held = intersection(part, wanted);
    fetched.memory = scratch_for(group, vector.type, wanted.size());
    fetched.elements.data = fetched.memory.data();
    messages.add(parts, wants[k], elem_size(vector.type), elements_of(vector, part).data, fetched.memory.data());
    if (held.empty()) continue;
    group.before_reading(elements_of(vector, held));
    std::memcpy(fetched.memory.as<std::byte>() + size_of(vector.type, held.begin - wanted.begin),
                elements_of(vector, held).data, size_of(vector.type, held.size()));
  }
  messages.exchange();
  return all;
}

void fetch_in_place(const RankGroup& group, std::span<const Operand> vectors, const Ranges& wants) {
  RangeMessages messages(group);
  const auto self = static_cast<std::size_t>(group.rank());
  for (const Operand& vector : vectors) {
    const Ranges parts = group.distribution.parts(vector.length);
    if (group.has_all(vector) || all_contained(parts, wants)) continue;
    messages.add(parts, wants, elem_size(vector.type), elements_of(vector, parts[self]).data,
                 const_cast<void*>(elements_of(vector, wants[self]).data));
  }
  messages.exchange();
}

namespace {

/// Copies the elements of a vector, those in haves[rank] at `mine`, that this rank wants to their place.
void place_own(const RankGroup& group, const void* mine, const Ranges& haves, const Ranges& wants,
               const Result& vector) {
  const auto self = static_cast<std::size_t>(group.rank());
  const Range held = intersection(haves[self], wants[self]);
  if (held.empty()) return;
  const std::byte* const from =
      static_cast<const std::byte*>(mine) + size_of(vector.type, held.begin - haves[self].begin);
  const Result place = elements_of(vector, held);
  if (place.data == from) return;
  group.before_reading({vector.type, held.size(), from});
  group.before_writing(place);
  std::memcpy(place.data, from, size_of(vector.type, held.size()));
}

}  // namespace

void deliver(const RankGroup& group, const void* mine, const Ranges& haves, const Result& vector) {
  if (!group.is_divided(vector.length)) {
    if (vector.length == 0) return;
    std::vector<std::size_t> bytes(haves.size());
    for (std::size_t r = 0; r < haves.size(); ++r) bytes[r] = size_of(vector.type, haves[r].size());
    return group.messenger.gather_to_all(mine, bytes, vector.data);
  }
  const Ranges parts = group.distribution.parts(vector.length);
  place_own(group, mine, haves, parts, vector);
  if (haves != parts)
    exchange(group, haves, parts, elem_size(vector.type), mine,
             elements_of(vector, parts[static_cast<std::size_t>(group.rank())]).data);
}

void deliver(const RankGroup& group, std::span<const Delivery> deliveries) {
  RangeMessages messages(group);
  for (const auto& [mine, haves, vector] : deliveries) {
    if (vector.length == 0) continue;
    // Of a replicated vector, every rank wants all.
    const Ranges wants = group.distribution.parts(vector.length);
    place_own(group, mine, haves, wants, vector);
    if (haves != wants)
      messages.add(haves, wants, elem_size(vector.type), mine,
                   elements_of(vector, wants[static_cast<std::size_t>(group.rank())]).data);
  }
  messages.exchange();
}

void fetch(const RankGroup& group, std::span<const Wanted> all) {
  RangeMessages messages(group);
  const auto self = static_cast<std::size_t>(group.rank());
  for (const auto& [vector, wants, to] : all) {
    const bool has_all = group.has_all(vector);
    const Range part = group.part(vector.length), held = has_all ? wants[self] : intersection(part, wants[self]);
    if (!held.empty()) {
      group.before_reading(elements_of(vector, held));
      std::memcpy(static_cast<std::byte*>(to) + size_of(vector.type, held.begin - wants[self].begin),
                  elements_of(vector, held).data, size_of(vector.type, held.size()));
    }
    const Ranges parts = group.distribution.parts(vector.length);
    if (!has_all && !all_contained(parts, wants))
      messages.add(parts, wants, elem_size(vector.type), elements_of(vector, part).data, to);
  }
  messages.exchange();
}

void gather_to_all(const RankGroup& group, std::span<const GatheredBytes> gathered) {
  if (gathered.size() == 1) return group.messenger.gather_to_all(gathered[0].mine, gathered[0].bytes, gathered[0].all);
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
  const auto copy = [&](std::byte* to, const void* from, std::size_t count) {
    if (count == 0) return;
    const auto length = static_cast<std::int64_t>(count);
    group.before_reading({ElemType::kB8, length, from});
    group.before_writing({ElemType::kB8, length, to});
    std::memcpy(to, from, count);
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

void place(const RankGroup& group, std::span<const Operand> vectors, const Result& to) {
  VC_CHECK(group.is_divided(to.length));
  const auto self = static_cast<std::size_t>(group.rank());
  RangeMessages messages(group);
  std::int64_t begin = 0;
  for (const Operand& vector : vectors) {
    const Range all{begin, begin + vector.length};
    Ranges haves(static_cast<std::size_t>(group.ranks()), all), wants = group.distribution.parts(to.length);
    for (Range& want : wants) want = intersection(want, all);
    if (!group.has_all(vector)) {
      haves = group.distribution.parts(vector.length);
      for (Range& have : haves) have = {have.begin + begin, have.end + begin};
    }
    const auto address_of = [&](std::int64_t element) {
      return static_cast<const std::byte*>(vector.data) + size_of(vector.type, element - begin);
    };
    const Range held = intersection(haves[self], wants[self]);
    if (!held.empty()) {
      group.before_reading({vector.type, held.size(), address_of(held.begin)});
      group.before_writing(elements_of(to, held));
      std::memcpy(elements_of(to, held).data, address_of(held.begin), size_of(vector.type, held.size()));
    }
    if (!all_contained(haves, wants))
      messages.add(haves, wants, elem_size(vector.type), address_of(haves[self].begin),
                   elements_of(to, wants[self]).data);
    begin = all.end;
  }
  messages.exchange();
}

}  // namespace cvl::mpi

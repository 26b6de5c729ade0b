#include "exchange/element_gather.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "cvl/dispatch.h"
#include "exchange/element_exchange.h"
#include "exchange/position_code.h"
#include "exchange/range_exchange.h"

namespace cvl::mpi {

namespace {

/// Elements whose positions are handled at a time if nothing is exchanged.
constexpr std::int64_t kLocalBatch = 8192;

/// Most bytes for an element of the working memory of a turn: its position, in the list and the set; its code here and
/// at the owner; itself here and at the owner, and in a vector of four times as many elements (PositionSet::is_dense).
constexpr std::size_t turn_bytes(std::size_t element) { return 8 + 16 + 8 + 8 + 6 * element; }

/// The elements of a divided vector that one rank wants for a part of its elements.
class WantedElements {
 public:
  WantedElements(const RankGroup& group, const Operand& source, std::span<const std::int64_t> positions)
      : group_(group),
        source_(source),
        parts_(group.distribution.parts(source.length)),
        positions_(positions),
        set_(positions, source.length),
        memory_(scratch_for(group, source.type, set_.size())) {
    group.before_reading(elements_of(source, own()));
  }

  /// Every rank wants the same elements.
  void fetch_same() {
    put_own();
    std::vector<std::size_t> bytes;
    for (const Range& part : parts_) bytes.push_back(bytes_of(part));
    group_.messenger.gather_to_all(place_of(own()), bytes, memory_.data());
  }
  /// Writes the elements of all positions, which have been fetched.
  void write(void* to) const;

  const Ranges& parts() const { return parts_; }
  const PositionSet& set() const { return set_; }
  std::size_t element_bytes() const { return elem_size(source_.type); }
  /// Where the elements within a range go.
  std::byte* place_of(Range range) const {
    return memory_.as<std::byte>() + size_of(source_.type, set_.count_below(range.begin));
  }
  std::size_t bytes_of(Range range) const { return size_of(source_.type, set_.count(range)); }
  /// Copies the elements at the positions of a code, which another rank wants. Returns the end of the copy.
  std::byte* copy_wanted(std::span<const std::byte> code, std::byte* to) const;

 private:
  template <class T>
  void write_sparse(T* to) const;
  template <class T>
  void write_dense(T* to) const;
  Range own() const { return parts_[static_cast<std::size_t>(group_.rank())]; }
  void put_own() const;

  const RankGroup& group_;
  const Operand source_;
  const Ranges parts_;
  const std::span<const std::int64_t> positions_;
  const PositionSet set_;
  const Scratch memory_;  ///< an element for each position of the set
};

std::byte* WantedElements::copy_wanted(std::span<const std::byte> code, std::byte* to) const {
  with_size(source_.type, [&]<class T>() {
    const auto* const all = static_cast<const T*>(source_.data);
    T* next = reinterpret_cast<T*>(to);
    for_each_position(code, [&](std::int64_t position) { *next++ = all[position]; });
    to = reinterpret_cast<std::byte*>(next);
  });
  return to;
}

void WantedElements::put_own() const {
  with_size(source_.type, [&]<class T>() {
    const auto* const all = static_cast<const T*>(source_.data);
    T* out = reinterpret_cast<T*>(place_of(own()));
    set_.for_each(own(), [&](std::int64_t position) { *out++ = all[position]; });
  });
}

void WantedElements::write(void* to) const {
  group_.before_writing({source_.type, std::ssize(positions_), to});
  with_size(source_.type,
            [&]<class T>() { set_.is_dense() ? write_dense(static_cast<T*>(to)) : write_sparse(static_cast<T*>(to)); });
}

template <class T>
void WantedElements::write_sparse(T* to) const {
  put_own();
  const T* const elements = memory_.as<T>();
  for (const std::int64_t position : positions_) *to++ = position < 0 ? T(0) : elements[set_.count_below(position)];
}

/// Puts the elements of other ranks at their positions, so that none has to be looked for.
template <class T>
void WantedElements::write_dense(T* to) const {
  const Range hull = set_.hull({0, parts_.back().end}), mine = own();
  const Scratch others(group_, sizeof(T) * static_cast<std::size_t>(hull.size()));
  for (const Range& part : parts_) {
    if (part == mine) continue;
    const T* from = reinterpret_cast<const T*>(place_of(part));
    set_.for_each(part, [&](std::int64_t position) { others.as<T>()[position - hull.begin] = *from++; });
  }
  // Without a branch, which nothing would predict.
  struct Source {
    const T* elements;
    std::int64_t first;
  };
  const Source sources[] = {{others.as<T>(), hull.begin},
                            {static_cast<const T*>(source_.data) + mine.begin, mine.begin}};
  for (const std::int64_t position : positions_) {
    const bool is_own = static_cast<std::uint64_t>(position - mine.begin) < static_cast<std::uint64_t>(mine.size());
    const Source& source = sources[is_own ? 1 : 0];
    *to++ = position < 0 ? T(0) : source.elements[position - source.first];
  }
}

/// The elements that a rank wants of a vector in one exchange: those within wanted[r] of each other rank r.
struct Fetch {
  const WantedElements& elements;
  Ranges wanted;
};

/// Fetches elements of several vectors. Three rounds of messages. Returns whether all ranks are good.
bool fetch(const RankGroup& group, const std::vector<Fetch>& fetches, bool is_good) {
  const std::size_t count = fetches.size(), ranks = static_cast<std::size_t>(group.ranks()),
                    self = static_cast<std::size_t>(group.rank());
  std::vector<std::vector<std::int64_t>> sizes(count, std::vector<std::int64_t>(ranks)), asked_sizes = sizes;
  std::vector<std::int64_t> told((count + 1) * ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t k = 0; k < count; ++k) {
      if (r != self)
        sizes[k][r] = static_cast<std::int64_t>(code_size(fetches[k].elements.set(), fetches[k].wanted[r]));
      told[r * (count + 1) + k] = sizes[k][r];
    }
    told[r * (count + 1) + count] = is_good ? 1 : 0;
  }
  told = group.messenger.exchange_counts(told);
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t k = 0; k < count; ++k) asked_sizes[k][r] = told[r * (count + 1) + k];
    is_good = is_good && told[r * (count + 1) + count] != 0;
  }

  const auto sum = [](const std::vector<std::int64_t>& numbers) {
    return static_cast<std::size_t>(std::reduce(numbers.begin(), numbers.end()));
  };
  std::vector<Scratch> codes, asked_codes;
  std::vector<PartsOfRanks> parts;
  for (std::size_t k = 0; k < count; ++k) {
    codes.emplace_back(group, sum(sizes[k]));
    asked_codes.emplace_back(group, sum(asked_sizes[k]));
    auto* code = codes[k].as<std::byte>();
    for (std::size_t r = 0; r < ranks; code += sizes[k][r++])
      if (r != self) encode(fetches[k].elements.set(), fetches[k].wanted[r], code);
    parts.push_back({1, sizes[k], codes[k].data(), asked_sizes[k], asked_codes[k].data()});
  }
  exchange_parts(group, parts);

  std::vector<Scratch> given;
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (std::size_t k = 0; k < count; ++k) {
    const WantedElements& elements = fetches[k].elements;
    std::vector<std::span<const std::byte>> asked;
    std::size_t all = 0;
    const auto* asked_code = asked_codes[k].as<std::byte>();
    for (const std::int64_t size : asked_sizes[k]) {
      asked.push_back({asked_code, static_cast<std::size_t>(size)});
      all += static_cast<std::size_t>(header_of(asked.back()).count());
      asked_code += size;
    }
    auto* next = given.emplace_back(group, elements.element_bytes() * all).as<std::byte>();
    for (std::size_t r = 0; r < ranks; ++r) {
      std::byte* const end = elements.copy_wanted(asked[r], next);
      outgoing.push_back({next, static_cast<std::size_t>(end - next)});
      next = end;
      const Range wanted = fetches[k].wanted[r];
      incoming.push_back(r == self ? Incoming{} : Incoming{elements.place_of(wanted), elements.bytes_of(wanted)});
    }
  }
  group.messenger.exchange(outgoing, incoming);
  return is_good;
}

/// Fetches the elements that a rank wants of one vector, in several turns if an owner has to give too many at once: two
/// rounds of messages to agree on them, and three in each.
bool fetch_in_turns(const RankGroup& group, const WantedElements& elements, bool is_good) {
  std::vector<std::int64_t> counts;
  for (const Range& part : elements.parts()) counts.push_back(elements.set().count(part));
  counts[static_cast<std::size_t>(group.rank())] = 0;
  const std::vector<std::int64_t> asked = group.messenger.exchange_counts(counts);
  std::int64_t turns[] = {
      group.turns_for(std::reduce(asked.begin(), asked.end()), turn_bytes(elements.element_bytes()))};
  group.messenger.reduce(turns, Reduction::kMax);
  for (std::int64_t turn = 0; turn < turns[0]; ++turn) {
    Ranges wanted;
    for (const Range& part : elements.parts()) wanted.push_back(elements.set().part(part, turn, turns[0]));
    is_good = fetch(group, {{elements, std::move(wanted)}}, is_good);
  }
  return is_good;
}

/// Whether ranks read nearly all elements of a vector, if they read it at random, and several times: at three positions
/// for each element, 95 in a hundred. They then get all, without asking.
bool is_small_table(const RankGroup& group, const ElementGather& gather) {
  constexpr std::int64_t kLeastReads = 3;
  return gather.source.length <= gather.most / kLeastReads &&
         size_of(gather.source.type, gather.source.length) <= group.exchange_bytes;
}

/// Brings all elements of divided vectors to every rank. One round of messages.
void fetch_all(const RankGroup& group, std::span<const Result> to, std::span<const Operand> sources) {
  std::vector<GatheredBytes> gathered;
  for (std::size_t k = 0; k < sources.size(); ++k) {
    GatheredBytes& bytes = gathered.emplace_back();
    bytes.mine = elements_of(sources[k], group.part(sources[k].length)).data;
    bytes.all = to[k].data;
    for (const Range& part : group.distribution.parts(sources[k].length))
      bytes.bytes.push_back(size_of(sources[k].type, part.size()));
  }
  if (!gathered.empty()) gather_to_all(group, gathered);
}

/// A vector's own memory.
Result in_place(const Operand& vector) { return {vector.type, vector.length, const_cast<void*>(vector.data)}; }

/// The small tables of some gathers, which come to every rank: into their own memory, so that they become whole, or
/// into working memory.
class SmallTables {
 public:
  /// One round of messages, none if there are no such tables.
  SmallTables(const RankGroup& group, std::span<const ElementGather> gathers) {
    std::vector<Result> to;
    std::vector<Operand> sources;
    for (const ElementGather& gather : gathers) {
      const Operand& source = gather.source;
      if (group.has_all(source) || !is_small_table(group, gather)) continue;
      const auto same = std::ranges::find(sources, source.data, &Operand::data);
      if (same != sources.end()) continue;
      sources.push_back(source);
      if (group.held != nullptr && group.held->can_be_whole(source.data)) {
        group.held->set_whole(source.data, true);
        to.push_back(in_place(source));
      } else {
        const Scratch& memory = memory_.emplace_back(scratch_for(group, source.type, source.length));
        to.push_back({source.type, source.length, memory.data()});
        copies_.push_back({source.data, memory.data()});
      }
    }
    fetch_all(group, to, sources);
  }
  /// The address of all elements of a source; null if this rank has only some.
  const void* find(const RankGroup& group, const Operand& source) const {
    if (group.has_all(source)) return source.data;
    const auto copy = std::ranges::find(copies_, source.data, &Copy::source);
    return copy == copies_.end() ? nullptr : copy->all;
  }

 private:
  struct Copy {
    const void* source;
    const void* all;
  };
  std::deque<Scratch> memory_;
  std::vector<Copy> copies_;
};

/// A gather of elements that this rank has, at `all`.
void gather_here(const RankGroup& group, const ElementGather& gather, const void* all) {
  group.before_reading({gather.source.type, gather.source.length, all});
  group.before_writing({gather.source.type, gather.elements.size(), gather.to});
  std::vector<std::int64_t> positions(static_cast<std::size_t>(std::min(gather.elements.size(), kLocalBatch)));
  with_size(gather.source.type, [&]<class T>() {
    const auto* const from = static_cast<const T*>(all);
    auto* out = static_cast<T*>(gather.to);
    for (std::int64_t begin = gather.elements.begin; begin < gather.elements.end; begin += kLocalBatch) {
      const Range batch{begin, std::min(begin + kLocalBatch, gather.elements.end)};
      gather.write_positions(batch, positions.data());
      for (std::int64_t k = 0; k < batch.size(); ++k) {
        const std::int64_t position = positions[static_cast<std::size_t>(k)];
        *out++ = position < 0 ? T(0) : from[position];
      }
    }
  });
}

/// The turns of a gather by itself.
std::int64_t turns_of(const RankGroup& group, const ElementGather& gather) {
  return group.turns_for(gather.most, turn_bytes(elem_size(gather.source.type)));
}

/// A gather in several turns.
bool gather_in_turns(const RankGroup& group, const ElementGather& gather, const std::function<bool()>& is_good) {
  const std::int64_t turns = turns_of(group, gather);
  const Scratch memory = scratch_for(group, ElemType::kI64, gather.elements.size() / turns + 1);
  auto* const positions = memory.as<std::int64_t>();
  auto* out = static_cast<std::byte*>(gather.to);
  bool all_good = true;
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const Range batch = part_of(gather.elements, turn, turns);
    gather.write_positions(batch, positions);
    const WantedElements wanted(group, gather.source, {positions, static_cast<std::size_t>(batch.size())});
    all_good = fetch_in_turns(group, wanted, is_good()) && all_good;
    wanted.write(out);
    out += size_of(gather.source.type, batch.size());
  }
  return all_good;
}

}  // namespace

bool gathers_fit(const RankGroup& group, std::span<const ElementGather> gathers) {
  std::size_t bytes = 0;
  for (const ElementGather& gather : gathers)
    bytes += turn_bytes(elem_size(gather.source.type)) * static_cast<std::size_t>(gather.most);
  return bytes <= group.exchange_bytes;
}

std::optional<bool> gather_elements(const RankGroup& group, const ElementGather& gather,
                                    const std::function<bool()>& is_good) {
  if (!group.has_all(gather.source) && !is_small_table(group, gather) && turns_of(group, gather) > 1)
    return gather_in_turns(group, gather, is_good);
  return gather_elements(group, std::span(&gather, 1), is_good);
}

std::optional<bool> gather_elements(const RankGroup& group, std::span<const ElementGather> gathers,
                                    const std::function<bool()>& is_good) {
  const SmallTables tables(group, gathers);
  std::vector<const ElementGather*> exchanged;
  std::vector<Scratch> positions;
  std::deque<WantedElements> wanted;
  std::vector<Fetch> fetches;
  for (const ElementGather& gather : gathers) {
    if (const void* const all = tables.find(group, gather.source)) {
      gather_here(group, gather, all);
      continue;
    }
    const Scratch& memory = positions.emplace_back(scratch_for(group, ElemType::kI64, gather.elements.size()));
    gather.write_positions(gather.elements, memory.as<std::int64_t>());
    const auto& elements = wanted.emplace_back(
        group, gather.source,
        std::span<const std::int64_t>(memory.as<std::int64_t>(), static_cast<std::size_t>(gather.elements.size())));
    fetches.push_back({elements, elements.parts()});
    exchanged.push_back(&gather);
  }
  if (fetches.empty()) return std::nullopt;
  const bool all_good = fetch(group, fetches, is_good());
  for (std::size_t k = 0; k < exchanged.size(); ++k) wanted[k].write(exchanged[k]->to);
  return all_good;
}

void gather_same(const RankGroup& group, const ElementGather& gather) {
  const Operand& source = gather.source;
  // The bytes that a network brings in the time of a round: 6 µs at 10 GB/s.
  constexpr std::size_t kRound = std::size_t{1} << 16;
  if (!group.has_all(source) && group.held != nullptr &&
      group.held->spend(source.data, kRound + size_of(source.type, gather.elements.size()))) {
    const Result to = in_place(source);
    fetch_all(group, {&to, 1}, {&source, 1});
    group.held->set_whole(source.data, true);
  }
  if (group.has_all(source)) return gather_here(group, gather, source.data);
  const std::int64_t turns = turns_of(group, gather);
  const Scratch memory = scratch_for(group, ElemType::kI64, gather.elements.size() / turns + 1);
  auto* const positions = memory.as<std::int64_t>();
  auto* out = static_cast<std::byte*>(gather.to);
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const Range batch = part_of(gather.elements, turn, turns);
    gather.write_positions(batch, positions);
    WantedElements wanted(group, source, {positions, static_cast<std::size_t>(batch.size())});
    wanted.fetch_same();
    wanted.write(out);
    out += size_of(source.type, batch.size());
  }
}

}  // namespace cvl::mpi

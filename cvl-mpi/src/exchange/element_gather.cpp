#include "exchange/element_gather.h"

#include <algorithm>
#include <numeric>

#include "cvl/dispatch.h"
#include "exchange/element_exchange.h"
#include "exchange/position_code.h"

namespace cvl::mpi {

namespace {

/// Elements whose positions are handled at a time if nothing is exchanged.
constexpr std::int64_t kLocalBatch = 8192;

/// Most bytes for an element of the working memory of a turn: its position, in the list and the set; its code here and
/// at the owner; itself here and at the owner, and in a vector of four times as many elements (PositionSet::is_dense).
constexpr std::size_t turn_bytes(std::size_t element) { return 8 + 16 + 8 + 8 + 6 * element; }

/// The elements of a divided vector that one rank wants for a part of its elements.
template <class T>
class WantedElements {
 public:
  WantedElements(const RankGroup& group, const Operand& source, std::span<const std::int64_t> positions)
      : group_(group),
        all_(static_cast<const T*>(source.data)),
        parts_(group.distribution.parts(source.length)),
        positions_(positions),
        set_(positions, source.length),
        memory_(group, sizeof(T) * static_cast<std::size_t>(set_.size())) {}

  /// Every rank wants the same elements.
  void fetch_same() {
    put_own();
    std::vector<std::size_t> bytes;
    for (const Range& part : parts_) bytes.push_back(bytes_of(part));
    group_.messenger.gather_to_all(place_of(own()), bytes, memory_.data());
  }
  /// Ranks may want so many that an owner gives them in several turns if `may_be_many`.
  void fetch(bool may_be_many);
  /// Writes the elements of all positions.
  void write(T* to) const;

 private:
  void write_dense(T* to) const;
  Range own() const { return parts_[static_cast<std::size_t>(group_.rank())]; }
  T* place_of(Range range) const { return memory_.as<T>() + set_.count_below(range.begin); }
  std::size_t bytes_of(Range range) const { return sizeof(T) * static_cast<std::size_t>(set_.count(range)); }
  void put_own() const {
    T* out = place_of(own());
    set_.for_each(own(), [&](std::int64_t position) { *out++ = all_[position]; });
  }
  std::int64_t count_turns() const;
  void fetch(const Ranges& wanted) const;

  const RankGroup& group_;
  const T* const all_;
  const Ranges parts_;
  const std::span<const std::int64_t> positions_;
  const PositionSet set_;
  const Scratch memory_;  ///< an element for each position of the set
};

template <class T>
void WantedElements<T>::fetch(bool may_be_many) {
  const std::int64_t turns = may_be_many ? count_turns() : 1;
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    Ranges wanted;
    for (const Range& part : parts_) wanted.push_back(set_.part(part, turn, turns));
    fetch(wanted);
  }
}

/// The number of turns that each owner needs, so that the elements which it gives in one of them fit. Two rounds of
/// messages.
template <class T>
std::int64_t WantedElements<T>::count_turns() const {
  std::vector<std::int64_t> counts;
  for (const Range& part : parts_) counts.push_back(set_.count(part));
  counts[static_cast<std::size_t>(group_.rank())] = 0;
  const std::vector<std::int64_t> asked = group_.messenger.exchange_counts(counts);
  std::int64_t turns[] = {group_.turns_for(std::reduce(asked.begin(), asked.end()), turn_bytes(sizeof(T)))};
  group_.messenger.reduce(turns, Reduction::kMax);
  return turns[0];
}

/// Fetches the elements within wanted[r] of each other rank r. Three rounds of messages.
template <class T>
void WantedElements<T>::fetch(const Ranges& wanted) const {
  const auto self = static_cast<std::size_t>(group_.rank());
  std::vector<std::int64_t> sizes(wanted.size());
  for (std::size_t r = 0; r < wanted.size(); ++r)
    if (r != self) sizes[r] = static_cast<std::int64_t>(code_size(set_, wanted[r]));
  const std::vector<std::int64_t> asked_sizes = group_.messenger.exchange_counts(sizes);
  const auto sum = [](const std::vector<std::int64_t>& numbers) {
    return static_cast<std::size_t>(std::reduce(numbers.begin(), numbers.end()));
  };
  const Scratch codes(group_, sum(sizes)), asked_codes(group_, sum(asked_sizes));
  auto* code = codes.as<std::byte>();
  for (std::size_t r = 0; r < wanted.size(); code += sizes[r++])
    if (r != self) encode(set_, wanted[r], code);
  exchange_parts(group_, 1, sizes, codes.data(), asked_sizes, asked_codes.data());

  std::vector<std::span<const std::byte>> asked;
  std::vector<std::int64_t> counts;
  const auto* asked_code = asked_codes.as<std::byte>();
  for (const std::int64_t size : asked_sizes) {
    asked.push_back({asked_code, static_cast<std::size_t>(size)});
    counts.push_back(header_of(asked.back()).count());
    asked_code += size;
  }
  const Scratch given(group_, sizeof(T) * sum(counts));
  T* next = given.as<T>();
  std::vector<Outgoing> outgoing(wanted.size());
  std::vector<Incoming> incoming(wanted.size());
  for (std::size_t r = 0; r < wanted.size(); ++r) {
    outgoing[r] = {next, sizeof(T) * static_cast<std::size_t>(counts[r])};
    if (r != self) incoming[r] = {place_of(wanted[r]), bytes_of(wanted[r])};
    for_each_position(asked[r], [&](std::int64_t position) { *next++ = all_[position]; });
  }
  group_.messenger.exchange(outgoing, incoming);
}

template <class T>
void WantedElements<T>::write(T* to) const {
  if (set_.is_dense()) return write_dense(to);
  put_own();
  const T* const elements = memory_.as<T>();
  for (const std::int64_t position : positions_) *to++ = position < 0 ? T(0) : elements[set_.count_below(position)];
}

/// Puts the elements of other ranks at their positions, so that none has to be looked for.
template <class T>
void WantedElements<T>::write_dense(T* to) const {
  const Range hull = set_.hull({0, parts_.back().end}), mine = own();
  const Scratch others(group_, sizeof(T) * static_cast<std::size_t>(hull.size()));
  for (const Range& part : parts_) {
    if (part == mine) continue;
    const T* from = place_of(part);
    set_.for_each(part, [&](std::int64_t position) { others.as<T>()[position - hull.begin] = *from++; });
  }
  // Without a branch, which nothing would predict.
  struct Source {
    const T* elements;
    std::int64_t first;
  };
  const Source sources[] = {{others.as<T>(), hull.begin}, {all_ + mine.begin, mine.begin}};
  for (const std::int64_t position : positions_) {
    const bool is_own = static_cast<std::uint64_t>(position - mine.begin) < static_cast<std::uint64_t>(mine.size());
    const Source& source = sources[is_own ? 1 : 0];
    *to++ = position < 0 ? T(0) : source.elements[position - source.first];
  }
}

/// Whether ranks read nearly all elements of a vector, if they read it at random, and several times: at three positions
/// for each element, 95 in a hundred. They then get all, without asking.
bool is_small_table(const RankGroup& group, const Operand& source, std::int64_t most) {
  constexpr std::int64_t kLeastReads = 3;
  return source.length <= most / kLeastReads && size_of(source.type, source.length) <= group.exchange_bytes;
}

/// All elements of a divided vector. One round of messages.
Scratch fetch_all(const RankGroup& group, const Operand& source) {
  Scratch all = scratch_for(group, source.type, source.length);
  std::vector<std::size_t> bytes;
  for (const Range& part : group.distribution.parts(source.length)) bytes.push_back(size_of(source.type, part.size()));
  group.messenger.gather_to_all(elements_of(source, group.part(source.length)).data, bytes, all.data());
  return all;
}

}  // namespace

void gather_elements(const RankGroup& group, const Operand& source, Range elements, std::int64_t most,
                     const WritePositions& write_positions, bool same_everywhere, void* to) {
  const bool is_small = group.is_divided(source) && !same_everywhere && is_small_table(group, source, most);
  const Scratch table = is_small ? fetch_all(group, source) : Scratch();
  const bool is_divided = group.is_divided(source) && !is_small;
  const std::int64_t turns = is_divided ? group.turns_for(most, turn_bytes(elem_size(source.type)))
                                        : std::max<std::int64_t>(1, elements.size() / kLocalBatch);
  const Scratch memory = scratch_for(group, ElemType::kI64, elements.size() / turns + 1);
  auto* const positions = memory.as<std::int64_t>();
  with_size(source.type, [&]<class T>() {
    auto* out = static_cast<T*>(to);
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      const Range batch = part_of(elements, turn, turns);
      write_positions(batch, positions);
      const std::span<const std::int64_t> of_batch(positions, static_cast<std::size_t>(batch.size()));
      if (is_divided) {
        WantedElements<T> wanted(group, source, of_batch);
        if (same_everywhere)
          wanted.fetch_same();
        else
          wanted.fetch(turns > 1);
        wanted.write(out);
      } else {
        const auto* const all = static_cast<const T*>(is_small ? table.data() : source.data);
        for (std::int64_t k = 0; k < batch.size(); ++k) out[k] = of_batch[k] < 0 ? T(0) : all[of_batch[k]];
      }
      out += batch.size();
    }
  });
}

}  // namespace cvl::mpi

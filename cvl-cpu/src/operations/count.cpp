#include <algorithm>
#include <atomic>
#include <type_traits>

#include "base/check.h"
#include "base/chunks.h"
#include "cvl/dispatch.h"
#include "operations/context.h"
#include "operations/operations.h"
#include "operations/scatters/chunked_scatter.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {
namespace {

/// Counts of start, start + 1, … among elements of one segment.
template <class U>
struct Counting {
  U start;
  U* counts;
  std::uint64_t numbers;  ///< number of counts
  bool shared;            ///< other threads add to the same counts
};

template <class U>
void add(U& count, U more, bool shared) {
  if (shared)
    std::atomic_ref(count).fetch_add(more, std::memory_order_relaxed);
  else
    count += more;
}

/// Tables of one thread, in the first-level cache. As there are four, equal elements that follow each other do not wait
/// for the same count; as they belong to the thread, threads do not wait for each other. Numbers that are not to be
/// counted are counted after the others, without a branch.
template <class U>
class Tables {
 public:
  void count(const U* a, std::int64_t n, const Counting<U>& to) {
    const auto numbers = static_cast<U>(to.numbers);
    VC_CHECK(to.numbers <= kCountedInTables);
    for (U* table : {tables_[0], tables_[1], tables_[2], tables_[3]}) std::fill_n(table, numbers + 1, U(0));
    const auto position = [&](U x) { return std::min<U>(x - to.start, numbers); };
    std::int64_t e = 0;
    for (; e + 4 <= n; e += 4) {
      ++tables_[0][position(a[e])];
      ++tables_[1][position(a[e + 1])];
      ++tables_[2][position(a[e + 2])];
      ++tables_[3][position(a[e + 3])];
    }
    for (; e < n; ++e) ++tables_[0][position(a[e])];
    for (U v = 0; v < numbers; ++v)
      add(to.counts[v], U(tables_[0][v] + tables_[1][v] + tables_[2][v] + tables_[3][v]), to.shared);
  }

 private:
  alignas(64) U tables_[4][kCountedInTables + 1];
};

template <class U, bool shared>
void count_in_place(const U* a, std::int64_t n, const Counting<U>& to) {
  for (std::int64_t e = 0; e < n; ++e)
    if (const U position = a[e] - to.start; position < to.numbers) add(to.counts[position], U(1), shared);
}

template <class U>
void count_part(const U* a, std::int64_t n, const Counting<U>& to) {
  if (to.numbers <= kCountedInTables && static_cast<std::int64_t>(to.numbers) * kElementsForTables <= n) {
    Tables<U> tables;
    tables.count(a, n, to);
  } else if (to.shared) {
    count_in_place<U, true>(a, n, to);
  } else {
    count_in_place<U, false>(a, n, to);
  }
}

/// Counts the elements of a single segment: each thread those of a share, in counts of its own, which are then added
/// up. False if there is no memory for these.
template <class U>
bool count_by_copies(Context& context, const Count& count, const Partition& shares) {
  const std::int64_t numbers = count.to.elements;
  const auto copies = context.arena.scratch<U>(shares.chunks() * numbers);
  if (copies == nullptr) return false;
  context.parallel.for_each(shares.chunks(), [&](std::int64_t s) {
    U* const own = copies.get() + s * numbers;
    std::fill_n(own, numbers, U(0));
    const Chunk share = shares.chunk(s);
    count_in_place<U, false>(
        static_cast<const U*>(count.a.data) + share.element_begin, share.element_end - share.element_begin,
        {*static_cast<const U*>(count.start.data), own, static_cast<std::uint64_t>(numbers), false});
  });
  U* const result = static_cast<U*>(count.result.data);
  context.parallel.for_ranges(numbers, kDistChunkItems, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = 0; s < shares.chunks(); ++s)
      for (std::int64_t v = begin; v < end; ++v) result[v] += copies[s * numbers + v];
  });
  return true;
}

}  // namespace

void run(Context& context, const Count& count) {
  VC_CHECK(count.a.length == count.from.elements && count.start.length == count.from.segments &&
           count.from.segments == count.to.segments);
  VC_CHECK(count.a.type == count.result.type && count.start.type == count.result.type &&
           count.result.length == count.to.elements);
  fill_zero(context, count.result.data, count.result.length * static_cast<std::int64_t>(elem_size(count.result.type)));
  const std::int64_t threads = context.parallel.threads(), items = count.from.elements + count.from.segments,
                     numbers = count.to.elements;
  const bool alone = threads == 1 || items <= kCountChunkItems;
  // More numbers than tables have: threads would wait for each other's counts.
  const bool contended = !alone && count.from.is_single() && numbers > kCountedInTables;
  const Partition shares(count.from, std::max(kCountChunkItems, (items + threads - 1) / threads));
  const bool few = numbers * shares.chunks() * kElementsForCopies <= count.from.elements;
  const bool by_one = contended && !few && threads < kSharesForParts;
  const Partition partition(count.from, by_one ? items : kCountChunkItems);
  with_int(count.result.type, [&]<class I>() {
    using U = std::make_unsigned_t<I>;
    if (contended && few && count_by_copies<U>(context, count, shares)) return;
    context.parallel.for_each(partition.chunks(), [&](std::int64_t p) {
      const Chunk chunk = partition.chunk(p);
      const std::int64_t last = std::min(chunk.segment_end + 1, count.from.segments);
      for (std::int64_t k = chunk.segment_begin; k < last; ++k) {
        const std::int64_t begin = std::max(chunk.element_begin, count.from.start(k)),
                           end = std::min(chunk.element_end, count.from.start(k + 1));
        const bool whole = begin == count.from.start(k) && end == count.from.start(k + 1);
        count_part(static_cast<const U*>(count.a.data) + begin, end - begin,
                   {static_cast<const U*>(count.start.data)[k], static_cast<U*>(count.result.data) + count.to.start(k),
                    static_cast<std::uint64_t>(count.to.start(k + 1) - count.to.start(k)), !alone && !whole});
      }
    });
  });
}

}  // namespace cvl::cpu

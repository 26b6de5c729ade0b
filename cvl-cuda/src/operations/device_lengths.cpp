#include <limits>
#include <vector>

#include "base/atomics.h"
#include "base/check.h"
#include "cvl/bad_length.h"
#include "cvl/dispatch.h"
#include "operations/device_operations.h"
#include "operations/device_segments.h"
#include "operations/monoid.h"
#include "operations/tiled.h"
#include "vcode/arith.h"
#include "vcode/op_semantics.h"

namespace cvl::cuda {
namespace {

/// The summary of some of the lengths. The sum is kept in two halves, neither of which overflows.
struct PartSummary {
  std::uint64_t low = 0, high = 0;  ///< sums of the lower and of the upper 32 bits
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  std::int64_t longest = std::numeric_limits<std::int64_t>::min();
};

struct CombineSummaries {
  VC_HD PartSummary operator()(const PartSummary& a, const PartSummary& b) const {
    return {a.low + b.low, a.high + b.high, vcode::min_of(a.shortest, b.shortest), vcode::max_of(a.longest, b.longest)};
  }
};

struct SummaryOf {
  VC_HD PartSummary operator()(std::int64_t length) const {
    const auto bits = static_cast<std::uint64_t>(length);
    return {bits & 0xFFFFFFFF, bits >> 32, length, length};
  }
};

template <class I>
PartSummary summary_of(Executor& executor, Operand lengths) {
  Scratch<PartSummary> result(executor.pool(), 1);
  PartSummary* const to = result.data();
  fold(executor, static_cast<const I*>(lengths.data), lengths.length, PartSummary{}, CombineSummaries{}, SummaryOf{},
       StoreOne<PartSummary>{to});
  PartSummary summary;
  executor.download(&summary, result.data(), sizeof summary);
  return summary;
}

/// Finds and reports the first length at fault, on the host. Requires that there is one.
void report_bad_length(const Context& context, Operand lengths) {
  std::vector<std::byte> copy(static_cast<std::size_t>(lengths.length) * elem_size(lengths.type));
  context.executor.download(copy.data(), lengths.data, copy.size());
  const Fault fault = find_bad_length({lengths.type, lengths.length, copy.data()});
  VC_CHECK(fault.kind != FaultKind::kNone);
  const Faults faults = context.faults;
  context.executor.for_each(
      1, [=] CVL_DEVICE(std::int64_t) { faults.report(fault.kind, fault.position, fault.value, fault.bound); });
  context.executor.wait();
}

struct Widen {
  template <class I>
  VC_HD std::int64_t operator()(I length) const {
    return length;
  }
};

using Add = CombineBy<vcode::monoids::Sum, std::int64_t>;

/// The head bits of one tile while they are computed, in shared memory.
struct HeadsInWork {
  std::int64_t ends[2];  ///< numbers of the heads in the tile: from ends[0], ends[1] excluded
  std::uint32_t words[TileHeads::kWords];
};

/// Computes head bits of segments from their offsets.
struct MakeHeads {
  Segments segments;
  SegmentHeads* words;
  std::int32_t* nonempty;        ///< output: the segments with elements; null if no segment can be empty
  std::int64_t* nonempty_count;  ///< output: their number; null likewise

  CVL_DEVICE bool has_elements(std::int64_t k) const { return segments.offsets[k + 1] > segments.offsets[k]; }
  /// The first element of the segment with the h-th head.
  CVL_DEVICE std::int64_t head(std::int64_t h) const {
    return segments.offsets[nonempty != nullptr ? std::int64_t{nonempty[h]} : h];
  }
  /// The number of heads before element e.
  CVL_DEVICE std::int64_t heads_before_element(std::int64_t e) const {
    std::int64_t low = 0, high = nonempty != nullptr ? *nonempty_count : segments.segments;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (head(middle) < e)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  /// Numbers the nonempty segments of a tile of segments. sum_before(number of them) is the number of those in earlier
  /// tiles.
  template <class SumBefore>
  CVL_DEVICE void number_tile(Block& block, std::int64_t tile, SumBefore sum_before) const {
    const std::int64_t begin = tile * kTile;
    const int count = count_in_tile(tile, segments.segments);
    Items<std::uint32_t> items;
    const MakeHeads self = *this;
    block.fill(items, [=](int k) { return k < count && self.has_elements(begin + k) ? 1u : 0u; });
    block.template scan<false>(
        items, 0u, 0u, NoHeads{}, [](std::uint32_t a, std::uint32_t b) { return a + b; },
        [&](std::uint32_t total, bool) {
          const std::int64_t before = sum_before(std::int64_t{total});
          if (block.leads() && begin + count == self.segments.segments) *self.nonempty_count = before + total;
          return static_cast<std::uint32_t>(before);  // fits: below 2^31
        });
    block.for_items(items, [=](int k, std::uint32_t h) {
      if (k < count && self.has_elements(begin + k)) self.nonempty[h] = static_cast<std::int32_t>(begin + k);
    });
  }

  /// Computes the words of a tile of elements.
  CVL_DEVICE void make_words(const Block& block, std::int64_t tile, HeadsInWork& work) const {
    const std::int64_t begin = tile * kTile;
    const std::int64_t count = (count_in_tile(tile, segments.elements) + 31) / 32;
    block.for_each(2, [&](std::int64_t end) { work.ends[end] = heads_before_element(begin + end * kTile); });
    block.for_each(count, [&](std::int64_t w) { work.words[w] = 0; });
    block.for_each(work.ends[1] - work.ends[0], [&](std::int64_t h) {
      const auto e = static_cast<std::uint32_t>(head(work.ends[0] + h) - begin);
      atomic_or(&work.words[e / 32], std::uint32_t{1} << (e % 32));
    });
    block.for_each(count, [&](std::int64_t w) {
      auto before = static_cast<std::uint32_t>(work.ends[0]);
      for (std::int64_t v = 0; v < w; ++v) before += static_cast<std::uint32_t>(count_bits(work.words[v]));
      words[begin / 32 + w] = {work.words[w], before};
    });
  }
};

}  // namespace

LengthsSummary summarize_lengths(const Context& context, Operand lengths) {
  if (lengths.length == 0) return {};
  const PartSummary all = with_int(lengths.type, [&]<class I>() { return summary_of<I>(context.executor, lengths); });
  // If no length is negative, the sum is below 2^63 if and only if its upper half is below 2^31.
  const std::uint64_t high = all.high + (all.low >> 32);
  if (all.shortest < 0 || high >> 31 != 0) {
    report_bad_length(context, lengths);
    return {};
  }
  return {static_cast<std::int64_t>(high << 32 | (all.low & 0xFFFFFFFF)), all.shortest, all.longest};
}

void run(const Context& context, const MakeOffsets& make_offsets) {
  with_int(make_offsets.lengths.type, [&]<class I>() {
    scan_flat(context.executor, static_cast<const I*>(make_offsets.lengths.data), make_offsets.lengths.length,
              make_offsets.result.length, static_cast<std::int64_t*>(make_offsets.result.data), std::int64_t{0},
              std::int64_t{0}, Add{}, Widen{});
  });
}

void run(const Context& context, const MakeSegmentHeads& make_segment_heads) {
  VC_CHECK(!make_segment_heads.descriptor.is_regular() && make_segment_heads.descriptor.offsets != nullptr);
  Executor& executor = context.executor;
  Scratch<std::int64_t> count(context.pool(), 1);
  const MakeHeads work{Segments(make_segment_heads.descriptor),
                       static_cast<SegmentHeads*>(make_segment_heads.result.data),
                       static_cast<std::int32_t*>(make_segment_heads.nonempty.data), count.data()};
  const bool may_have_empty = work.nonempty != nullptr;
  const std::int64_t tiles = tiles_of(make_segment_heads.descriptor.elements),
                     tiles_of_segments = may_have_empty ? tiles_of(make_segment_heads.descriptor.segments) : 0;
  if (tiles * kTile <= kShort && tiles_of_segments * kTile <= kShort)
    return executor.template tiles<HeadsInWork>(1, [=] CVL_DEVICE(Block & block, HeadsInWork & shared) {
      std::int64_t before = 0;  // valid in the threads that call the lambda below
      for (std::int64_t t = 0; t < tiles_of_segments; ++t)
        work.number_tile(block, t, [&](std::int64_t total) {
          before += total;
          return before - total;
        });
      block.sync();
      for (std::int64_t t = 0; t < tiles; ++t) work.make_words(block, t, shared);
    });
  using Back = LookBack<Part<std::int64_t>, CombineParts<Add>>;
  executor.template tiles_in_order<NothingShared>(tiles_of_segments, Back::words(tiles_of_segments),
                                                  [=] CVL_DEVICE(Block & block, NothingShared&, const Board& board) {
                                                    const Back look_back{board, tiles_of_segments, {0}, {}};
                                                    work.number_tile(block, block.index(), [&](std::int64_t total) {
                                                      return look_back.before(block, {total}).value;
                                                    });
                                                  });
  executor.template tiles<HeadsInWork>(
      tiles, [=] CVL_DEVICE(Block & block, HeadsInWork & shared) { work.make_words(block, block.index(), shared); });
}

}  // namespace cvl::cuda

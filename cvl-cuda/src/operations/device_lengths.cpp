#include <limits>
#include <span>
#include <vector>

#include "base/atomics.h"
#include "base/check.h"
#include "cvl/bad_length.h"
#include "cvl/dispatch.h"
#include "operations/device_operations.h"
#include "operations/lengths_summary.h"
#include "operations/tiled.h"
#include "vcode/arith.h"

namespace cvl::cuda {
namespace {

/// Makes offsets, lists nonempty segments and summarizes all lengths, in one pass.
template <class I>
struct ExpandLengths {
  using Back = LookBack<Summary, AddSummaries>;

  ExpandedLengths<const I*> work;
  Reply reply;  ///< with the Summary of all lengths

  CVL_DEVICE void expand(Block& block, NonemptyBefore& shared, const Back& look_back) const {
    Items<std::uint64_t> sums, marks;
    work.expand(block, shared, sums, marks, [&](const Summary& here) {
      const Summary before = look_back.before(block, here);
      if (block.leads()) put(block.index(), AddSummaries{}(before, here));
      return before;
    });
  }
  CVL_DEVICE void put(std::int64_t tile, const Summary& up_to_here) const {
    if (tile != tiles_of(work.segments + 1, work.kLengths) - 1) return;
    if (work.nonempty != nullptr) work.nonempty[work.segments] = up_to_here.nonempty();
    reply.give(up_to_here);
  }
};

/// Several of these: their tiles are those of one launch, one after the other.
template <class I>
struct ExpandSeveral {
  using Back = typename ExpandLengths<I>::Back;

  ExpandLengths<I> of[kMostOffsets] = {};
  std::int64_t begins[kMostOffsets + 1] = {};  ///< number of tiles before each, and of all
  std::int64_t words[kMostOffsets + 1] = {};   ///< likewise of words on the board
  int count = 0;

  void add(const ExpandLengths<I>& work) {
    const std::int64_t tiles = tiles_of(work.work.segments + 1, work.work.kLengths);
    of[count] = work;
    begins[count + 1] = begins[count] + tiles;
    words[count + 1] = words[count] + Back::words(tiles);
    ++count;
  }
  CVL_DEVICE void expand(const Block& block, NonemptyBefore& shared, const Board& board) const {
    int w = 0;
    while (w + 1 < count && block.index() >= begins[w + 1]) ++w;
    Block tile = block.numbered(block.index() - begins[w]);
    of[w].expand(tile, shared, Back{{board.words + words[w], board.epoch}, begins[w + 1] - begins[w], {0, 0}, {}});
  }
};

template <class I>
void expand_as(Executor& executor, const ExpandSeveral<I>& several) {
  constexpr int kResidentHere = 3;  // two vectors of 64-bit items take additional registers
  executor.template tiles_in_order<NonemptyBefore, kResidentHere>(
      several.begins[several.count], several.words[several.count],
      [=] CVL_DEVICE(Block & block, NonemptyBefore & shared, const Board& board) {
        several.expand(block, shared, board);
      });
}

void expand_lengths(Executor& executor, std::span<const MakeOffsets> ops, const Reply& reply) {
  VC_CHECK(!ops.empty() && ops.size() <= kMostOffsets);
  with_int(ops[0].lengths.type, [&]<class I>() {
    ExpandSeveral<I> several;
    for (const MakeOffsets& op : ops) {
      VC_CHECK(op.lengths.type == ops[0].lengths.type);
      VC_CHECK(op.nonempty.data == nullptr || op.lengths.length <= std::numeric_limits<std::int32_t>::max());
      several.add({{static_cast<const I*>(op.lengths.data), op.lengths.length,
                    static_cast<std::uint64_t*>(op.result.data), static_cast<std::int32_t*>(op.nonempty.data)},
                   reply});
    }
    expand_as(executor, several);
  });
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

/// The head bits of one tile while they are computed, in shared memory.
struct HeadsInWork {
  static constexpr int kGroup = 8;  ///< words that are counted together

  std::uint32_t passed;            ///< probes of a search that are before what is searched for
  std::uint32_t is_over;           ///< 1 when a head behind the tile was found
  std::uint32_t marks[kTile / 4];  ///< a byte for each element, 1 for heads: their bits would need atomic operations
  std::uint32_t words[TileHeads::kWords];
  std::uint32_t of_groups[TileHeads::kWords / kGroup];  ///< heads in groups of words

  CVL_DEVICE void mark(std::int64_t element) { reinterpret_cast<unsigned char*>(marks)[element] = 1; }
  /// The bits of 32 elements.
  CVL_DEVICE std::uint32_t bits(std::int64_t word) const {
    std::uint32_t all = 0;
    // The product has the lowest bits of four bytes next to each other, at its top.
    for (int quad = 0; quad < 8; ++quad) all |= (marks[word * 8 + quad] * 0x10204080u) >> 28 << (4 * quad);
    return all;
  }
  CVL_DEVICE std::uint32_t count(std::int64_t first, int n) const {
    std::uint32_t heads = 0;
    for (int w = 0; w < n; ++w) heads += static_cast<std::uint32_t>(count_bits(words[first + w]));
    return heads;
  }
};

/// Computes head bits of segments from their offsets.
struct MakeHeads {
  /// Heads that a block looks at together, all loads at once: probes of a search, or heads of a tile.
  static constexpr int kTogether = 1024;

  Segments segments;
  SegmentHeads* words;

  CVL_DEVICE std::int64_t heads() const {
    return segments.nonempty != nullptr ? std::int64_t{segments.nonempty[segments.segments]} : segments.segments;
  }
  /// The first element of the segment with the h-th head.
  CVL_DEVICE std::int64_t head(std::int64_t h) const {
    return segments.offsets[segments.nonempty != nullptr ? std::int64_t{segments.nonempty[h]} : h];
  }
  /// The number among all heads of those before element e, by kTogether probes at a time: a binary search would wait
  /// for memory in each of its steps.
  CVL_DEVICE std::int64_t heads_before_element(const Block& block, std::int64_t all, std::int64_t e,
                                               HeadsInWork& work) const {
    std::int64_t low = 0, high = all;
    while (low < high) {
      const std::int64_t first = low, end = high, step = divide_up(end - first, kTogether);
      block.for_each(1, [&](std::int64_t) { work.passed = 0; });
      block.template map<bool>(
          kTogether,
          [&](int j) {
            const std::int64_t h = first + j * step, next = h + step;
            const bool is_before = h < end && head(h) < e, next_is_before = next < end && head(next) < e;
            return is_before && !next_is_before;
          },
          [&](int j, bool is_last) {
            if (is_last) work.passed = static_cast<std::uint32_t>(j + 1);
          });
      const std::int64_t passed = work.passed;
      block.sync();  // before the next step clears it
      if (passed == 0) return first;
      low = first + (passed - 1) * step + 1;
      high = passed * step < end - first ? first + passed * step : end;
    }
    return low;
  }

  /// Computes the words of a tile of elements.
  CVL_DEVICE void make_words(const Block& block, std::int64_t tile, HeadsInWork& work) const {
    const std::int64_t begin = tile * kTile, all = heads();
    const int elements = count_in_tile(tile, segments.elements);
    const std::int64_t count = (elements + 31) / 32, before_tile = heads_before_element(block, all, begin, work);
    block.for_each(kTile / 4, [&](std::int64_t quad) { work.marks[quad] = 0; });
    block.for_each(1, [&](std::int64_t) { work.is_over = 0; });
    bool is_over = false;
    for (std::int64_t h = before_tile; !is_over; h += kTogether) {
      block.template map<std::int64_t>(
          kTogether, [&](int j) { return h + j < all ? head(h + j) - begin : elements; },
          [&](int, std::int64_t e) {
            if (e < elements)
              work.mark(e);
            else
              store_racing(&work.is_over, 1u);
          });
      is_over = work.is_over != 0;
      block.sync();
    }
    constexpr int kGroup = HeadsInWork::kGroup;
    block.for_each(TileHeads::kWords, [&](std::int64_t w) { work.words[w] = work.bits(w); });
    block.for_each(divide_up(count, kGroup),
                   [&](std::int64_t g) { work.of_groups[g] = work.count(g * kGroup, kGroup); });
    block.for_each(count, [&](std::int64_t w) {
      auto before = static_cast<std::uint32_t>(before_tile) + work.count(w - w % kGroup, int(w % kGroup));
      for (std::int64_t g = 0; g < w / kGroup; ++g) before += work.of_groups[g];
      words[begin / 32 + w] = {work.words[w], before};
    });
  }
};

}  // namespace

LengthsSummary summarize_lengths(const Context& context, const MakeOffsets& op) {
  Executor& executor = context.executor;
  const Operand& lengths = op.lengths;
  if (lengths.length == 0) {
    if (op.result.data != nullptr) run(context, op);
    return {};
  }
  expand_lengths(executor, {&op, 1}, executor.next_reply());
  Summary all{};
  const Transfer reply{&all, nullptr, sizeof all};
  executor.await_reply(&reply, 1);
  return read_summary(context, lengths, all);
}

LengthsSummary read_summary(const Context& context, const Operand& lengths, const Summary& all) {
  if ((all.sum & AddLengths::kBad) != 0) {
    report_bad_length(context, lengths);
    return {};
  }
  LengthsSummary summary{static_cast<std::int64_t>(all.sum)};
  if ((all.marks & AddMarks::kDiffers) == 0) summary.regular_length = summary.total / lengths.length;
  // The count is exact up to 2^31 segments.
  summary.has_empty = lengths.length > std::numeric_limits<std::int32_t>::max() || all.nonempty() < lengths.length;
  return summary;
}

void run(const Context& context, const MakeOffsets& make_offsets) { make_offsets_of(context, {&make_offsets, 1}); }

void make_offsets_of(const Context& context, std::span<const MakeOffsets> ops) {
  expand_lengths(context.executor, ops, {});
}

void run(const Context& context, const MakeSegmentHeads& make_segment_heads) {
  VC_CHECK(!make_segment_heads.descriptor.is_regular() && make_segment_heads.descriptor.offsets != nullptr);
  const MakeHeads work{Segments(make_segment_heads.descriptor),
                       static_cast<SegmentHeads*>(make_segment_heads.result.data)};
  context.executor.template tiles<HeadsInWork>(
      tiles_of(work.segments.elements),
      [=] CVL_DEVICE(Block & block, HeadsInWork & shared) { work.make_words(block, block.index(), shared); });
}

}  // namespace cvl::cuda

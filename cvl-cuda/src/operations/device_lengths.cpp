#include <limits>
#include <vector>

#include "base/atomics.h"
#include "base/check.h"
#include "cvl/bad_length.h"
#include "cvl/dispatch.h"
#include "operations/device_operations.h"
#include "operations/tiled.h"
#include "vcode/arith.h"

namespace cvl::cuda {
namespace {

/// A sum of lengths below 2^63, or one with the highest bit if a length is negative or the sum is greater. The other
/// bits are then arbitrary.
struct AddLengths {
  static constexpr std::uint64_t kBad = std::uint64_t{1} << 63;
  VC_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return ((a & ~kBad) + (b & ~kBad)) | ((a | b) & kBad);
  }
};

/// The number of nonempty segments, modulo 2^31, and a bit that is set if one of the lengths differs from the first of
/// all.
struct AddMarks {
  static constexpr std::uint64_t kCount = 0x7FFFFFFF, kDiffers = 0x80000000;
  VC_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return ((a + b) & kCount) | ((a | b) & kDiffers);
  }
};

/// Facts about some lengths.
struct Summary {
  std::uint64_t sum, marks;  ///< see AddLengths and AddMarks

  VC_HD Payload payload() const { return {sum, static_cast<std::uint32_t>(marks)}; }
  VC_HD static Summary from(const Payload& p) { return {p.low, p.high}; }
};

struct AddSummaries {
  VC_HD Summary operator()(const Summary& a, const Summary& b) const {
    return {AddLengths{}(a.sum, b.sum), AddMarks{}(a.marks, b.marks)};
  }
};

/// Shared memory of a block: the number of nonempty segments before its tile.
struct NonemptyBefore {
  std::uint64_t count;
};

/// Makes offsets, lists nonempty segments and summarizes all lengths, in one pass.
template <class I>
struct ExpandLengths {
  using Back = LookBack<Summary, AddSummaries>;
  static constexpr int kLengths = kTileOf<std::uint64_t>;

  const I* lengths;
  std::int64_t segments;
  std::uint64_t* offsets;  ///< null: none are wanted
  std::int32_t* nonempty;  ///< null likewise
  Reply reply;             ///< with the Summary of all lengths

  CVL_DEVICE void expand(Block& block, NonemptyBefore& shared, const Back& look_back) const {
    const std::int64_t tile = block.index(), begin = tile * kLengths;
    const int count = count_in_tile(tile, segments, kLengths);  // 0 if the tile has only the end of the last segment
    const I first = segments > 0 ? lengths[0] : I(0);
    Items<std::uint64_t> sums, marks;
    block.load(sums, lengths + begin, count, std::uint64_t{0},
               [](I n) { return n < 0 ? AddLengths::kBad : static_cast<std::uint64_t>(n); });
    block.load(marks, lengths + begin, count, std::uint64_t{0},
               [=](I n) { return (n != 0 ? std::uint64_t{1} : 0) | (n != first ? AddMarks::kDiffers : 0); });
    Summary here{0, 0};  // valid in the threads that call the lambdas below
    block.template scan<false>(marks, std::uint64_t{0}, std::uint64_t{0}, NoHeads{}, AddMarks{},
                               [&](std::uint64_t all, bool) {
                                 here.marks = all;
                                 return std::uint64_t{0};
                               });
    block.template scan<false>(sums, std::uint64_t{0}, std::uint64_t{0}, NoHeads{}, AddLengths{},
                               [&](std::uint64_t all, bool) {
                                 here.sum = all;
                                 const Summary before = look_back.before(block, here);
                                 if (block.leads()) put(tile, before, AddSummaries{}(before, here), shared);
                                 return before.sum;
                               });
    if (offsets != nullptr) block.store(sums, offsets + begin, count_in_tile(tile, segments + 1, kLengths));
    if (nonempty == nullptr) return;
    const ExpandLengths self = *this;
    const std::uint64_t before = shared.count;
    block.for_items(marks, [=](int k, std::uint64_t mark) {
      if (k < count && self.lengths[begin + k] != 0)
        self.nonempty[(before + mark) & AddMarks::kCount] = static_cast<std::int32_t>(begin + k);
    });
  }
  CVL_DEVICE void put(std::int64_t tile, const Summary& before, const Summary& up_to_here,
                      NonemptyBefore& shared) const {
    shared.count = before.marks;
    if (tile != tiles_of(segments + 1, kLengths) - 1) return;
    if (nonempty != nullptr) nonempty[segments] = static_cast<std::int32_t>(up_to_here.marks & AddMarks::kCount);
    reply.give(up_to_here);
  }
};

template <class I>
void expand_as(Executor& executor, const ExpandLengths<I>& work) {
  using Back = typename ExpandLengths<I>::Back;
  const std::int64_t tiles = tiles_of(work.segments + 1, work.kLengths);
  constexpr int kResidentHere = 3;  // two vectors of 64-bit items take additional registers
  executor.template tiles_in_order<NonemptyBefore, kResidentHere>(
      tiles, Back::words(tiles), [=] CVL_DEVICE(Block & block, NonemptyBefore & shared, const Board& board) {
        work.expand(block, shared, Back{board, tiles, {0, 0}, {}});
      });
}

void expand_lengths(Executor& executor, const MakeOffsets& op, const Reply& reply) {
  VC_CHECK(op.nonempty.data == nullptr || op.lengths.length <= std::numeric_limits<std::int32_t>::max());
  with_int(op.lengths.type, [&]<class I>() {
    expand_as(executor, ExpandLengths<I>{static_cast<const I*>(op.lengths.data), op.lengths.length,
                                         static_cast<std::uint64_t*>(op.result.data),
                                         static_cast<std::int32_t*>(op.nonempty.data), reply});
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
  std::uint32_t passed;   ///< probes of a search that are before what is searched for
  std::uint32_t is_over;  ///< 1 when a head behind the tile was found
  std::uint32_t words[TileHeads::kWords];
};

/// Computes head bits of segments from their offsets.
struct MakeHeads {
  /// Heads that a block looks at together: probes of a search, and heads of a tile.
  static constexpr std::int64_t kTogether = 256, kHeads = 2048;

  Segments segments;
  SegmentHeads* words;

  CVL_DEVICE std::int64_t heads() const {
    return segments.nonempty != nullptr ? std::int64_t{segments.nonempty[segments.segments]} : segments.segments;
  }
  /// The first element of the segment with the h-th head.
  CVL_DEVICE std::int64_t head(std::int64_t h) const {
    return segments.offsets[segments.nonempty != nullptr ? std::int64_t{segments.nonempty[h]} : h];
  }
  /// The number of heads before element e, by kTogether probes at a time: a binary search would wait for memory in each
  /// of its steps.
  CVL_DEVICE std::int64_t heads_before_element(const Block& block, std::int64_t e, HeadsInWork& work) const {
    std::int64_t low = 0, high = heads();
    while (low < high) {
      const std::int64_t first = low, end = high, step = (end - first + kTogether - 1) / kTogether;
      block.for_each(1, [&](std::int64_t) { work.passed = 0; });
      block.for_each(kTogether, [&](std::int64_t j) {
        const std::int64_t h = first + j * step;
        if (h < end && head(h) < e) atomic_max(&work.passed, static_cast<std::uint32_t>(j + 1));
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
    const std::int64_t count = (elements + 31) / 32, before_tile = heads_before_element(block, begin, work);
    block.for_each(count, [&](std::int64_t w) { work.words[w] = 0; });
    block.for_each(1, [&](std::int64_t) { work.is_over = 0; });
    bool is_over = false;
    for (std::int64_t h = before_tile; !is_over; h += kHeads) {
      block.for_each(kHeads, [&](std::int64_t j) {
        const std::int64_t e = h + j < all ? head(h + j) - begin : elements;
        if (e < elements)
          atomic_or(&work.words[e / 32], std::uint32_t{1} << (e % 32));
        else
          store_racing(&work.is_over, 1u);
      });
      is_over = work.is_over != 0;
      block.sync();
    }
    block.for_each(count, [&](std::int64_t w) {
      auto before = static_cast<std::uint32_t>(before_tile);
      for (std::int64_t v = 0; v < w; ++v) before += static_cast<std::uint32_t>(count_bits(work.words[v]));
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
  expand_lengths(executor, op, executor.next_reply());
  Summary all{};
  const Transfer reply{&all, nullptr, sizeof all};
  executor.await_reply(&reply, 1);
  if ((all.sum & AddLengths::kBad) != 0) {
    report_bad_length(context, lengths);
    return {};
  }
  LengthsSummary summary{static_cast<std::int64_t>(all.sum)};
  if ((all.marks & AddMarks::kDiffers) == 0) summary.regular_length = summary.total / lengths.length;
  // The count is exact up to 2^31 segments.
  summary.has_empty = lengths.length > std::numeric_limits<std::int32_t>::max() ||
                      static_cast<std::int64_t>(all.marks & AddMarks::kCount) < lengths.length;
  return summary;
}

void run(const Context& context, const MakeOffsets& make_offsets) {
  expand_lengths(context.executor, make_offsets, {});
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

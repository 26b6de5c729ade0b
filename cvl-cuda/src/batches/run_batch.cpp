#include "batches/run_batch.h"

#include "batches/elementwise_step.h"
#include "batches/fold_step.h"
#include "operations/gathering.h"
#include "operations/lengths_summary.h"
#include "operations/rank_keys.h"
#include "operations/scatters/scattering.h"

// Every kind of step is compiled once, for elements of any type, and inlined into the kernel, since a call saves
// registers first.
#if defined(__CUDACC__)
#define CVL_INLINE __device__ __forceinline__
#else
#define CVL_INLINE inline
#endif

namespace cvl::cuda {
namespace {

/// Resident blocks per multiprocessor. A batch is one block, whose threads may use all registers: with fewer than 160
/// per thread, the kernel would spill.
constexpr int kBlocks = 1;

/// Shared memory of the steps of a batch, used by one step at a time.
union BatchShared {
  HeadsOfTile<kTileOf<std::uint32_t>> of_words;
  HeadsOfTile<kTileOf<std::uint64_t>> of_pairs;
  struct {
    Suspicion suspicion;
    std::uint32_t positions[kShort];  ///< for each target, a bit or the number of its last writer
  } scatter;
  struct {
    TileHeads heads;
    std::uint64_t words[kShort / 32];  ///< SegmentHeads, a type that a union cannot contain because it has constructors
    std::int64_t bases[kShort / kTile + 1];
  } bits;
  std::uint64_t keys[kRankedInLine];
  NonemptyBefore of_lengths;
};

/// Calls store(e, k, value(e, k)) for each element e of each segment k.
template <class R, class Value, class Store>
CVL_DEVICE void map_elements(const Block& block, const Segments& segments, TileHeads& heads, Value value, Store store) {
  for (std::int64_t t = 0; t < tiles_of(segments.elements); ++t) {
    const Block tile = block.numbered(t);
    const std::int64_t first = t * kTile;
    find_heads(tile, segments, heads);
    tile.template map<R>(
        count_in_tile(t, segments.elements),
        [&](int k) { return value(first + k, segment_of<Lookup::kHeads>(segments, heads, k)); },
        [&](int k, const R& result) { store(first + k, segment_of<Lookup::kHeads>(segments, heads, k), result); });
  }
}

using Bits = std::uint64_t;

CVL_DEVICE inline const bool* flags_of(const Step& step) { return static_cast<const bool*>(step.operands[2].data); }

CVL_DEVICE inline void run_gather(const Block& block, const Step& step, const Faults& faults, TileHeads& heads) {
  const Gathering<Bits, AnyVector, AnyInts, AnyResult, Starts::kAny> work{
      AnyVector(step, 0), AnyInts(step, 1), flags_of(step), AnyResult(step), step.other, faults};
  map_elements<Found<Bits>>(
      block, step.over, heads, [&](std::int64_t e, std::int64_t k) { return work.find(e, k); },
      [&](std::int64_t e, std::int64_t k, const Found<Bits>& found) { work.put(e, k, found); });
}

CVL_DEVICE inline void run_extract(const Block& block, const Step& step, const Faults& faults) {
  const Extracting<Bits, AnyVector, AnyInts, AnyResult, Starts::kAny> work{AnyVector(step, 0), AnyInts(step, 1),
                                                                           AnyResult(step), step.over, faults};
  block.template map<Found<Bits>>(
      static_cast<int>(step.length), [&](std::int64_t k) { return work.find(k); },
      [&](std::int64_t k, const Found<Bits>& found) { work.put(k, found); });
}

/// Copies `from` to the result, unless they have the same address.
CVL_DEVICE inline void copy_to_result(const Block& block, const Step& step, const AnyVector& from) {
  const AnyResult to(step);
  if (from.data() == step.to) return;
  block.template map<Bits>(
      static_cast<int>(step.length), [&](std::int64_t e) { return from[e]; },
      [&](std::int64_t e, Bits x) { to[e] = x; });
}

CVL_DEVICE inline void run_replace(const Block& block, const Step& step, const Faults& faults) {
  copy_to_result(block, step, AnyVector(step, 0));
  const Replacing<AnyVector, AnyInts, AnyResult, Starts::kAny> work{AnyInts(step, 1), AnyVector(step, 2),
                                                                    AnyResult(step), step.over, faults};
  block.for_each(step.over.segments, [&](std::int64_t k) { work.put(k); });
}

CVL_DEVICE inline Targets<AnyInts> targets_of(const Step& step) {
  return {AnyInts(step, 1), flags_of(step), step.over, step.other};
}

CVL_DEVICE inline void run_scatter_once(const Block& block, const Step& step, const Faults& faults,
                                        BatchShared& shared) {
  std::uint32_t* const written = shared.scatter.positions;
  const ScatterOnce<Bits, AnyVector, AnyInts, AnyResult> work{
      targets_of(step), AnyVector(step, 0), AnyResult(step), written, written, step.over.elements, step.length, faults};
  block.for_each(step.length, [&](std::int64_t k) { work.clear(k); });
  const auto segment = [&](std::int64_t e) { return step.over.of(e); };
  const std::uint64_t twice = block.template map_fold<Moved<Bits>>(
      static_cast<int>(step.over.elements), std::uint64_t{0},
      [&](std::int64_t e) { return work.template find<Starts::kAny>(e, segment(e)); },
      [&](std::int64_t e, const Moved<Bits>& moved) { return work.template put<Starts::kAny>(e, segment(e), moved); },
      Sum{});
  work.check(block, twice, shared.scatter.suspicion);
}

CVL_DEVICE inline void run_scatter_last(const Block& block, const Step& step, const Faults& faults,
                                        BatchShared& shared) {
  const ScatterLast<AnyInts, std::uint32_t> work{targets_of(step), shared.scatter.positions, faults};
  const AnyVector source(step, 0);
  const AnyResult to(step);
  block.for_each(step.length, [&](std::int64_t position) { work.last[position] = 0; });
  copy_to_result(block, step, AnyVector(step, 3));
  block.for_each(step.over.elements, [&](std::int64_t e) {
    const std::int64_t k = step.over.of(e);
    work.template claim<Starts::kAny>(e, k, work.targets.template of<Starts::kAny>(e, k));
  });
  block.for_each(step.over.elements, [&](std::int64_t e) {
    const std::int64_t position = work.won(e, work.targets.of(e));
    if (position >= 0) to[position] = source[e];
  });
}

CVL_DEVICE inline void run_dist(const Block& block, const Step& step, TileHeads& heads) {
  const AnyVector values(step, 0);
  const AnyResult to(step);
  map_elements<Bits>(
      block, step.over, heads, [&](std::int64_t, std::int64_t k) { return values[k]; },
      [&](std::int64_t e, std::int64_t, Bits x) { to[e] = x; });
}

/// Computes in 64 bits; the lower 32 bits are also right for 32-bit results.
CVL_DEVICE inline void run_index(const Block& block, const Step& step, TileHeads& heads) {
  const AnyVector firsts(step, 0), strides(step, 1);
  const AnyResult to(step);
  const Segments& segments = step.over;
  map_elements<Bits>(
      block, segments, heads,
      [&](std::int64_t e, std::int64_t k) {
        return firsts[k] + static_cast<Bits>(e - segments.start<Starts::kAny>(k)) * strides[k];
      },
      [&](std::int64_t e, std::int64_t, Bits x) { to[e] = x; });
}

CVL_DEVICE inline void run_slice(const Block& block, const Step& step, const Faults& faults, TileHeads& heads) {
  const Slicing<Bits, AnyVector, AnyInts, AnyResult, Starts::kAny> work{
      AnyVector(step, 0), step.other.elements, AnyInts(step, 1), AnyResult(step), step.over, faults};
  map_elements<Found<Bits>>(
      block, step.over, heads, [&](std::int64_t e, std::int64_t k) { return work.find(e, k); },
      [&](std::int64_t e, std::int64_t k, const Found<Bits>& found) { work.put(e, k, found); });
}

/// A descriptor of a part of a join: an operand that has the offsets of segments, or their common length.
CVL_DEVICE inline Segments part_segments(const Step& step, int operand, std::int64_t segments) {
  Segments part;
  part.segments = segments;
  part.offsets = static_cast<const std::int64_t*>(step.operands[operand].data);
  part.regular_length = part.offsets != nullptr ? -1 : static_cast<std::int64_t>(step.operands[operand].only);
  part.elements = part.start<Starts::kAny>(segments);
  return part;
}

template <class Work>
CVL_DEVICE void run_join(const Block& block, const Step& step, const Work& work,
                         const PartVectors<AnyVector, Work::kParts>& parts, const Faults& faults, TileHeads& heads) {
  const AnyResult to(step);
  block.for_each(step.over.segments, [&](std::int64_t k) { work.check(k, work.fits() ? work.length(k) : -1, faults); });
  map_elements<Bits>(
      block, step.over, heads, [&](std::int64_t e, std::int64_t k) { return joined_element<Bits>(work, parts, e, k); },
      [&](std::int64_t e, std::int64_t, Bits x) { to[e] = x; });
}

CVL_DEVICE inline void run_append(const Block& block, const Step& step, const Faults& faults, TileHeads& heads) {
  const std::int64_t segments = step.over.segments;
  const Appending work{{{step.other, part_segments(step, 3, segments), part_segments(step, 4, segments)}, step.over}};
  run_join(block, step, work, {{AnyVector(step, 0), AnyVector(step, 1), AnyVector(step, 2)}}, faults, heads);
}

/// Counts the head bits before each word. Each thread adds up all preceding words: there are few.
CVL_DEVICE inline void count_before(const Block& block, std::int64_t words, SegmentHeads* counted) {
  block.for_each(words, [&](std::int64_t w) {
    std::uint32_t before = 0;
    for (std::int64_t v = 0; v < w; ++v) before += static_cast<std::uint32_t>(count_bits(counted[v].bits));
    counted[w].before = before;
  });
}

CVL_DEVICE inline void run_merge(const Block& block, const Step& step, const Faults& faults, BatchShared& shared) {
  const bool* const flags = flags_of(step);
  const std::int64_t segments = step.over.segments, words = head_words(segments), tiles = tiles_of(segments);
  auto* const chosen = reinterpret_cast<SegmentHeads*>(shared.bits.words);
  std::int64_t* const bases = shared.bits.bases;
  block.for_each(words, [&](std::int64_t w) {
    const int count = count_in_tile(w, segments, 32);
    std::uint32_t bits = 0;
    for (int j = 0; j < count; ++j) bits |= static_cast<std::uint32_t>(flags[w * 32 + j]) << j;
    chosen[w].bits = bits;
  });
  count_before(block, words, chosen);
  block.for_each(tiles + 1, [&](std::int64_t t) {
    const SegmentHeads last = chosen[words - 1];
    bases[t] = t < tiles ? 0 : std::int64_t(last.before) + count_bits(last.bits);
  });
  const Merging work{{{step.other, part_segments(step, 3, segments - step.other.segments)}, step.over},
                     {chosen, bases}};
  run_join(block, step, work, {{AnyVector(step, 0), AnyVector(step, 1)}}, faults, shared.bits.heads);
}

CVL_DEVICE inline void run_offsets(Block& block, const Step& step, NonemptyBefore& shared) {
  const std::int64_t segments = step.length - 1;
  auto* const nonempty = static_cast<std::int32_t*>(const_cast<void*>(step.operands[1].data));
  auto* const summary = static_cast<Summary*>(const_cast<void*>(step.operands[2].data));
  const ExpandedLengths<AnyInts> work{AnyInts(step, 0), segments, static_cast<std::uint64_t*>(step.to), nonempty};
  Summary sum{0, 0};  // of the lengths before the tile; valid in the threads that call the lambda below
  for (std::int64_t t = 0; t < tiles_of(segments + 1, work.kLengths); ++t) {
    Block tile = block.numbered(t);
    work.expand(tile, shared, [&](const Summary& here) {
      const Summary before = sum;
      sum = AddSummaries{}(before, here);
      return before;
    });
    tile.sync();
  }
  if (!block.leads()) return;
  if (nonempty != nullptr) nonempty[segments] = sum.nonempty();
  if (summary != nullptr) *summary = sum;
}

CVL_DEVICE inline void run_heads(const Block& block, const Step& step) {
  const Segments& segments = step.over;
  const std::int64_t words = head_words(segments.elements);
  auto* const to = static_cast<SegmentHeads*>(step.to);
  block.for_each(words, [&](std::int64_t w) { to[w].bits = 0; });
  block.for_each(segments.segments, [&](std::int64_t k) {
    const std::int64_t e = segments.start<Starts::kOffsets>(k);
    if (segments.length<Starts::kOffsets>(k) > 0) atomic_or(&to[e / 32].bits, std::uint32_t{1} << (e % 32));
  });
  std::uint32_t sum = 0;  // heads before the tile; valid in the threads that call the lambda below
  for (std::int64_t t = 0; t < tiles_of(words); ++t) {
    Block tile = block.numbered(t);
    SegmentHeads* const first = to + t * kTile;
    const int count = count_in_tile(t, words);
    Items<std::uint32_t> before;
    tile.fill(before, [&](int k) { return k < count ? static_cast<std::uint32_t>(count_bits(first[k].bits)) : 0; });
    tile.template scan<false>(
        before, 0u, 0u, NoHeads{}, [](std::uint32_t a, std::uint32_t b) { return a + b; },
        [&](std::uint32_t all, bool) {
          const std::uint32_t before_tile = sum;
          sum += all;
          return before_tile;
        });
    tile.for_items(before, [&](int k, std::uint32_t heads) {
      if (k < count) first[k].before = heads;
    });
    tile.sync();
  }
}

template <class T>
CVL_DEVICE std::uint64_t key_of_bits(Bits bits, bool descending) {
  return key_of(from_bits<T>(bits), descending);
}
CVL_DEVICE inline std::uint64_t key_of_bits(ElemType type, Bits bits, bool descending) {
  switch (type) {
    case ElemType::kF32:
      return key_of_bits<float>(bits, descending);
    case ElemType::kF64:
      return key_of_bits<double>(bits, descending);
    case ElemType::kI64:
      return key_of_bits<std::int64_t>(bits, descending);
    default:
      return key_of_bits<std::int32_t>(bits, descending);
  }
}

/// Ranks by counting, for each element, the elements of its segment that precede it in order.
CVL_DEVICE inline void run_rank(const Block& block, const Step& step, BatchShared& shared) {
  const AnyVector a(step, 0);
  const AnyResult to(step);
  const Segments& segments = step.over;
  std::uint64_t* const keys = shared.keys;
  block.for_each(step.length, [&](std::int64_t e) { keys[e] = key_of_bits(step.type, a[e], step.descending); });
  block.for_each(step.length, [&](std::int64_t e) {
    const std::int64_t k = segments.of(e);
    const int begin = static_cast<int>(segments.start<Starts::kAny>(k)), here = static_cast<int>(e);
    const int end = begin + static_cast<int>(segments.length<Starts::kAny>(k));
    const std::uint64_t key = keys[here];
    std::uint32_t rank = 0;
    for (int f = begin; f < here; ++f) rank += keys[f] <= key ? 1 : 0;
    for (int f = here + 1; f < end; ++f) rank += keys[f] < key ? 1 : 0;
    to[e] = rank;
  });
}

CVL_INLINE void run_step(Block& block, const Step& step, const Faults& faults, BatchShared& shared) {
  switch (step.kind) {
    case StepKind::kElementwise:
      return run_elementwise(block, step, faults);
    case StepKind::kScan:
    case StepKind::kReduce:
      if (vcode::elem_size(step.type) == 8)
        return run_fold<std::uint64_t>(block, step, shared.of_pairs);
      else
        return run_fold<std::uint32_t>(block, step, shared.of_words);
    case StepKind::kGather:
      return run_gather(block, step, faults, shared.of_words);
    case StepKind::kExtract:
      return run_extract(block, step, faults);
    case StepKind::kReplace:
      return run_replace(block, step, faults);
    case StepKind::kScatterOnce:
      return run_scatter_once(block, step, faults, shared);
    case StepKind::kScatterLast:
      return run_scatter_last(block, step, faults, shared);
    case StepKind::kDist:
      return run_dist(block, step, shared.of_words);
    case StepKind::kIndex:
      return run_index(block, step, shared.of_words);
    case StepKind::kSlice:
      return run_slice(block, step, faults, shared.of_words);
    case StepKind::kAppend:
      return run_append(block, step, faults, shared.of_words);
    case StepKind::kMerge:
      return run_merge(block, step, faults, shared);
    case StepKind::kOffsets:
      return run_offsets(block, step, shared.of_lengths);
    case StepKind::kHeads:
      return run_heads(block, step);
    case StepKind::kRank:
      return run_rank(block, step, shared);
  }
}

struct RunBatch {
  Batch batch;

  CVL_INLINE void operator()(Block& block, BatchShared& shared) const {
    const Deliveries& deliveries = batch.deliveries;
    block.for_each(deliveries.parts(), [&](std::int64_t part) { deliveries.copy(static_cast<int>(part)); });
    for (std::int64_t k = 0; k < batch.count; ++k) {
      const Step& step = batch.step(k);
      run_step(block, step, Faults{batch.record, batch.known, step.site}, shared);
      block.sync();
    }
    if (!batch.replies) return;
    const Letters& letters = batch.rest.letters;
    block.for_each(letters.parts(), [&](std::int64_t part) { letters.copy(static_cast<int>(part)); });
    if (block.leads()) letters.reply.give();
  }
};

}  // namespace

void run_batch(Executor& executor, const Batch& batch) { executor.tiles<BatchShared, kBlocks>(1, RunBatch{batch}); }

}  // namespace cvl::cuda

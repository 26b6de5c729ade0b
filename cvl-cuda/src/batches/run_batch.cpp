#include "batches/run_batch.h"

#include "batches/compact_code.h"
#include "batches/elementwise_step.h"
#include "batches/fold_step.h"
#include "batches/placing_step.h"
#include "operations/lengths_summary.h"
#include "operations/rank_in_blocks.h"
#include "operations/scatters/scattering.h"

namespace cvl::cuda {
namespace {

/// Shared memory of the steps of a batch, used by one step at a time.
union BatchShared {
  struct {
    TileHeads heads;
    union {
      ItemStorage<std::uint32_t> words;
      ItemStorage<std::uint64_t> pairs;
      struct {
        std::uint64_t words[kShort / 32];  ///< SegmentHeads, which cannot be in a union because it has constructors
        std::int64_t bases[kShort / kTile + 1];
      } chosen;
    };
  } tile;
  struct {
    Suspicion suspicion;
    std::uint32_t positions[kShort];  ///< for each target, a bit or the number of its last writer
  } scatter;
  RankShared<std::uint64_t> rank;
  struct {
    NonemptyBefore nonempty;
    ItemStorage<std::uint64_t> sums, marks;
  } lengths;
  ItemStorage<std::uint32_t> counts;
};

/// Copies `from` to the result, unless they have the same address.
CVL_DEVICE inline void copy_to_result(const WideBlock& block, const Step& step, const AnyVector& from) {
  const AnyResult to(step);
  if (from.data() == step.to) return;
  block.template map<Bits>(
      static_cast<int>(step.length), [&](std::int64_t e) { return from[e]; },
      [&](std::int64_t e, Bits x) { to[e] = x; });
}

CVL_DEVICE inline void run_replace(const WideBlock& block, const Step& step, const Faults& faults) {
  copy_to_result(block, step, AnyVector(step, 0));
  const Replacing<AnyVector, AnyInts, AnyResult, Starts::kAny> work{AnyInts(step, 1), AnyVector(step, 2),
                                                                    AnyResult(step), step.over, faults};
  block.for_each(step.over.segments, [&](std::int64_t k) { work.put(k); });
}

CVL_DEVICE inline Targets<AnyInts> targets_of(const Step& step) {
  return {AnyInts(step, 1), flags_of(step), step.over, step.other};
}

CVL_DEVICE inline void run_scatter_once(const WideBlock& block, const Step& step, const Faults& faults,
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

CVL_DEVICE inline void run_scatter_last(const WideBlock& block, const Step& step, const Faults& faults,
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

/// Counts the head bits before each word. Each thread adds up all preceding words: there are few.
CVL_DEVICE inline void count_before(const WideBlock& block, std::int64_t words, SegmentHeads* counted) {
  block.for_each(words, [&](std::int64_t w) {
    std::uint32_t before = 0;
    CVL_ROLLED
    for (std::int64_t v = 0; v < w; ++v) before += static_cast<std::uint32_t>(count_bits(counted[v].bits));
    counted[w].before = before;
  });
}

/// Fills the positions of the flags of a merge, KeptPositions: those of the step, or else in shared memory.
CVL_DEVICE inline void find_chosen(const WideBlock& block, const Step& step, BatchShared& shared) {
  const bool is_result = step.kind == StepKind::kChosen;
  auto* const chosen = static_cast<SegmentHeads*>(is_result ? step.to : shared.tile.chosen.words);
  auto* const bases = is_result ? static_cast<std::int64_t*>(const_cast<void*>(step.operands[1].data))
                                : static_cast<std::int64_t*>(shared.tile.chosen.bases);
  const bool* const flags = flags_of(step);
  const std::int64_t segments = step.over.segments, words = head_words(segments), tiles = tiles_of(segments);
  block.for_each(words, [&](std::int64_t w) {
    const int count = count_in_tile(w, segments, 32);
    std::uint32_t bits = 0;
    CVL_ROLLED
    for (int j = 0; j < count; ++j) bits |= static_cast<std::uint32_t>(flags[w * 32 + j]) << j;
    chosen[w].bits = bits;
  });
  count_before(block, words, chosen);
  block.for_each(tiles + 1, [&](std::int64_t t) {
    const SegmentHeads last = chosen[words - 1];
    bases[t] = t < tiles ? 0 : std::int64_t(last.before) + count_bits(last.bits);
  });
}

CVL_DEVICE inline void run_offsets(WideBlock& block, const Step& step, BatchShared& shared) {
  const std::int64_t segments = step.length - 1;
  auto* const nonempty = static_cast<std::int32_t*>(const_cast<void*>(step.operands[1].data));
  auto* const summary = static_cast<Summary*>(const_cast<void*>(step.operands[2].data));
  const ExpandedLengths<AnyInts> work{AnyInts(step, 0), segments, static_cast<std::uint64_t*>(step.to), nonempty};
  Summary sum{0, 0};  // of the lengths before the tile; valid in the threads that call the lambda below
  for (std::int64_t t = 0; t < tiles_of(segments + 1, work.kLengths); ++t) {
    WideBlock tile = block.numbered(t);
    StoredItems<std::uint64_t> sums(shared.lengths.sums, kTileOf<std::uint64_t>);
    StoredItems<std::uint64_t> marks(shared.lengths.marks, kTileOf<std::uint64_t>);
    work.expand(tile, shared.lengths.nonempty, sums, marks, [&](const Summary& here) {
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

CVL_DEVICE inline void run_heads(const WideBlock& block, const Step& step, ItemStorage<std::uint32_t>& storage) {
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
    WideBlock tile = block.numbered(t);
    SegmentHeads* const first = to + t * kTile;
    const int count = count_in_tile(t, words);
    StoredItems<std::uint32_t> before(storage, count);
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

/// The keys of the elements of a step, whatever their type.
struct AnyKeys {
  const Step& step;
  AnyVector a;
  CVL_DEVICE std::uint64_t operator()(std::int64_t e) const { return key_of_bits(step.type, a[e], step.descending); }
};
struct AnyRanks {
  AnyResult to;
  CVL_DEVICE void put(std::int64_t e, int rank) const { to[e] = static_cast<std::uint64_t>(rank); }
};
CVL_DEVICE inline void run_rank(const WideBlock& block, const Step& step, BatchShared& shared) {
  const AnyKeys keys{step, AnyVector(step, 0)};
  const AnyRanks ranks{AnyResult(step)};
  BlockRanking<WideBlock, std::uint64_t, AnyKeys, AnyRanks>(block, shared.rank, step.over, keys, ranks)
      .rank(0, static_cast<int>(step.length));
}

/// A step that needs the segments of its elements: a scan, a reduction, or one that moves elements.
CVL_DEVICE inline void run_tiles(WideBlock& block, const Step& step, const Faults& faults, BatchShared& shared) {
  const Segments& segments = step.over;
  TileHeads& heads = shared.tile.heads;
  const Placing places{
      step, faults, {reinterpret_cast<const SegmentHeads*>(shared.tile.chosen.words), shared.tile.chosen.bases}};
  const bool is_fold = step.kind == StepKind::kScan || step.kind == StepKind::kReduce;
  const bool of_pairs = is_fold && vcode::elem_size(step.type) == 8;
  if (places.is_join()) block.for_each(segments.segments, [&](std::int64_t k) { places.check(k); });
  if (step.kind == StepKind::kReduce && segments.may_have_empty()) {
    const AnyResult to(step);
    store_to_empty(block, segments, 0, segments.segments, step.operands[2].only,
                   [&](std::int64_t k, std::uint64_t x) { to[k] = x; });
  }
  const int size = of_pairs ? kTileOf<std::uint64_t> : kTile;
  const std::int64_t elements = is_fold ? segments.elements : step.length;
  std::uint64_t sum = step.operands[1].only;  // for a fold: see run_fold_tile()
  for (std::int64_t t = 0; t < tiles_of(elements, size); ++t) {
    if (!places.is_by_segments()) find_heads(block, segments, heads, t * size, size / 32);
    if (of_pairs)
      run_fold_tile(block, step, t, heads, shared.tile.pairs, sum);
    else if (is_fold)
      run_fold_tile(block, step, t, heads, shared.tile.words, sum);
    else
      run_places_tile(block, places, t, heads);
    block.sync();
  }
}

/// Whether a step is of a kind that few batches have.
bool is_rare(const Step& step) {
  switch (step.kind) {
    case StepKind::kReplace:
    case StepKind::kScatterOnce:
    case StepKind::kScatterLast:
    case StepKind::kRank:
      return true;
    default:
      return step.is_function || rounds_to_int(step.type, step.result);
  }
}

CVL_CALLED void run_rare(WideBlock& block, const Step& step, const Faults& faults, BatchShared& shared) {
  switch (step.kind) {
    case StepKind::kReplace:
      return run_replace(block, step, faults);
    case StepKind::kScatterOnce:
      return run_scatter_once(block, step, faults, shared);
    case StepKind::kScatterLast:
      return run_scatter_last(block, step, faults, shared);
    default:
      return run_rank(block, step, shared);
  }
}

template <bool has_rare>
CVL_INLINE void run_step(WideBlock& block, const Step& step, const Faults& faults, BatchShared& shared) {
  switch (step.kind) {
    case StepKind::kElementwise:
      return run_elementwise<has_rare>(block, step, faults);
    case StepKind::kMerge:
    case StepKind::kChosen:
      find_chosen(block, step, shared);
      if (step.kind == StepKind::kChosen) return;
      [[fallthrough]];
    case StepKind::kScan:
    case StepKind::kReduce:
    case StepKind::kGather:
    case StepKind::kExtract:
    case StepKind::kDist:
    case StepKind::kIndex:
    case StepKind::kSlice:
    case StepKind::kAppend:
      return run_tiles(block, step, faults, shared);
    case StepKind::kOffsets:
      return run_offsets(block, step, shared);
    case StepKind::kHeads:
      return run_heads(block, step, shared.counts);
    default:
      if constexpr (has_rare) run_rare(block, step, faults, shared);
  }
}

template <bool has_rare>
struct RunBatch {
  Batch batch;

  CVL_INLINE void operator()(WideBlock& block, BatchShared& shared) const {
    const Deliveries& deliveries = batch.deliveries;
    block.for_each(deliveries.parts(), [&](std::int64_t part) { deliveries.copy(static_cast<int>(part)); });
    for (std::int64_t k = 0; k < batch.count; ++k) {
      const Step& step = batch.step(k);
      run_step<has_rare>(block, step, Faults{batch.record, batch.known, step.site}, shared);
      block.sync();
    }
    if (!batch.replies) return;
    const Letters& letters = batch.rest.letters;
    block.for_each(letters.parts(), [&](std::int64_t part) { letters.copy(static_cast<int>(part)); });
    if (block.leads()) letters.reply.give();
  }
};

}  // namespace

void run_batch(Executor& executor, const Batch& batch) {
  bool has_rare = false;
  for (std::int64_t k = 0; k < batch.count; ++k) has_rare = has_rare || is_rare(batch.step(k));
  has_rare ? executor.wide_block<BatchShared>(RunBatch<true>{batch})
           : executor.wide_block<BatchShared>(RunBatch<false>{batch});
}

}  // namespace cvl::cuda

#include <algorithm>

#include "cvl/dispatch.h"
#include "operations/bit_plan.h"
#include "operations/device_operations.h"
#include "operations/gathering.h"
#include "operations/per_segment.h"
#include "operations/tile_heads.h"

namespace cvl::cuda {
namespace {

template <Lookup lookup, Starts starts, class T, class I>
void slice_as(const Context& context, Operand a, Operand start, const Segments& segments, Result result) {
  const Slicing<T, const T*, PerSegment<I>, T*, starts> work{
      static_cast<const T*>(a.data), a.length, PerSegment<I>(start),
      static_cast<T*>(result.data),  segments, context.faults};
  map_segments<lookup, Found<T>>(
      context.executor, segments, [=] CVL_DEVICE(std::int64_t e, std::int64_t k) { return work.find(e, k); },
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k, const Found<T>& found) { work.put(e, k, found); });
}

/// Moves the elements of a join, and checks the lengths of its segments in the same launch.
template <Lookup lookup, class T, class Work, int n>
void join_as(const Context& context, const Join<n>& join, const Work& work, Result result) {
  PartVectors<const T*, n> parts;
  for (std::size_t p = 0; p < n; ++p) parts.of[p] = static_cast<const T*>(join.parts[p].a.data);
  T* const to = static_cast<T*>(result.data);
  const Faults faults = context.faults;
  const PartsOfTiles parts_of_tiles(work.to.elements);
  const std::int64_t segments = work.to.segments, blocks = std::max(parts_of_tiles.blocks(), tiles_of(segments)),
                     share = divide_up(segments, std::max<std::int64_t>(blocks, 1));
  context.executor.template tiles<TileHeads>(blocks, [=] CVL_DEVICE(Block & block, TileHeads & heads) {
    const std::int64_t first_segment = block.index() * share;
    const std::int64_t left = segments - first_segment, here = left < share ? left : share;
    block.for_each(here > 0 ? here : 0, [&](std::int64_t i) {
      const std::int64_t k = first_segment + i;
      work.check(k, work.fits() ? work.length(k) : -1, faults);
    });
    const PartsOfTiles::Part part = parts_of_tiles.of(block);
    if (part.count <= 0) return;
    const std::int64_t first = part.tile * kTile + part.begin;
    if constexpr (lookup != Lookup::kNone) find_heads(block.numbered(part.tile), work.to, heads);
    block.template map<T>(
        part.count,
        [&](int k) {
          return joined_element<T>(work, parts, first + k, segment_of<lookup>(work.to, heads, part.begin + k));
        },
        [&](int k, T x) { to[first + k] = x; });
  });
}

/// `work` becomes complete by the descriptors.
template <class Work, int n>
void join_segments(const Context& context, const Join<n>& join, Work work, Result result) {
  for (std::size_t p = 0; p < n; ++p) work.of[p] = Segments(join.parts[p].descriptor);
  work.to = Segments(join.to);
  with_size(result.type, [&]<class T>() {
    with_lookup(work.to, work.to, [&]<Lookup lookup, Starts>() { join_as<lookup, T>(context, join, work, result); });
  });
}

}  // namespace

void run(const Context& context, const Slice& slice) {
  const Segments segments(slice.descriptor);
  with_size(slice.result.type, [&]<class T>() {
    with_int(slice.start.type, [&]<class I>() {
      with_lookup(segments, segments, [&]<Lookup lookup, Starts starts>() {
        slice_as<lookup, starts, T, I>(context, slice.a, slice.start, segments, slice.result);
      });
    });
  });
}

void run(const Context& context, const Append& append) {
  join_segments(context, append.join, Appending{}, append.result);
}

void run(const Context& context, const Merge& merge) {
  if (merge.flags.length == 0) return;
  BitPlan plan(context.pool(), merge.flags.length);
  const Scratch<std::int64_t> count(context.pool(), 1);
  make_bit_plan(context, merge.flags, SegmentDescriptor::single(merge.flags.length), {ElemType::kI64, 1, count.data()},
                plan, {});
  merge_by(context, merge, plan.positions());
}

void merge_by(const Context& context, const Merge& merge, const KeptPositions& chosen) {
  join_segments(context, merge.join, Merging{{}, chosen}, merge.result);
}

}  // namespace cvl::cuda

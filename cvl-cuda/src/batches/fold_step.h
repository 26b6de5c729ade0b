#pragma once

#include <type_traits>

#include "batches/any_vector.h"
#include "cvl/dispatch.h"
#include "cvl/op_dispatch.h"
#include "operations/monoid.h"
#include "operations/tile_heads.h"
#include "vcode/arith.h"
#include "vcode/op_semantics.h"

namespace cvl::cuda {

/// CombineBy of a monoid and a type that are known only when the step runs, on bits. W has the size of the elements;
/// for truth values W is uint32_t, since the logical operations agree with those of the INTs 0 and 1. The code has no
/// branches: with branches, compilers copy the scan for each monoid, which doubles the registers.
template <class W>
struct CombineAny {
  using Int = std::conditional_t<sizeof(W) == 8, std::int64_t, std::int32_t>;
  using Float = std::conditional_t<sizeof(W) == 8, double, float>;

  Monoid monoid;
  bool of_floats;

  VC_HD W operator()(W before, W behind) const {
    W r = before;
#define VC_MONOID(Name, ...) r = select(monoid == Monoid::k##Name, combine<vcode::monoids::Name>(before, behind), r);
#include "vcode/ops.def"
    return r;
  }

 private:
  VC_HD static W select(bool flag, W x, W y) { return flag ? x : y; }
  template <class M>
  VC_HD W combine(W before, W behind) const {
    const W x = combine_as<M, Int>(before, behind);
    if constexpr (monoid_takes(M::kMonoid, vcode::kElemTypeOf<Float>)) {
      const W y = combine_as<M, Float>(before, behind);
      return select(of_floats, y, x);
    }
    return x;
  }
  template <class M, class T>
  VC_HD static W combine_as(W before, W behind) {
    return static_cast<W>(to_bits(CombineBy<M, T>()(from_bits<T>(before), from_bits<T>(behind))));
  }
};

/// A scan or a reduction, one tile after the other. Both use the same exclusive scan, because its code is long: a
/// reduction combines the scan's value at the last element of a segment with that element.
template <class W, class Heads>
CVL_DEVICE void run_fold(Block& block, const Step& step, Heads& heads) {
  const bool is_scan = step.kind == StepKind::kScan, is_bool = step.type == ElemType::kB8;
  const Segments& segments = step.over;
  const void* const from = step.operands[0].data;
  const AnyVector elements(step, 0);
  const AnyResult to(step);
  const W identity = static_cast<W>(step.operands[1].only), empty_value = static_cast<W>(step.operands[2].only);
  const CombineAny<W> combine{step.monoid, step.type == ElemType::kF32 || step.type == ElemType::kF64};
  const auto part = [&](W x) {
    return combine.of_floats ? combine(identity, x) : x;
  };  // for the reason given at PartOf
  if (!is_scan && segments.may_have_empty())
    store_to_empty(block, segments, 0, segments.segments, empty_value, [&](std::int64_t k, W x) { to[k] = x; });
  W sum = identity;  // since the last head before the tile; valid in the threads that call the lambda below
  for (std::int64_t t = 0; t < tiles_of(segments.elements, kTileOf<W>); ++t) {
    Block tile = block.numbered(t);
    const std::int64_t begin = t * kTileOf<W>;
    const int count = count_in_tile(t, segments.elements, kTileOf<W>);
    find_heads(tile, segments, heads);
    Items<W> items;
    if (is_bool)
      tile.load(items, static_cast<const std::uint8_t*>(from) + begin, count, identity, part);
    else
      tile.load(items, static_cast<const W*>(from) + begin, count, identity, part);
    tile.template scan<false>(items, identity, is_scan ? empty_value : identity, heads, combine,
                              [&](W total, bool has_head) {
                                const W before = sum;
                                sum = has_head ? total : combine(sum, total);
                                return before;
                              });
    if (!is_scan)
      for_ends(tile, items, heads, [&](int k, int head, W before) {
        to[segment_with<Lookup::kHeads>(segments, heads, k, head)] =
            combine(before, part(static_cast<W>(elements[begin + k])));
      });
    else if (is_bool)
      tile.for_items(items, [&](int k, W item) {
        if (k < count) to[begin + k] = item;
      });
    else
      tile.store(items, static_cast<W*>(step.to) + begin, count);
    tile.sync();
  }
}

}  // namespace cvl::cuda

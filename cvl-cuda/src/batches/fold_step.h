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
/// for truth values W is uint32_t, since the logical operations agree with those of the INTs 0 and 1. Other monoids
/// than sums are computed all, without branches: with branches, compilers copy the scan for each monoid, which doubles
/// the registers.
template <class W>
struct CombineAny {
  using Int = std::conditional_t<sizeof(W) == 8, std::int64_t, std::int32_t>;
  using Float = std::conditional_t<sizeof(W) == 8, double, float>;

  Monoid monoid;
  bool of_floats;

  VC_HD W operator()(W before, W behind) const {
    // Sums are most common, and take a tenth of the instructions of all monoids. That the branch is the same in all
    // calls is hidden from compilers, which would compile a loop for sums and one for the others.
    auto number = static_cast<int>(monoid);
    asm volatile("" : "+r"(number));
    if (number == static_cast<int>(Monoid::kSum)) return combine<vcode::monoids::Sum>(before, behind);
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

/// Tile t of a scan or a reduction, whose heads are known. Both use the same exclusive scan, because its code is long:
/// a reduction combines the scan's value at the last element of a segment with that element. `sum` combines the
/// elements since the last head before the tile; it is valid in the threads that call `before` of the scan.
template <class W, class Heads>
CVL_DEVICE void run_fold_tile(WideBlock& block, const Step& step, std::int64_t t, const Heads& heads,
                              ItemStorage<W>& storage, std::uint64_t& sum) {
  const bool is_scan = step.kind == StepKind::kScan;
  const Segments& segments = step.over;
  const void* const from = step.operands[0].data;
  const AnyVector elements(step, 0);
  const AnyResult to(step);
  const W identity = static_cast<W>(step.operands[1].only), empty_value = static_cast<W>(step.operands[2].only);
  const CombineAny<W> combine{step.monoid, step.type == ElemType::kF32 || step.type == ElemType::kF64};
  const auto part = [&](W x) { return combine(identity, x); };  // for the reason given at PartOf
  const std::int64_t begin = t * kTileOf<W>;
  const int count = count_in_tile(t, segments.elements, kTileOf<W>);
  StoredItems<W> items(storage, count);
  const auto load = [&](const auto* first) {
    block.fill(items, [=](int k) { return k < count ? static_cast<W>(first[k]) : identity; });
  };
  if (sizeof(W) == 4 && step.type == ElemType::kB8)
    load(static_cast<const std::uint8_t*>(from) + begin);
  else
    load(static_cast<const W*>(from) + begin);
  if (combine.of_floats) block.derive(items, items, [&](int, W x) { return part(x); });
  block.template scan<false>(items, identity, is_scan ? empty_value : identity, heads, combine,
                             [&](W total, bool has_head) {
                               const W before = static_cast<W>(sum);
                               sum = has_head ? total : combine(before, total);
                               return before;
                             });
  block.for_items(items, [&](int k, W item) {
    if (k >= count) return;
    if (is_scan) {
      to[begin + k] = item;
    } else if (heads.ends(k, 1) != 0) {
      const W last = static_cast<W>(elements[begin + k]);
      to[segment_with<Lookup::kHeads>(segments, heads, k, heads.count_to(k) - 1)] =
          combine(item, combine.of_floats ? part(last) : last);
    }
  });
}

}  // namespace cvl::cuda

#include "cvl/dispatch.h"
#include "operations/device_operations.h"
#include "operations/device_segments.h"
#include "operations/monoid.h"
#include "operations/tiled.h"
#include "vcode/check.h"

namespace cvl::cuda {
namespace {

/// The place of each tile's first kept element in the result.
class TilePlan final : public PackPlan {
 public:
  TilePlan(Pool& pool, std::int64_t tiles) : bases(pool, tiles + 1) {}
  Scratch<std::int64_t> bases;  ///< number of kept elements before each tile; then that of all
};

using Add = CombineBy<vcode::monoids::Sum, std::int64_t>;

struct LoadFlag {
  const bool* flags;
  VC_HD std::int64_t operator()(std::int64_t e) const { return flags[e] ? 1 : 0; }
};

/// Counts of segments, as INT. A count of a part of a segment fits, since that of the whole does.
template <class I>
struct StoreCount {
  I* lengths;
  VC_HD void operator()(std::int64_t k, std::int64_t count) const { lengths[k] = static_cast<I>(count); }
};
template <class I>
struct LoadCount {
  const I* lengths;
  VC_HD std::int64_t operator()(std::int64_t k) const { return lengths[k]; }
};

/// Fills the bases of a plan.
void count_tiles(Executor& executor, std::int64_t n, LoadFlag flag, std::int64_t* bases) {
  const std::int64_t tiles = tiles_of(n);
  const bool has_one = tiles <= 1;
  executor.template folds<std::int64_t>(has_one ? 1 : tiles + 1, [=] CVL_DEVICE(Block & block) {
    const std::int64_t begin = block.index() * kTile, end = begin + kTile < n ? begin + kTile : n;
    const std::int64_t kept = block.fold(begin, end, std::int64_t{0}, flag, Add{});
    if (!block.leads()) return;
    bases[block.index()] = has_one ? 0 : kept;
    if (has_one) bases[tiles] = kept;
  });
  if (!has_one)
    scan_in_order(executor, tiles + 1, std::int64_t{0}, Add{}, LoadFrom<std::int64_t>{bases},
                  StoreTo<std::int64_t>{bases});
}

template <class I>
void count_segments(const Context& context, const bool* flags, const SegmentMap& map, const std::int64_t* kept,
                    Result lengths) {
  I* const counts = static_cast<I*>(lengths.data);
  if (map.is_single())
    return context.executor.for_each(1, [=] CVL_DEVICE(std::int64_t) { counts[0] = static_cast<I>(*kept); });
  fold_segments(context.executor, Segments(map), std::int64_t{0}, std::int64_t{0}, Add{}, LoadFlag{flags},
                LoadCount<I>{counts}, StoreCount<I>{counts});
}

template <class T>
void pack_as(const Context& context, const TilePlan& plan, Operand a, Operand flag_operand, Result result) {
  const std::int64_t n = a.length;
  const std::int64_t* const bases = plan.bases.data();
  const LoadFlag flag{static_cast<const bool*>(flag_operand.data)};
  const LoadFrom<T> source{static_cast<const T*>(a.data)};
  T* const to = static_cast<T*>(result.data);
  context.executor.template tiles<std::int32_t>(tiles_of(n), [=] CVL_DEVICE(Block & block) {
    const std::int64_t begin = block.index() * kTile, left = n - begin;
    const int count = left < kTile ? int(left) : kTile;
    Items<std::int32_t> places;
    block.load(places, begin, count, 0, [=](std::int64_t e) { return flag.flags[e] ? 1 : 0; });
    block.scan(places, 0, CombineBy<vcode::monoids::Sum, std::int32_t>{});
    T* const to_tile = to + bases[block.index()];
    block.store(places, begin, count, [=](std::int64_t e, std::int32_t place) {
      if (flag.flags[e]) to_tile[place] = source(e);
    });
  });
}

}  // namespace

std::unique_ptr<PackPlan> plan_pack(const Context& context, Operand flags, const SegmentMap& map, Result lengths) {
  Executor& executor = context.executor;
  const std::int64_t n = flags.length, tiles = tiles_of(n);
  const LoadFlag flag{static_cast<const bool*>(flags.data)};
  auto plan = std::make_unique<TilePlan>(context.pool(), tiles);
  std::int64_t* const bases = plan->bases.data();
  count_tiles(executor, n, flag, bases);
  with_int(lengths.type, [&]<class I>() { count_segments<I>(context, flag.flags, map, bases + tiles, lengths); });
  executor.download(&plan->kept, bases + tiles, sizeof plan->kept);
  return plan;
}

void pack(const Context& context, const PackPlan& plan, Operand a, Operand flags, Result result) {
  VC_CHECK(dynamic_cast<const TilePlan*>(&plan) != nullptr && result.length == plan.kept);
  with_size(a.type, [&]<class T>() { pack_as<T>(context, static_cast<const TilePlan&>(plan), a, flags, result); });
}

}  // namespace cvl::cuda

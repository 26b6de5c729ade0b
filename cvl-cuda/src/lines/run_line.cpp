#include "lines/run_line.h"

#include <utility>

#include "cvl/dispatch.h"
#include "operations/apply.h"
#include "operations/device_operations.h"
#include "operations/gathering.h"
#include "operations/load_store.h"
#include "operations/monoid.h"
#include "operations/tile_heads.h"

// Each kind of step for each type is a function of its own, so that the kernel has the registers of one of them, and
// the compiler less to do at a time.
#if defined(__CUDACC__)
#define CVL_STEP __device__ __noinline__
#else
#define CVL_STEP
#endif

namespace cvl::cuda {
namespace {

/// What the steps of a line share, one after the other.
union LineShared {
  HeadsOfTile<kTileOf<std::uint32_t>> of_words;
  HeadsOfTile<kTileOf<std::uint64_t>> of_pairs;

  template <class T>
  CVL_DEVICE auto& heads() {
    if constexpr (kTileOf<T> == kTileOf<std::uint64_t>)
      return of_pairs;
    else
      return of_words;
  }
};

/// f.operator()<T>() for the type, if it is one of those listed.
template <class... T, class F>
CVL_DEVICE void on_type(ElemType type, F f) {
  ((type == vcode::kElemTypeOf<T> ? f.template operator()<T>() : void()), ...);
}
/// f.operator()<T>() for an unsigned integer of the type's size.
template <class F>
CVL_DEVICE void on_size(ElemType type, F f) {
  if (type == ElemType::kB8)
    f.template operator()<std::uint8_t>();
  else if (type == ElemType::kI32 || type == ElemType::kF32)
    f.template operator()<std::uint32_t>();
  else
    f.template operator()<std::uint64_t>();
}

// ---- elementwise

struct Types {
  int arity;
  ElemType result, a, b, c;
};

/// The types that the operands and the result of an elementwise row may have, each once.
struct TypesOfRow {
  int count = 0;
  Types at[12] = {};

  constexpr void add(const Types& types) {
    for (int k = 0; k < count; ++k)
      if (at[k].result == types.result && at[k].c == types.c) return;
    at[count++] = types;
  }
};

template <class Row>
constexpr TypesOfRow types_of() {
  TypesOfRow types;
  for_each_storage<Row>([&]<int arity, ElemType r, ElemType a, ElemType b, ElemType c>() {
    types.add({arity, r, a, b, c});
  });
  return types;
}

template <class Row, int k>
CVL_STEP void run_elementwise_as(const Block& block, const Step& step, const Faults& faults) {
  using vcode::Storage;
  constexpr Types types = types_of<Row>().at[k];
  using R = Storage<types.result>;
  using A = PerSegment<Storage<types.a>>;
  using B = PerSegment<Storage<types.b>>;
  using C = PerSegment<Storage<types.c>>;
  using F = Apply<Row, types.arity, R, A, B, C>;
  const F apply{A(step.operands[0]), B(step.operands[1]), C(step.operands[2]), faults};
  R* const to = static_cast<R*>(step.to);
  const int n = static_cast<int>(step.length);
  if constexpr (Row::kCanFault)
    block.template map<Computed<R>>(n, Compute<F, R>{apply}, StoreComputed<F, R>{apply, to});
  else if constexpr (vcode::info(Row::kOp).is_inexact())
    // One after the other: functions such as SIN have memory of each thread, for each element at hand.
    block.for_each(n, [&](std::int64_t e) { to[e] = apply.eval(e); });
  else
    block.template map<R>(n, Evaluate<F, R>{apply}, StoreTo<R>{to});
}

template <class Row, int k>
CVL_DEVICE void run_row_if(const Block& block, const Step& step, const Faults& faults) {
  constexpr Types types = types_of<Row>().at[k];
  if (step.type == types.c && step.result == types.result) run_elementwise_as<Row, k>(block, step, faults);
}
template <class Row, int... k>
CVL_DEVICE void run_row(const Block& block, const Step& step, const Faults& faults, std::integer_sequence<int, k...>) {
  (run_row_if<Row, k>(block, step, faults), ...);
}
template <class Row>
CVL_DEVICE void run_row(const Block& block, const Step& step, const Faults& faults) {
  constexpr int kCount = types_of<Row>().count;
  run_row<Row>(block, step, faults, std::make_integer_sequence<int, kCount>{});
}

CVL_DEVICE void run_elementwise(const Block& block, const Step& step, const Faults& faults) {
  switch (step.op) {
#define VC_ELEMENTWISE(Name, ...) \
  case Op::k##Name:               \
    return run_row<vcode::ops::Name>(block, step, faults);
#include "vcode/ops.def"
    default:
      return;
  }
}

// ---- scans and reductions, tile after tile

/// Both are exclusive scans, and a reduction combines what comes before the last element of a segment with this one:
/// the code of a scan is long.
template <class M, class T>
CVL_STEP void run_fold_as(Block& block, const Step& step, LineShared& shared) {
  auto& heads = shared.heads<T>();
  const bool is_scan = step.kind == StepKind::kScan;
  const Segments& segments = step.over;
  const T* const from = static_cast<const T*>(step.operands[0].data);
  T* const to = static_cast<T*>(step.to);
  const T neutral = M::template neutral<T>(), identity = M::template identity<T>();
  const CombineBy<M, T> combine;
  const PartOf<M, T> part;
  if (!is_scan && segments.may_have_empty())
    store_to_empty(block, segments, 0, segments.segments, identity, StoreTo<T>{to});
  T sum = neutral;  // since the last head before the tile; of the threads that are asked for it
  for (std::int64_t t = 0; t < tiles_of(segments.elements, kTileOf<T>); ++t) {
    Block tile = block.numbered(t);
    const std::int64_t begin = t * kTileOf<T>;
    const int count = count_in_tile(t, segments.elements, kTileOf<T>);
    find_heads(tile, segments, heads);
    Items<T> items;
    tile.load(items, from + begin, count, neutral, part);
    tile.template scan<false>(items, neutral, is_scan ? identity : neutral, heads, combine,
                              [&](T total, bool has_head) {
                                const T before = sum;
                                sum = has_head ? total : combine(sum, total);
                                return before;
                              });
    if (is_scan)
      tile.store(items, to + begin, count);
    else
      for_ends(tile, items, heads, [&](int k, int head, const T& before) {
        to[segment_with<Lookup::kHeads>(segments, heads, k, head)] = combine(before, part(from[begin + k]));
      });
    tile.sync();
  }
}

/// f.operator()<M, T>() for the step's monoid and type.
template <class F>
CVL_DEVICE void on_monoid(const Step& step, F f) {
  switch (step.monoid) {
#define VC_MONOID(Name, ...)                                                                    \
  case Monoid::k##Name:                                                                         \
    return on_type<bool, std::int32_t, std::int64_t, float, double>(step.type, [&]<class T>() { \
      if constexpr (monoid_takes(Monoid::k##Name, vcode::kElemTypeOf<T>))                       \
        f.template operator()<vcode::monoids::Name, T>();                                       \
    });
#include "vcode/ops.def"
  }
}

// ---- what moves elements

/// store(e, k, value(e, k)) for each element e of each segment k.
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

template <class T, class I>
CVL_STEP void run_gather_as(const Block& block, const Step& step, const Faults& faults, LineShared& shared) {
  const Gathering<T, I, Starts::kAny> work{static_cast<const T*>(step.operands[0].data),
                                           static_cast<const I*>(step.operands[1].data),
                                           static_cast<const bool*>(step.operands[2].data),
                                           static_cast<T*>(step.to),
                                           step.from,
                                           faults};
  map_elements<Found<T>>(
      block, step.over, shared.of_words, [&](std::int64_t e, std::int64_t k) { return work.find(e, k); },
      [&](std::int64_t e, std::int64_t k, const Found<T>& found) { work.put(e, k, found); });
}

template <class T, class I>
CVL_STEP void run_extract_as(const Block& block, const Step& step, const Faults& faults) {
  const Extracting<T, I, Starts::kAny> work{static_cast<const T*>(step.operands[0].data),
                                            PerSegment<I>(step.operands[1]), static_cast<T*>(step.to), step.over,
                                            faults};
  block.template map<Found<T>>(
      static_cast<int>(step.length), [&](std::int64_t k) { return work.find(k); },
      [&](std::int64_t k, const Found<T>& found) { work.put(k, found); });
}

template <class T>
CVL_STEP void run_dist_as(const Block& block, const Step& step, LineShared& shared) {
  const PerSegment<T> values(step.operands[0]);
  T* const to = static_cast<T*>(step.to);
  map_elements<T>(
      block, step.over, shared.of_words, [&](std::int64_t, std::int64_t k) { return values[k]; },
      [&](std::int64_t e, std::int64_t, T x) { to[e] = x; });
}

template <class I>
CVL_STEP void run_index_as(const Block& block, const Step& step, LineShared& shared) {
  const PerSegment<I> firsts(step.operands[0]), strides(step.operands[1]);
  I* const to = static_cast<I*>(step.to);
  const Segments& segments = step.over;
  map_elements<I>(
      block, segments, shared.of_words,
      [&](std::int64_t e, std::int64_t k) {
        const I steps = static_cast<I>(e - segments.start<Starts::kAny>(k));
        return vcode::wrap_add(firsts[k], vcode::wrap_mul(steps, strides[k]));
      },
      [&](std::int64_t e, std::int64_t, I x) { to[e] = x; });
}

// ---- the program

CVL_DEVICE void run_step(Block& block, const Step& step, const Faults& faults, LineShared& shared) {
  switch (step.kind) {
    case StepKind::kElementwise:
      return run_elementwise(block, step, faults);
    case StepKind::kScan:
    case StepKind::kReduce:
      return on_monoid(step, [&]<class M, class T>() { run_fold_as<M, T>(block, step, shared); });
    case StepKind::kGather:
      return on_size(step.type, [&]<class T>() {
        on_type<std::int32_t, std::int64_t>(step.index,
                                            [&]<class I>() { run_gather_as<T, I>(block, step, faults, shared); });
      });
    case StepKind::kExtract:
      return on_size(step.type, [&]<class T>() {
        on_type<std::int32_t, std::int64_t>(step.index, [&]<class I>() { run_extract_as<T, I>(block, step, faults); });
      });
    case StepKind::kDist:
      return on_size(step.type, [&]<class T>() { run_dist_as<T>(block, step, shared); });
    case StepKind::kIndex:
      return on_type<std::int32_t, std::int64_t>(step.type, [&]<class I>() { run_index_as<I>(block, step, shared); });
  }
}

struct RunLine {
  Line line;

  CVL_DEVICE void operator()(Block& block, LineShared& shared) const {
    for (std::int64_t k = 0; k < line.count; ++k) {
      run_step(block, line.steps[k], Faults{line.record, line.known, line.steps[k].site}, shared);
      block.sync();
    }
  }
};

}  // namespace

void run_line(Executor& executor, const Line& line) { executor.tiles<LineShared, 1>(1, RunLine{line}); }

}  // namespace cvl::cuda

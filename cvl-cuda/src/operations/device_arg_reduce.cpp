#include "base/atomics.h"
#include "cvl/dispatch.h"
#include "cvl/extreme.h"
#include "cvl/op_dispatch.h"
#include "operations/device_operations.h"
#include "operations/tile_heads.h"

namespace cvl::cuda {
namespace {

/// Lowers each result to the least index of an element that equals the extreme of its segment.
template <Lookup lookup, Starts starts, class T, class I>
void find_positions(const Context& context, Operand a, const T* extremes, const Segments& segments, Result result) {
  using W = std::make_unsigned_t<I>;
  const T* const from = static_cast<const T*>(a.data);
  W* const to = static_cast<W*>(result.data);
  map_segments<lookup, bool>(
      context.executor, segments, [=] CVL_DEVICE(std::int64_t e, std::int64_t k) { return from[e] == extremes[k]; },
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k, bool equal) {
        const W index = static_cast<W>(e - segments.start<starts>(k));
        if (equal && index < load_relaxed(to + k)) atomic_min(to + k, index);
      });
}

/// Sets the results for segments in which no element is found, and the initial values of the others.
template <class I>
void begin_search(const Context& context, const Segments& segments, Result result) {
  I* const to = static_cast<I*>(result.data);
  context.executor.for_each(segments.segments, [=] CVL_DEVICE(std::int64_t k) {
    const std::int64_t begin = segments.start<Starts::kAny>(k);
    to[k] = index_of_extreme<I>(-1, begin, begin + segments.length<Starts::kAny>(k));
  });
}

template <class T>
void arg_reduce_as(const Context& context, Monoid monoid, Operand a, const SegmentDescriptor& descriptor,
                   Result result) {
  const Scratch<T> extremes(context.pool(), descriptor.segments);
  run(context, Reduce{monoid, a, descriptor, {a.type, descriptor.segments, extremes.data()}});
  const Segments segments(descriptor);
  with_int(result.type, [&]<class I>() {
    begin_search<I>(context, segments, result);
    with_lookup(segments, segments, [&]<Lookup lookup, Starts starts>() {
      find_positions<lookup, starts, T, I>(context, a, extremes.data(), segments, result);
    });
  });
}

}  // namespace

void run(const Context& context, const ArgReduce& arg_reduce) {
  with_monoid(arg_reduce.monoid, arg_reduce.a.type, [&]<class M, class T>() {
    if constexpr (M::kSelects)
      arg_reduce_as<T>(context, arg_reduce.monoid, arg_reduce.a, arg_reduce.descriptor, arg_reduce.result);
  });
}

}  // namespace cvl::cuda

#include "cvl/dispatch.h"
#include "operations/device_operations.h"
#include "operations/gathering.h"
#include "operations/per_segment.h"
#include "operations/tile_heads.h"

namespace cvl::cuda {
namespace {

template <Lookup lookup, Starts starts, class T, class I>
void gather_as(const Context& context, const Gather& gather, const Segments& from, const Segments& over,
               Result result) {
  const bool* const flags = !gather.flags ? nullptr : static_cast<const bool*>(gather.flags->data);
  const Gathering<T, const T*, const I*, T*, starts> work{static_cast<const T*>(gather.source.data),
                                                          static_cast<const I*>(gather.indices.data),
                                                          flags,
                                                          static_cast<T*>(result.data),
                                                          from,
                                                          context.faults};
  map_segments<lookup, Found<T>>(
      context.executor, over, [=] CVL_DEVICE(std::int64_t e, std::int64_t k) { return work.find(e, k); },
      [=] CVL_DEVICE(std::int64_t e, std::int64_t k, const Found<T>& found) { work.put(e, k, found); });
}

template <Starts starts, class T, class I>
void extract_as(const Context& context, Operand a, Operand i, const Segments& segments, Result result) {
  const Extracting<T, const T*, PerSegment<I>, T*, starts> work{static_cast<const T*>(a.data), PerSegment<I>(i),
                                                                static_cast<T*>(result.data), segments, context.faults};
  context.executor.template map<Found<T>>(
      result.length, [=] CVL_DEVICE(std::int64_t k) { return work.find(k); },
      [=] CVL_DEVICE(std::int64_t k, const Found<T>& found) { work.put(k, found); });
}

}  // namespace

void run(const Context& context, const Gather& gather) {
  const Segments from(gather.from), over(gather.to);
  with_size(gather.result.type, [&]<class T>() {
    with_int(gather.indices.type, [&]<class I>() {
      with_lookup(over, from, [&]<Lookup lookup, Starts starts>() {
        gather_as<lookup, starts, T, I>(context, gather, from, over, gather.result);
      });
    });
  });
}

void run(const Context& context, const Extract& extract) {
  const Segments segments(extract.descriptor);
  with_size(extract.result.type, [&]<class T>() {
    with_int(extract.i.type, [&]<class I>() {
      with_starts(segments, [&]<Starts starts>() {
        extract_as<starts, T, I>(context, extract.a, extract.i, segments, extract.result);
      });
    });
  });
}

}  // namespace cvl::cuda

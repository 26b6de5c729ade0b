#include "operations/operations.h"

#include <cstring>

#include "base/check.h"
#include "operations/context.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {
void run(Context& context, const Gather& g) {
  GatherKernels::Gather* kernel =
      context.kernels.gather.gather[static_cast<int>(g.result.type)][static_cast<int>(g.indices.type)];
  const bool* flags = g.flags ? static_cast<const bool*>(g.flags->data) : nullptr;
  VC_CHECK(kernel != nullptr && g.from.segments == g.to.segments && g.result.length == g.to.elements);
  const Partition partition(g.to, kGatherChunkItems);
  context.faults.begin_operation();
  context.parallel.for_each(partition.chunks(), [&](std::int64_t p) {
    context.faults.check(kernel(g.source.data, g.indices.data, flags, g.from, g.to, partition.chunk(p), g.result.data));
  });
}

void run(Context& context, const Extract& extract) {
  GatherKernels::Extract* kernel =
      context.kernels.gather.extract[static_cast<int>(extract.a.type)][static_cast<int>(extract.i.type)];
  VC_CHECK(kernel != nullptr && extract.i.length == extract.descriptor.segments &&
           extract.result.length == extract.descriptor.segments);
  context.faults.begin_operation();
  context.parallel.for_ranges(extract.descriptor.segments, kExtractBlock, [&](std::int64_t begin, std::int64_t end) {
    context.faults.check(kernel(extract.a.data, extract.i.data, extract.descriptor, begin, end, extract.result.data));
  });
}

void run(Context& context, const Replace& replace) {
  GatherKernels::Replace* kernel =
      context.kernels.gather.replace[static_cast<int>(replace.a.type)][static_cast<int>(replace.i.type)];
  VC_CHECK(kernel != nullptr && replace.i.length == replace.descriptor.segments &&
           replace.v.length == replace.descriptor.segments && replace.result.length == replace.a.length);
  context.faults.begin_operation();
  if (replace.a.data != replace.result.data) {
    const auto bytes = replace.a.length * static_cast<std::int64_t>(elem_size(replace.a.type));
    context.parallel.for_ranges(bytes, kBytesBlock, [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(static_cast<char*>(replace.result.data) + begin, static_cast<const char*>(replace.a.data) + begin,
                  static_cast<std::size_t>(end - begin));
    });
  }
  context.parallel.for_ranges(replace.descriptor.segments, kExtractBlock, [&](std::int64_t begin, std::int64_t end) {
    context.faults.check(kernel(replace.result.data, replace.i.data, replace.v.data, replace.descriptor, begin, end));
  });
}

}  // namespace cvl::cpu

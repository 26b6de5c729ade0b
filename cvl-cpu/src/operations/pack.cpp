#include "operations/operations.h"

#include <vector>

#include "base/check.h"
#include "operations/context.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {
namespace {

/// The chunks of the flags, and where in the result the kept elements of each go.
class CpuPackPlan final : public PackPlan {
 public:
  struct Share {
    std::int64_t begin, end;  ///< elements
    std::int64_t at, kept;    ///< index of the first kept element in the result; number of kept elements
  };
  std::vector<Share> shares;
};

}  // namespace

void add_to(Result lengths, std::int64_t segment, std::int64_t more) {
  if (elem_size(lengths.type) == 8)
    static_cast<std::int64_t*>(lengths.data)[segment] += more;
  else
    static_cast<std::int32_t*>(lengths.data)[segment] += static_cast<std::int32_t>(more);
}

void set_length(Result lengths, std::int64_t segment, std::int64_t length) {
  if (elem_size(lengths.type) == 8)
    static_cast<std::int64_t*>(lengths.data)[segment] = length;
  else
    static_cast<std::int32_t*>(lengths.data)[segment] = static_cast<std::int32_t>(length);
}

std::unique_ptr<PackPlan> plan_pack(Context& context, Operand flags, const SegmentDescriptor& descriptor,
                                    Result lengths) {
  auto plan = std::make_unique<CpuPackPlan>();
  const Partition partition(descriptor, kPackChunkItems);
  const std::int64_t chunks = partition.chunks();
  std::vector<Chunk> chunk(static_cast<std::size_t>(chunks));
  std::vector<PackCount> count(static_cast<std::size_t>(chunks));
  PackKernels::Count& kernel = *context.kernels.pack.count[elem_size(lengths.type) == 8];
  context.parallel.for_each(chunks, [&](std::int64_t b) {
    const auto p = static_cast<std::size_t>(b);
    chunk[p] = partition.chunk(b);
    count[p] = kernel(static_cast<const bool*>(flags.data), descriptor, chunk[p], lengths.data);
  });
  plan->shares.resize(static_cast<std::size_t>(chunks));
  std::int64_t begun = 0;  // true flags of the open segment in earlier chunks
  for (std::size_t p = 0; p < plan->shares.size(); ++p) {
    plan->shares[p] = {chunk[p].element_begin, chunk[p].element_end, plan->kept, count[p].kept};
    plan->kept += count[p].kept;
    if (chunk[p].segment_begin < chunk[p].segment_end) {
      add_to(lengths, chunk[p].segment_begin, begun);
      begun = 0;
    }
    begun += count[p].tail;
  }
  return plan;
}

void run(Context& context, const Pack& pack) {
  VC_CHECK(dynamic_cast<const CpuPackPlan*>(&pack.plan) != nullptr && pack.result.length == pack.plan.kept);
  const auto& shares = static_cast<const CpuPackPlan&>(pack.plan).shares;
  const std::size_t size = elem_size(pack.a.type);
  PackKernels::Pack& kernel = *context.kernels.pack.pack[size == 1 ? 0 : size == 4 ? 1 : 2];
  context.parallel.for_each(static_cast<std::int64_t>(shares.size()), [&](std::int64_t p) {
    const CpuPackPlan::Share& share = shares[static_cast<std::size_t>(p)];
    kernel(pack.a.data, static_cast<const bool*>(pack.flags.data), share.begin, share.end, pack.result.data, share.at,
           share.kept);
  });
}

}  // namespace cvl::cpu

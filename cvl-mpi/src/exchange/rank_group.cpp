#include "exchange/rank_group.h"

#include <fmt/format.h>

#include "layout/rank_memory.h"

namespace cvl::mpi {

Scratch::Scratch(const RankGroup& group, std::size_t bytes)
    : inner_(&group.inner), bytes_(bytes), data_(bytes == 0 ? nullptr : group.inner.allocate(bytes)) {
  if (bytes > 0 && data_ == nullptr)
    group.messenger.fail(fmt::format("out of memory: there are no {} bytes for the exchange of an operation", bytes));
}

void discard_other_parts(const RankGroup& group, const HeldVector& vector) {
  const Range part = group.part(vector.length);
  for (const Range other : {Range{0, part.begin}, Range{part.end, vector.length}}) {
    std::byte* const data = vector.data + vector.element * static_cast<std::size_t>(other.begin);
    const std::size_t bytes = vector.element * static_cast<std::size_t>(other.size());
    if (group.staged != nullptr) group.staged->discard(data, bytes);
    RankMemory::discard(data, bytes);
  }
}

}  // namespace cvl::mpi

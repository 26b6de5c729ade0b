#include "exchange/rank_group.h"

#include <fmt/format.h>

namespace cvl::mpi {

Scratch::Scratch(const RankGroup& group, std::size_t bytes)
    : inner_(&group.inner), bytes_(bytes), data_(bytes == 0 ? nullptr : group.inner.allocate(bytes)) {
  if (bytes > 0 && data_ == nullptr)
    group.messenger.fail(fmt::format("out of memory: there are no {} bytes for the exchange of an operation", bytes));
}

}  // namespace cvl::mpi

#include <fmt/format.h>

#include "exchange/rank_group.h"

namespace cvl::mpi {

Scratch::Scratch(Backend& inner, std::size_t bytes)
    : inner_(&inner), bytes_(bytes), data_(bytes == 0 ? nullptr : inner.allocate(bytes)) {
  if (bytes > 0 && data_ == nullptr)
    throw BackendLost(fmt::format("out of memory: a rank has no {} bytes for the exchange of an operation", bytes));
}

}  // namespace cvl::mpi

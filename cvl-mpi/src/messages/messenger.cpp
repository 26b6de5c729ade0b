#include "messages/messenger.h"

#include "base/check.h"

namespace cvl::mpi {

void Messenger::exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) {
  VC_CHECK(std::ssize(outgoing) == ranks() && std::ssize(incoming) == ranks());
  ++counts_.rounds;
  for (int r = 0; r < ranks(); ++r) {
    const std::size_t bytes = outgoing[static_cast<std::size_t>(r)].bytes;
    if (r == rank() || bytes == 0) continue;
    ++counts_.messages;
    counts_.bytes += static_cast<std::int64_t>(bytes);
  }
  do_exchange(outgoing, incoming);
}

void Messenger::gather_to_all(const void* mine, std::span<const std::size_t> bytes, void* all) {
  VC_CHECK(std::ssize(bytes) == ranks());
  ++counts_.rounds;
  counts_.bytes += static_cast<std::int64_t>(bytes[static_cast<std::size_t>(rank())]) * (ranks() - 1);
  do_gather_to_all(mine, bytes, all);
}

void Messenger::reduce(std::span<std::int64_t> numbers, Reduction reduction) {
  ++counts_.rounds;
  counts_.bytes += static_cast<std::int64_t>(numbers.size_bytes()) * (ranks() > 1 ? 1 : 0);
  do_reduce(numbers, reduction);
}

void Messenger::broadcast(void* data, std::size_t bytes, int root) {
  ++counts_.rounds;
  if (rank() == root) counts_.bytes += static_cast<std::int64_t>(bytes) * (ranks() - 1);
  do_broadcast(data, bytes, root);
}

std::vector<std::int64_t> Messenger::exchange_counts(const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> received(counts.size());
  std::vector<Outgoing> outgoing(counts.size());
  std::vector<Incoming> incoming(counts.size());
  for (std::size_t r = 0; r < counts.size(); ++r) {
    outgoing[r] = {&counts[r], sizeof counts[r]};
    incoming[r] = {&received[r], sizeof received[r]};
  }
  exchange(outgoing, incoming);
  return received;
}

}  // namespace cvl::mpi

#include "messages/messenger.h"

#include <chrono>

#include "base/check.h"

namespace cvl::mpi {

MessageCounts& MessageCounts::operator+=(const MessageCounts& other) {
  rounds += other.rounds;
  collectives += other.collectives;
  messages += other.messages;
  bytes += other.bytes;
  seconds += other.seconds;
  return *this;
}

MessageCounts MessageCounts::operator-(const MessageCounts& earlier) const {
  return {rounds - earlier.rounds, collectives - earlier.collectives, messages - earlier.messages,
          bytes - earlier.bytes, seconds - earlier.seconds};
}

/// Counts a round and its time, from construction to destruction.
class Messenger::Round {
 public:
  Round(MessageCounts& counts, bool is_collective) : counts_(counts) {
    ++counts_.rounds;
    if (is_collective) ++counts_.collectives;
  }
  ~Round() { counts_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  Round(const Round&) = delete;
  Round& operator=(const Round&) = delete;

 private:
  MessageCounts& counts_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void Messenger::exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) {
  VC_CHECK(std::ssize(outgoing) % ranks() == 0 && outgoing.size() == incoming.size());
  const Round round(counts_, false);
  for (std::ptrdiff_t k = 0; k < std::ssize(outgoing); ++k) {
    const std::size_t bytes = outgoing[static_cast<std::size_t>(k)].bytes;
    if (k % ranks() == rank() || bytes == 0) continue;
    ++counts_.messages;
    counts_.bytes += static_cast<std::int64_t>(bytes);
  }
  do_exchange(outgoing, incoming);
}

void Messenger::gather_to_all(const void* mine, std::span<const std::size_t> bytes, void* all) {
  VC_CHECK(std::ssize(bytes) == ranks());
  const Round round(counts_, true);
  counts_.bytes += static_cast<std::int64_t>(bytes[static_cast<std::size_t>(rank())]) * (ranks() - 1);
  do_gather_to_all(mine, bytes, all);
}

void Messenger::reduce(std::span<std::int64_t> numbers, Reduction reduction) {
  const Round round(counts_, true);
  counts_.bytes += static_cast<std::int64_t>(numbers.size_bytes()) * (ranks() > 1 ? 1 : 0);
  do_reduce(numbers, reduction);
}

void Messenger::broadcast(void* data, std::size_t bytes, int root) {
  const Round round(counts_, true);
  if (rank() == root) counts_.bytes += static_cast<std::int64_t>(bytes) * (ranks() - 1);
  do_broadcast(data, bytes, root);
}

std::vector<std::int64_t> Messenger::exchange_counts(const std::vector<std::int64_t>& counts) {
  VC_CHECK(std::ssize(counts) % ranks() == 0);
  const Round round(counts_, true);
  counts_.bytes += static_cast<std::int64_t>(sizeof(std::int64_t)) * std::ssize(counts) / ranks() * (ranks() - 1);
  std::vector<std::int64_t> received(counts.size());
  do_exchange_counts(counts, received);
  return received;
}

}  // namespace cvl::mpi

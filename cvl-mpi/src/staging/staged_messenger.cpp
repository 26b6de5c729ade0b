#include "staging/staged_messenger.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace cvl::mpi {

namespace {

class StagedMessenger final : public Messenger {
 public:
  StagedMessenger(std::unique_ptr<Messenger> messenger, StagedBackend& memory)
      : messenger_(std::move(messenger)), memory_(memory) {}

  int rank() const override { return messenger_->rank(); }
  int ranks() const override { return messenger_->ranks(); }
  std::string description() const override { return messenger_->description(); }
  [[noreturn]] void fail(const std::string& message) const override {
    messenger_->fail(message);
    std::abort();  // it throws
  }

 protected:
  void do_exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override {
    for (const Outgoing& part : outgoing) memory_.before_reading(part.data, part.bytes);
    for (const Incoming& part : incoming) memory_.before_writing(part.data, part.bytes);
    messenger_->exchange(outgoing, incoming);
  }
  // Counts and numbers are the host's own.
  void do_exchange_counts(std::span<const std::int64_t> counts, std::span<std::int64_t> received) override {
    std::ranges::copy(messenger_->exchange_counts({counts.begin(), counts.end()}), received.begin());
  }
  void do_gather_to_all(const void* mine, std::span<const std::size_t> bytes, void* all) override {
    memory_.before_reading(mine, bytes[static_cast<std::size_t>(rank())]);
    memory_.before_writing(all, std::reduce(bytes.begin(), bytes.end()));
    messenger_->gather_to_all(mine, bytes, all);
  }
  void do_reduce(std::span<std::int64_t> numbers, Reduction reduction) override {
    messenger_->reduce(numbers, reduction);
  }
  void do_broadcast(void* data, std::size_t bytes, int root) override { messenger_->broadcast(data, bytes, root); }

 private:
  const std::unique_ptr<Messenger> messenger_;
  StagedBackend& memory_;
};

}  // namespace

std::unique_ptr<Messenger> make_staged_messenger(std::unique_ptr<Messenger> messenger, StagedBackend& memory) {
  return std::make_unique<StagedMessenger>(std::move(messenger), memory);
}

}  // namespace cvl::mpi

#include "messages/thread_ranks.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "cvl/backend.h"

namespace cvl::mpi {

namespace {

void copy(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0 && to != from) std::memcpy(to, from, bytes);
}

}  // namespace

class ThreadMessenger final : public Messenger {
 public:
  ThreadMessenger(ThreadRanks& team, int rank) : team_(team), rank_(rank) {}

  int rank() const override { return rank_; }
  int ranks() const override { return team_.ranks(); }
  std::string description() const override { return "threads of one process"; }
  [[noreturn]] void fail(const std::string& message) const override {
    team_.fail();
    throw BackendLost(message);
  }

 protected:
  void do_exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override {
    team_.meet(rank_, {ThreadRanks::Kind::kExchange, outgoing});
    const std::size_t all = team_.calls_.size();
    for (std::size_t k = 0; k < incoming.size(); ++k) {
      const std::span<const Outgoing> of_rank = team_.calls_[k % all].outgoing;
      require_same(of_rank.size(), incoming.size(), static_cast<int>(k % all));
      const Outgoing& from = of_rank[k - k % all + static_cast<std::size_t>(rank_)];
      require_same(from.bytes, incoming[k].bytes, static_cast<int>(k % all));
      copy(incoming[k].data, from.data, from.bytes);
    }
    team_.wait_for_all();
  }
  void do_exchange_counts(std::span<const std::int64_t> counts, std::span<std::int64_t> received) override {
    team_.meet(rank_, {ThreadRanks::Kind::kCounts, {}, counts.data(), counts.size()});
    const std::size_t numbers = counts.size() / team_.calls_.size();
    for (std::size_t r = 0; r < team_.calls_.size(); ++r) {
      require_same(team_.calls_[r].bytes, counts.size(), static_cast<int>(r));
      const auto* const from =
          static_cast<const std::int64_t*>(team_.calls_[r].data) + numbers * static_cast<std::size_t>(rank_);
      std::copy_n(from, numbers, received.begin() + static_cast<std::ptrdiff_t>(r * numbers));
    }
    team_.wait_for_all();
  }
  void do_gather_to_all(const void* mine, std::span<const std::size_t> bytes, void* all) override {
    team_.meet(rank_, {ThreadRanks::Kind::kGather, {}, mine, bytes[static_cast<std::size_t>(rank_)]});
    auto* to = static_cast<std::byte*>(all);
    for (std::size_t r = 0; r < bytes.size(); to += bytes[r++]) {
      require_same(team_.calls_[r].bytes, bytes[r], static_cast<int>(r));
      copy(to, team_.calls_[r].data, bytes[r]);
    }
    team_.wait_for_all();
  }
  void do_reduce(std::span<std::int64_t> numbers, Reduction reduction) override {
    team_.meet(rank_, {ThreadRanks::Kind::kReduce, {}, numbers.data(), numbers.size()});
    std::vector<std::int64_t> combined(numbers.begin(), numbers.end());
    for (int r = 0; r < ranks(); ++r) {
      const ThreadRanks::Call& call = team_.calls_[static_cast<std::size_t>(r)];
      require_same(call.bytes, numbers.size(), r);
      if (r == rank_) continue;
      const auto* others = static_cast<const std::int64_t*>(call.data);
      for (std::size_t k = 0; k < combined.size(); ++k)
        combined[k] = reduction == Reduction::kSum ? combined[k] + others[k] : std::max(combined[k], others[k]);
    }
    team_.wait_for_all();
    std::copy(combined.begin(), combined.end(), numbers.begin());
  }
  void do_broadcast(void* data, std::size_t bytes, int root) override {
    team_.meet(rank_, {ThreadRanks::Kind::kBroadcast, {}, data, bytes});
    const ThreadRanks::Call& call = team_.calls_[static_cast<std::size_t>(root)];
    require_same(call.bytes, bytes, root);
    copy(data, call.data, bytes);
    team_.wait_for_all();
  }

 private:
  void require_same(std::size_t theirs, std::size_t ours, int other) const {
    if (theirs == ours) return;
    team_.fail();
    throw std::logic_error(
        fmt::format("rank {} expects {} of rank {}, which has {}; the ranks do not run the same operations", rank_,
                    ours, other, theirs));
  }

  ThreadRanks& team_;
  const int rank_;
};

ThreadRanks::ThreadRanks(int ranks) : calls_(static_cast<std::size_t>(ranks)) {}

std::unique_ptr<Messenger> ThreadRanks::messenger(int rank) { return std::make_unique<ThreadMessenger>(*this, rank); }

void ThreadRanks::fail() {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  all_here_.notify_all();
}

void ThreadRanks::wait_for_all() {
  std::unique_lock lock(mutex_);
  const std::uint64_t round = round_;
  if (++waiting_ == ranks()) {
    waiting_ = 0;
    ++round_;
    all_here_.notify_all();
  } else {
    all_here_.wait(lock, [&] { return round_ != round || failed_; });
  }
  if (failed_) throw BackendLost("another rank has failed");
}

void ThreadRanks::lose(int rank, std::int64_t call) {
  losing_rank_ = rank;
  until_lost_ = call;
}

void ThreadRanks::meet(int rank, const Call& call) {
  if (rank == losing_rank_ && --until_lost_ == 0) {
    fail();
    throw BackendLost("messages between ranks are lost");
  }
  calls_[static_cast<std::size_t>(rank)] = call;
  wait_for_all();
  if (std::ranges::all_of(calls_, [&](const Call& other) { return other.kind == call.kind; })) return;
  fail();
  throw std::logic_error("the ranks do not run the same operations");
}

}  // namespace cvl::mpi

#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "cvl/rank_job.h"
#include "messages/messenger.h"
#include "mpi_backend.h"

namespace cvl::mpi {

/// A rank of a job, by its messenger and its backend.
class DividedJob : public RankJob {
 public:
  explicit DividedJob(std::unique_ptr<Messenger> messenger) : messenger_(std::move(messenger)) {}

  int rank() const override { return messenger_->rank(); }
  int ranks() const override { return messenger_->ranks(); }
  void broadcast(void* data, std::size_t bytes, int root) override { messenger_->broadcast(data, bytes, root); }
  std::vector<std::int64_t> gather(std::int64_t number) override { return messenger_->gather_to_all(number); }
  void gather(const void* mine, const std::vector<std::size_t>& bytes, void* all) override {
    backend_->gather_bytes(mine, bytes, all);
  }
  void exchange(const void* mine, const std::vector<std::size_t>& sent, void* to,
                const std::vector<std::size_t>& received) override {
    backend_->exchange_bytes(mine, sent, to, received);
  }
  bool is_divided(std::int64_t length) const override { return backend_->is_divided(length); }
  std::pair<std::int64_t, std::int64_t> part(std::int64_t length) const override {
    const Range range = backend_->part(length);
    return {range.begin, range.size()};
  }
  void join(const Result& vector, const void* mine, const std::vector<std::int64_t>& counts) override {
    backend_->join(vector, mine, counts);
  }
  const void* own_part(const Operand& vector) override { return backend_->own_part(vector); }
  Backend& own_backend() override { return backend_->own_backend(); }
  void compute_alone(const std::function<void()>& work) override { backend_->compute_alone(work); }
  std::shared_ptr<const void> fetch(const Operand& vector, const RankRanges& wants) override {
    return backend_->fetch(vector, wants);
  }
  std::vector<std::vector<std::int64_t>> gather_lists(const std::vector<std::int64_t>& mine) override {
    return backend_->gather_lists(mine);
  }

 protected:
  /// Takes the backend that make_backend() returns, which outlives its use here.
  void set_backend(DividedBackend& backend) { backend_ = &backend; }

 private:
  const std::unique_ptr<Messenger> messenger_;
  DividedBackend* backend_ = nullptr;
};

}  // namespace cvl::mpi

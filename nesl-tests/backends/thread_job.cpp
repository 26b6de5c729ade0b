#include "thread_job.h"

#include <exception>
#include <limits>
#include <string>
#include <thread>
#include <utility>

#include "cvl/loader.h"
#include "job/divided_job.h"
#include "rank_errors.h"

namespace cvl::conformance {

class ThreadJob::Rank final : public mpi::DividedJob {
 public:
  /// `memory`: limit of the wrapped backend; 0: none.
  Rank(std::unique_ptr<mpi::Messenger> messenger, mpi::ThreadRanks& team, std::int64_t block, std::size_t memory)
      : DividedJob(std::move(messenger)), team_(team), block_(block), memory_(memory) {}

  std::unique_ptr<Backend> make_backend(const std::string& inner, const std::vector<int>& /*devices*/,
                                        const BackendOptions& options, std::string& error) override {
    BackendOptions of_rank = options;
    if (of_rank.threads == 0) of_rank.threads = 1;
    of_rank.memory_limit = memory_;
    std::unique_ptr<Backend> backend = load_backend(inner, default_backend_directories(), of_rank, error);
    if (backend == nullptr) return nullptr;
    std::unique_ptr<Backend> host;
    of_rank.memory_limit = 0;
    if (!backend->unified_memory()) host = load_backend("cpu", default_backend_directories(), of_rank, error);
    if (!backend->unified_memory() && host == nullptr) return nullptr;
    const std::size_t limit =
        options.memory_limit != 0 ? options.memory_limit : std::numeric_limits<std::size_t>::max() / 4;
    std::unique_ptr<mpi::DividedBackend> divided =
        mpi::make_mpi_backend(std::move(backend), team_.messenger(rank()), {block_, limit}, std::move(host));
    set_backend(*divided);
    return divided;
  }
  void finish() override {}
  [[noreturn]] void fail(const std::string& message, int) override {
    team_.fail();
    throw BackendLost(message);
  }

 private:
  mpi::ThreadRanks& team_;
  const std::int64_t block_;
  const std::size_t memory_;
};

ThreadJob::ThreadJob(int ranks, std::int64_t block, std::size_t memory_of_last) : team_(ranks) {
  for (int r = 0; r < ranks; ++r)
    jobs_.push_back(std::make_unique<Rank>(team_.messenger(r), team_, block, r + 1 == ranks ? memory_of_last : 0));
}

ThreadJob::~ThreadJob() = default;

RankJob& ThreadJob::rank(int r) { return *jobs_[static_cast<std::size_t>(r)]; }

void ThreadJob::run(const std::function<void(int)>& work) {
  std::vector<std::exception_ptr> errors(jobs_.size());
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks(); ++r)
    threads.emplace_back([&, r] {
      try {
        work(r);
      } catch (...) {
        errors[static_cast<std::size_t>(r)] = std::current_exception();
        team_.fail();
      }
    });
  for (std::thread& thread : threads) thread.join();
  rethrow_error_of_ranks(errors);
}

}  // namespace cvl::conformance

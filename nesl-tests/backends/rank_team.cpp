#include "rank_team.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "messages/thread_ranks.h"
#include "mpi_backend.h"
#include "oracle_memory.h"
#include "rank_errors.h"

namespace cvl::conformance {

namespace {

/// A plan of each rank.
struct TeamPackPlan final : PackPlan {
  std::vector<std::unique_ptr<PackPlan>> of_rank;
};
struct TeamKernelPlan final : KernelPlan {
  bool is_faster(std::int64_t elements, bool single) override {
    for (const auto& plan : of_rank)
      if (plan->is_faster(elements, single) != of_rank[0]->is_faster(elements, single))
        misuse("ranks disagree whether to run a kernel");
    return of_rank[0]->is_faster(elements, single);
  }
  std::string native_code() const override { return of_rank[0]->native_code(); }
  std::vector<std::unique_ptr<KernelPlan>> of_rank;
};

class RankTeam final : public Backend {
 public:
  RankTeam(const std::function<std::unique_ptr<Backend>()>& make_inner,
           const std::function<std::unique_ptr<Backend>()>& make_host, std::size_t memory_limit,
           const RankTeamOptions& options)
      : ranks_(options.ranks), errors_(static_cast<std::size_t>(options.ranks)) {
    if (memory_limit == 0) memory_limit = std::numeric_limits<std::size_t>::max() / 2;
    for (int r = 0; r < options.ranks; ++r) {
      std::unique_ptr<Backend> inner = make_inner();
      std::unique_ptr<Backend> host = inner->unified_memory() ? nullptr : make_host();
      backends_.push_back(mpi::make_mpi_backend(std::move(inner), ranks_.messenger(r),
                                                {options.block, memory_limit, options.exchange_bytes},
                                                std::move(host)));
    }
    for (int r = 0; r < options.ranks; ++r) threads_.emplace_back([this, r] { serve(static_cast<std::size_t>(r)); });
  }
  ~RankTeam() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      changed_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
  }

  std::string description() const override { return backends_[0]->description(); }
  bool unified_memory() const override { return false; }

  void* allocate(std::size_t bytes) noexcept override {
    std::vector<std::byte*> addresses;
    for (auto& backend : backends_) addresses.push_back(static_cast<std::byte*>(backend->allocate(bytes)));
    for (const std::byte* address : addresses)
      if ((address == nullptr) != (addresses[0] == nullptr)) misuse("ranks disagree whether there is memory");
    if (addresses[0] == nullptr) return nullptr;
    blocks_[addresses[0]] = {bytes, addresses};
    return addresses[0];
  }
  void deallocate(void* data, std::size_t bytes) noexcept override {
    const auto block = blocks_.find(static_cast<std::byte*>(data));
    if (block == blocks_.end() || block->second.bytes != bytes) misuse("deallocate of memory that is not allocated");
    for (std::size_t r = 0; r < backends_.size(); ++r) backends_[r]->deallocate(block->second.addresses[r], bytes);
    blocks_.erase(block);
  }
  std::size_t shrink(void* data, std::size_t bytes, std::size_t wanted) noexcept override {
    Block& block = blocks_.find(static_cast<std::byte*>(data))->second;
    for (std::size_t r = 0; r < backends_.size(); ++r) {
      const std::size_t now = backends_[r]->shrink(block.addresses[r], bytes, wanted);
      if (r > 0 && now != block.bytes) misuse("ranks disagree about the size of shrunk memory");
      block.bytes = now;
    }
    return block.bytes;
  }
  MemoryUse memory_use() const override {
    const MemoryUse first = backends_[0]->memory_use();
    for (const auto& backend : backends_)
      if (backend->memory_use().live != first.live) misuse("ranks disagree about the memory in use");
    return first;
  }
  std::string traffic() const override {
    std::vector<std::string> tables(backends_.size());
    const_cast<RankTeam*>(this)->on_all([&](std::size_t r) { tables[r] = backends_[r]->traffic(); });
    for (const std::string& table : tables)
      if (table != tables[0]) misuse("ranks report different messages");
    return tables[0];
  }

  void upload(void* device, const void* host, std::size_t bytes) override {
    for (std::size_t r = 0; r < backends_.size(); ++r) backends_[r]->upload(on_rank(device, r), host, bytes);
  }
  void download(void* host, const void* device, std::size_t bytes) override {
    std::vector<std::vector<std::byte>> copies(backends_.size());
    on_all([&](std::size_t r) {
      copies[r].resize(bytes);
      backends_[r]->download(copies[r].data(), on_rank(device, r), bytes);
    });
    for (const auto& copy : copies)
      if (copy != copies[0]) misuse("ranks download different bytes");
    if (bytes > 0) std::memcpy(host, copies[0].data(), bytes);
  }

  void set_site(std::uint32_t site) override {
    for (auto& backend : backends_) backend->set_site(site);
  }
  bool has_fault() const override {
    for (const auto& backend : backends_)
      if (backend->has_fault() != backends_[0]->has_fault()) misuse("ranks disagree whether a fault is known");
    return backends_[0]->has_fault();
  }
  Fault take_fault() override {
    std::vector<Fault> faults(backends_.size());
    on_all([&](std::size_t r) { faults[r] = backends_[r]->take_fault(); });
    for (const Fault& fault : faults)
      if (fault.kind != faults[0].kind || fault.site != faults[0].site || fault.position != faults[0].position ||
          fault.value != faults[0].value || fault.bound != faults[0].bound)
        misuse("ranks report different faults");
    return faults[0];
  }

  void run(VectorOp op) override {
    // The plan of a PACK is another one on each rank.
    op.visit([&]<class T>(const T& original) {
      on_all([&](std::size_t r) {
        const auto here = [&](const auto& vector) { return on_rank(vector, r); };
        if constexpr (std::is_same_v<T, Pack>) {
          const auto& plan = static_cast<const TeamPackPlan&>(original.plan);
          backends_[r]->run(Pack{*plan.of_rank[r], here(original.a), here(original.flags), here(original.result)});
        } else {
          with_translated(original, here, [&](VectorOp translated) { backends_[r]->run(translated); });
        }
      });
    });
  }
  std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                      const Result& lengths) override {
    auto plan = std::make_unique<TeamPackPlan>();
    plan->of_rank.resize(backends_.size());
    on_all([&](std::size_t r) {
      plan->of_rank[r] = backends_[r]->plan_pack(on_rank(flags, r), on_rank(descriptor, r), on_rank(lengths, r));
    });
    for (const auto& of_rank : plan->of_rank) {
      if ((of_rank == nullptr) != (plan->of_rank[0] == nullptr)) misuse("ranks disagree about a fault before a pack");
      if (of_rank == nullptr) return nullptr;
      if (of_rank->kept != plan->of_rank[0]->kept) misuse("ranks disagree about the number of kept elements");
    }
    plan->kept = plan->of_rank[0]->kept;
    return plan;
  }
  std::unique_ptr<KernelPlan> plan_kernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts,
                                          vcode::Widths widths, std::string_view location) override {
    auto plan = std::make_unique<TeamKernelPlan>();
    for (auto& backend : backends_) plan->of_rank.push_back(backend->plan_kernel(kernel, facts, widths, location));
    return plan->of_rank[0] == nullptr ? nullptr : std::move(plan);
  }
  bool run_kernel(KernelPlan& plan, const KernelCall& call) override {
    const auto& plans = static_cast<TeamKernelPlan&>(plan).of_rank;
    std::vector<std::int64_t> ran(backends_.size());
    std::vector<std::vector<std::int64_t>> kept(backends_.size());
    on_all([&](std::size_t r) {
      const auto here = [&](const auto& vector) { return on_rank(vector, r); };
      std::vector<Operand> operands(call.operands.size());
      std::vector<SegmentDescriptor> descriptors(call.descriptors.size());
      std::vector<Result> results(call.results.size());
      std::ranges::transform(call.operands, operands.begin(), here);
      std::ranges::transform(call.descriptors, descriptors.begin(), here);
      std::ranges::transform(call.results, results.begin(), here);
      kept[r].assign(call.kept.begin(), call.kept.end());
      ran[r] = backends_[r]->run_kernel(*plans[r], {call.elements, operands, descriptors, results, kept[r]}) ? 1 : 0;
    });
    for (std::size_t r = 0; r < backends_.size(); ++r)
      if (ran[r] != ran[0] || kept[r] != kept[0]) misuse("ranks run a kernel differently");
    std::ranges::copy(kept[0], call.kept.begin());
    return ran[0] != 0;
  }
  LengthsSummary summarize_lengths(const MakeOffsets& op) override {
    std::vector<LengthsSummary> summaries(backends_.size());
    on_all([&](std::size_t r) {
      summaries[r] = backends_[r]->summarize_lengths({on_rank(op.lengths, r), on_rank(op.result, r), {}});
    });
    const LengthsSummary& first = summaries[0];
    for (const LengthsSummary& summary : summaries)
      if (summary.total != first.total || summary.regular_length != first.regular_length ||
          summary.has_empty != first.has_empty)
        misuse("ranks summarize lengths differently");
    return first;
  }

 private:
  struct Block {
    std::size_t bytes = 0;
    std::vector<std::byte*> addresses;  ///< on each rank
  };

  /// The address on a rank of memory with this address on rank 0. Null stays null.
  template <class T>
  T* on_rank(T* address, std::size_t rank) const {
    const auto* const bytes = reinterpret_cast<const std::byte*>(address);
    if (bytes == nullptr) return nullptr;
    const auto next = blocks_.upper_bound(const_cast<std::byte*>(bytes));
    if (next == blocks_.begin()) misuse("address that is not allocated");
    const auto& [first, block] = *std::prev(next);
    if (bytes > first + block.bytes) misuse("address that is not allocated");
    return reinterpret_cast<T*>(block.addresses[rank] + (bytes - first));
  }
  Operand on_rank(const Operand& o, std::size_t rank) const {
    return o.on_host ? o : Operand{o.type, o.length, on_rank(o.data, rank)};
  }
  Result on_rank(const Result& r, std::size_t rank) const { return {r.type, r.length, on_rank(r.data, rank)}; }
  SegmentDescriptor on_rank(SegmentDescriptor descriptor, std::size_t rank) const {
    descriptor.offsets = on_rank(descriptor.offsets, rank);
    return descriptor;
  }

  /// Calls work(r) on the thread of each rank r, and waits. Throws what a rank threw.
  void on_all(const std::function<void(std::size_t)>& work) {
    std::unique_lock lock(mutex_);
    work_ = &work;
    busy_ = backends_.size();
    ++round_;
    changed_.notify_all();
    done_.wait(lock, [&] { return busy_ == 0; });
    rethrow_error_of_ranks(std::exchange(errors_, std::vector<std::exception_ptr>(errors_.size())));
  }
  /// The thread of a rank.
  void serve(std::size_t rank) {
    std::uint64_t round = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ending_ || round_ != round; });
      if (ending_) return;
      round = round_;
      const std::function<void(std::size_t)>& work = *work_;
      lock.unlock();
      try {
        work(rank);
      } catch (...) {
        errors_[rank] = std::current_exception();
        ranks_.fail();
      }
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  mpi::ThreadRanks ranks_;
  std::vector<std::unique_ptr<Backend>> backends_;
  std::map<std::byte*, Block> blocks_;  ///< by the address on rank 0

  std::mutex mutex_;
  std::condition_variable changed_, done_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t busy_ = 0;
  std::uint64_t round_ = 0;
  bool ending_ = false;
  std::vector<std::exception_ptr> errors_;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Backend> make_rank_team(const std::function<std::unique_ptr<Backend>()>& make_inner,
                                        const std::function<std::unique_ptr<Backend>()>& make_host,
                                        std::size_t memory_limit, const RankTeamOptions& options) {
  return std::make_unique<RankTeam>(make_inner, make_host, memory_limit, options);
}

}  // namespace cvl::conformance

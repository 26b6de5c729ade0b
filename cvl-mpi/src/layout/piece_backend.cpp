#include "layout/piece_backend.h"

#include <utility>

namespace cvl::mpi {

namespace {

class PieceBackend final : public Backend {
 public:
  PieceBackend(Backend& inner, PieceMemory& memory) : inner_(inner), memory_(memory) {}
  PieceBackend(std::unique_ptr<Backend> worker, PieceMemory& memory)
      : worker_(std::move(worker)), inner_(*worker_), memory_(memory) {}

  std::string description() const override { return inner_.description(); }
  bool unified_memory() const override { return inner_.unified_memory(); }
  bool wants_segment_heads() const override { return inner_.wants_segment_heads(); }

  void* allocate(std::size_t bytes) noexcept override {
    if (!memory_.add(bytes)) return nullptr;
    void* const data = inner_.allocate(bytes);
    if (data == nullptr) memory_.remove(bytes);
    return data;
  }
  void deallocate(void* data, std::size_t bytes) noexcept override {
    inner_.deallocate(data, bytes);
    memory_.remove(bytes);
  }
  std::size_t shrink(void* data, std::size_t bytes, std::size_t wanted) noexcept override {
    const std::size_t now = inner_.shrink(data, bytes, wanted);
    memory_.remove(bytes - now);
    return now;
  }
  MemoryUse memory_use() const override { return memory_.use(); }
  void upload(void* device, const void* host, std::size_t bytes) override { inner_.upload(device, host, bytes); }
  void download(void* host, const void* device, std::size_t bytes) override { inner_.download(host, device, bytes); }
  bool would_wait(const void* device) const override { return inner_.would_wait(device); }

  void set_site(std::uint32_t site) override { inner_.set_site(site); }
  bool has_fault() const override { return inner_.has_fault(); }
  Fault take_fault() override { return inner_.take_fault(); }

  void run(VectorOp op) override { inner_.run(op); }
  std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                      const Result& lengths) override {
    return inner_.plan_pack(flags, descriptor, lengths);
  }
  std::unique_ptr<KernelPlan> plan_kernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts,
                                          vcode::Widths widths, std::string_view location) override {
    return inner_.plan_kernel(kernel, facts, widths, location);
  }
  bool run_kernel(KernelPlan& plan, const KernelCall& call) override { return inner_.run_kernel(plan, call); }

  int threads() const override { return inner_.threads(); }
  std::unique_ptr<Backend> make_worker() override {
    std::unique_ptr<Backend> worker = inner_.make_worker();
    return worker == nullptr ? nullptr : std::make_unique<PieceBackend>(std::move(worker), memory_);
  }
  std::unique_ptr<Tasks> make_tasks() override { return inner_.make_tasks(); }

  LengthsSummary summarize_lengths(const MakeOffsets& op) override { return inner_.summarize_lengths(op); }

 private:
  const std::unique_ptr<Backend> worker_;  ///< null in the backend of all threads
  Backend& inner_;
  PieceMemory& memory_;
};

}  // namespace

bool PieceMemory::add(std::size_t bytes) {
  std::size_t live = live_;
  do {
    if (bytes > limit_ || live > limit_ - bytes) return false;
  } while (!live_.compare_exchange_weak(live, live + bytes));
  std::size_t peak = peak_;
  while (live + bytes > peak && !peak_.compare_exchange_weak(peak, live + bytes)) continue;
  return true;
}

std::unique_ptr<Backend> make_piece_backend(Backend& inner, PieceMemory& memory) {
  return std::make_unique<PieceBackend>(inner, memory);
}

}  // namespace cvl::mpi

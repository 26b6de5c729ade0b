#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/address_space.h"
#include "base/memory_limit.h"
#include "cvl/compose.h"
#include "loops/cpu_kernel.h"
#include "operations/context.h"
#include "operations/operations.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {
namespace {

class CpuTasks final : public Tasks {
 public:
  explicit CpuTasks(ThreadPool& pool) : group_(pool) {}
  void start(std::function<void()> work) override { group_.start(std::move(work)); }
  void wait() override { group_.wait(); }

 private:
  ThreadPool::Group group_;
};

/// The multicore backend, or a worker's view of it. Operations run to their end before they return.
class CpuBackend final : public Backend {
 public:
  /// Parts that workers share with their backend.
  struct Shared {
    const Kernels& kernels;
    Native native;
    std::shared_ptr<MemoryAccount> memory;
    std::shared_ptr<NativeCompiler> compiler;
  };

  CpuBackend(Shared shared, int threads) : shared_(std::move(shared)), parallel_(threads), arena_(shared_.memory) {}

  bool usable() const { return arena_.usable(); }

  std::string description() const override {
    return fmt::format("cvl-cpu, {}, {} thread{}, {}", shared_.kernels.name, parallel_.threads(),
                       parallel_.threads() == 1 ? "" : "s", describe_native());
  }
  bool unified_memory() const override { return true; }

  void* allocate(std::size_t bytes) noexcept override { return arena_.allocate(bytes); }
  void deallocate(void* data, std::size_t bytes) noexcept override { arena_.deallocate(data, bytes); }
  std::size_t shrink(void* data, std::size_t bytes, std::size_t wanted) noexcept override {
    return arena_.shrink(data, bytes, wanted);
  }
  MemoryUse memory_use() const override { return arena_.use(); }
  // The addresses of empty vectors may be null, which memcpy does not allow.
  void upload(void* device, const void* host, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(device, host, bytes);
  }
  void download(void* host, const void* device, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(host, device, bytes);
  }

  void set_site(std::uint32_t site) override { faults_.set_site(site); }
  bool has_fault() const override { return faults_.any(); }
  Fault take_fault() override { return faults_.take(); }

  void run(VectorOp op) override {
    op.visit([this](const auto& description) {
      if constexpr (requires(Context & context) { cpu::run(context, description); })
        cpu::run(context_, description);
      else
        compose(*this, description);
    });
  }
  std::unique_ptr<PackPlan> plan_pack(const Operand& flags, const SegmentDescriptor& descriptor,
                                      const Result& lengths) override {
    return cpu::plan_pack(context_, flags, descriptor, lengths);
  }
  LengthsSummary summarize_lengths(const MakeOffsets& op) override { return cpu::summarize_lengths(context_, op); }
  std::unique_ptr<KernelPlan> plan_kernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts,
                                          vcode::Widths widths, std::string_view position) override {
    return std::make_unique<CpuKernel>(kernel, facts, widths, position,
                                       CpuKernel::Compilation{shared_.native, native_target(shared_.kernels.name),
                                                              shared_.compiler.get(), parallel_.threads()});
  }
  bool run_kernel(KernelPlan& plan, const KernelCall& call) override {
    static_cast<CpuKernel&>(plan).run(context_, call);
    return true;
  }
  std::string kernel_assembly(const KernelPlan& plan, std::string_view target) const override {
    const NativeTarget* const native = native_target(target.empty() ? shared_.kernels.name : target);
    return native != nullptr ? static_cast<const CpuKernel&>(plan).assembly(*native) : "";
  }
  int threads() const override { return parallel_.threads(); }
  std::unique_ptr<Backend> make_worker() override {
    auto lane = std::make_unique<CpuBackend>(shared_, 1);
    return lane->usable() ? std::move(lane) : nullptr;
  }
  std::unique_ptr<Tasks> make_tasks() override {
    return parallel_.threads() == 1 ? nullptr : std::make_unique<CpuTasks>(parallel_.pool());
  }

  KernelCacheUse kernel_cache_use() const override { return shared_.compiler->cache().use(); }
  void clear_kernel_cache() override { shared_.compiler->cache().clear(); }
  void leave_process() override { shared_.compiler->leave_process(); }

 private:
  std::string describe_native() const {
    if (shared_.native == Native::kOff) return "kernels not compiled";
    if (native_target(shared_.kernels.name) == nullptr) return "kernels are not compiled for this instruction set";
    const std::string version = NativeCompiler::version();
    return version.empty() ? "no compiler of kernels" : "kernels compiled by " + version;
  }

  const Shared shared_;
  Parallel parallel_;
  Arena arena_;
  FaultSink faults_;
  Context context_{shared_.kernels, parallel_, arena_, faults_};
};

/// Mode named by `word`; null, with a sentence in `error`, if the word names none or the mode is not available.
std::optional<Native> native_mode(const std::string& word, const Kernels& kernels, std::string& error) {
  if (word == "off") return Native::kOff;
  if (word.empty() || word == "hot") return Native::kHot;
  if (word != "always") {
    error = "kernels are compiled off, hot or always, not '" + word + "'";
    return {};
  }
  if (native_target(kernels.name) == nullptr)
    error = std::string("kernels are not compiled for the instruction set ") + kernels.name;
  else if (NativeCompiler::open(error))
    return Native::kAlways;
  return {};
}

Backend* create(const BackendOptions& options, std::string& error) {
  const Kernels* kernels = choose_kernels(options.simd, error);
  if (kernels == nullptr) return nullptr;
  const std::size_t limit = options.memory_limit != 0 ? options.memory_limit : default_memory_limit();
  const std::optional<Native> native = native_mode(options.native, *kernels, error);
  if (!native) return nullptr;
  const PerfMap* const symbols = options.native_symbols ? PerfMap::of_this_process(error) : nullptr;
  if (options.native_symbols && symbols == nullptr) return nullptr;
  auto backend = std::make_unique<CpuBackend>(
      CpuBackend::Shared{*kernels, *native, std::make_shared<MemoryAccount>(limit),
                         std::make_shared<NativeCompiler>(ObjectCache(options.kernel_cache), symbols)},
      options.threads);
  if (!backend->usable()) {
    error = "cannot allocate address space for vectors (" + base::memory_advice() + ")";
    return nullptr;
  }
  return backend.release();
}

}  // namespace
}  // namespace cvl::cpu

extern "C" __attribute__((visibility("default"))) int cvl_backend_abi() { return cvl::kBackendAbi; }

extern "C" __attribute__((visibility("default"))) int cvl_backend_preference() { return cvl::kPreferHost; }

extern "C" __attribute__((visibility("default"))) cvl::Backend* cvl_create_backend(const cvl::BackendOptions& options,
                                                                                   std::string& error) {
  return cvl::cpu::create(options, error);
}

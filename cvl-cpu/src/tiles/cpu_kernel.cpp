#include "tiles/cpu_kernel.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "base/tuning.h"
#include "tiles/tile_run.h"

namespace cvl::cpu {

using vcode::KernelVar;

namespace {

/// Inputs and outputs of a region that is run by one call: addresses on the stack.
constexpr std::size_t kMostVectorsAtOnce = 64;

/// A name for the functions of one kernel that no other kernel of the process has.
std::string fresh_name() {
  static std::atomic<std::uint64_t> last = 0;
  return fmt::format("k{}", ++last);
}

std::string region_name(const std::string& kernel, std::size_t region) { return fmt::format("{}_{}", kernel, region); }
std::string flat_name(const std::string& region) { return region + "_flat"; }

std::string assembly_of(const TilePlan& plan, const std::string& name, const NativeTarget& target) {
  std::vector<ElemType> types(plan.values.size());
  std::transform(plan.values.begin(), plan.values.end(), types.begin(), [](const auto& value) { return value.type; });
  NativeModule module(target);
  for (std::size_t r = 0; r < plan.regions.size(); ++r) {
    const Region& region = plan.regions[r].region;
    const std::string function = region_name(name, r);
    module.add(function, plan.kernel, region, types, false);
    if (region.has_spread()) module.add(flat_name(function), plan.kernel, region, types, true);
  }
  return module.text();
}

}  // namespace

CpuKernel::CpuKernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths,
                     const Compilation& compilation)
    : facts_(facts), widths_(widths), compilation_(compilation), tiles_(kernel, facts, widths) {
  if (compilation.target == nullptr || !is_worth_compiling()) compilation_.when = Native::kOff;
  if (compilation_.when == Native::kAlways) compile();
}

CpuKernel::~CpuKernel() {
  if (submitted_) compilation_.compiler->withdraw(this);
}

/// A single chain that ends in sums of floats stays with the tile engine, which adds them up without tiles.
bool CpuKernel::is_worth_compiling() const {
  if (tiles_.tile != tiles_.flat_tile && tiles_.associates_floats()) return false;
  return std::any_of(tiles_.steps.begin(), tiles_.steps.end(),
                     [](const auto& step) { return step.producer == vcode::Producer::kMap; });
}

std::string CpuKernel::assembly() const {
  if (compilation_.target == nullptr || !is_worth_compiling()) return "";
  return assembly_of(TilePlan(tiles_.kernel, facts_, widths_, &tiles_), tiles_.kernel.name, *compilation_.target);
}

void CpuKernel::compile() {
  auto plan = std::make_unique<TilePlan>(tiles_.kernel, facts_, widths_, &tiles_);
  const std::string name = fresh_name();
  std::unique_ptr<NativeCode> code = NativeCompiler::compile(assembly_of(*plan, name, *compilation_.target));
  for (std::size_t r = 0; r < plan->regions.size(); ++r) {
    TilePlan::PlannedRegion& region = plan->regions[r];
    region.code = code->function(region_name(name, r));
    if (region.region.has_spread()) region.flat_code = code->function(flat_name(region_name(name, r)));
  }
  only_region_ = plan->only_region();
  native_ = std::move(plan);
  code_ = std::move(code);
  ready_.store(true, std::memory_order_release);
}

/// Runs a kernel that is one region over a single segment by one call. False if it is not, or too long for one thread.
bool CpuKernel::run_at_once(Context& context, const KernelCall& call) const {
  const TilePlan::PlannedRegion* region = only_region_;
  if (region == nullptr || call.elements > kPieceItems) return false;
  for (const KernelVar cut : native_->cuts)
    if (!call.maps[cut].is_single()) return false;
  std::array<const void*, kMostVectorsAtOnce> vectors;
  if (native_->most_vectors > vectors.size()) return false;
  std::size_t n = 0;
  for (const Region::Input& input : region->region.inputs)
    vectors[n++] = call.operands[input.spread ? input.segments : input.value].data;
  for (const KernelVar v : region->region.outputs) vectors[n++] = call.results[v].data;
  context.faults.begin_operation();
  RegionFunction* const code = region->flat_code != nullptr ? region->flat_code : region->code;
  if (code(vectors.data(), 0, call.elements)) context.faults.report(FaultKind::kDivideByZero, 0, 0);
  return true;
}

void CpuKernel::run(Context& context, const KernelCall& call) {
  if (ready_.load(std::memory_order_acquire)) {
    if (!run_at_once(context, call)) run_tiles(context, *native_, call);
    return;
  }
  if (compilation_.when != Native::kHot || submitted_) return run_tiles(context, tiles_, call);
  const auto begin = std::chrono::steady_clock::now();
  run_tiles(context, tiles_, call);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (seconds_ < kSecondsUntilHot) return;
  submitted_ = true;
  // A kernel that cannot be compiled, or for which no thread can be started, stays with the tile engine.
  try {
    compilation_.compiler->submit(this, [this] {
      try {
        compile();
      } catch (const std::exception&) {
      }
    });
  } catch (const std::exception&) {
  }
}

}  // namespace cvl::cpu

#include "tiles/cpu_kernel.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "native/region_code.h"
#include "operations/operations.h"
#include "tiles/region_words.h"
#include "tiles/tile_run.h"
#include "tuning/chunk_tuning.h"
#include "tuning/kernel_tuning.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;

namespace {

/// Most inputs and outputs of a region that is run by one call; their addresses are on the stack.
constexpr std::size_t kMostVectorsAtOnce = 64;

/// Prefix of the names of a kernel's compiled functions. It names the kernel only if the names are for people to read:
/// otherwise equal functions have equal assembly, which is the key under which object files are cached.
std::string compiled_name(const NativeCompiler* compiler, const vcode::Kernel& kernel, std::string_view position) {
  if (compiler == nullptr || !compiler->keeps_symbols()) return "region";
  return position.empty() ? kernel.name : fmt::format("{}[{}]", kernel.name, position);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::string region_name(const std::string& kernel, std::size_t region) { return fmt::format("{}_{}", kernel, region); }
std::string segments_name(const std::string& region) { return region + "_segments"; }
std::string across_name(const std::string& region) { return region + "_across"; }

/// Estimated seconds that the tile engine takes for an element on one thread.
double seconds_per_element(const TilePlan& plan) {
  double seconds = 0;
  for (const TilePlan::PlannedStep& step : plan.steps) {
    const bool moves = step.producer == vcode::Producer::kGather || step.producer == vcode::Producer::kScatter;
    seconds += moves ? kSecondsOfMove : kSecondsOfFlop * std::max(vcode::info(step.step->op).flops, 1);
  }
  return seconds;
}

}  // namespace

CpuKernel::CpuKernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths,
                     std::string_view position, const Compilation& compilation, bool one_segment)
    : compilation_(compilation),
      plan_(kernel, facts, widths, one_segment),
      compiled_name_(compiled_name(compilation.compiler, kernel, position)),
      only_region_(plan_.only_region()),
      seconds_per_element_(seconds_per_element(plan_)) {
  if (compilation.target == nullptr || !is_worth_compiling()) compilation_.when = Native::kOff;
  if (compilation_.when == Native::kAlways)
    if (const Order order = this->order(); !order.find()) order.compile();
  if (plan_.differs_for_one_segment())
    of_one_segment_ = std::make_unique<CpuKernel>(kernel, facts, widths, position, compilation, true);
}

bool CpuKernel::is_worth_compiling() const {
  return std::any_of(plan_.regions.begin(), plan_.regions.end(),
                     [](const Region& region) { return region.is_worth_compiling(); });
}

std::string CpuKernel::assembly(const NativeTarget& target) const {
  if (is_worth_compiling()) return assembly(target, plan_.kernel.name);
  return of_one_segment_ ? of_one_segment_->assembly(target) : "";
}

std::string CpuKernel::assembly(const NativeTarget& target, const std::string& name) const {
  std::vector<ElemType> types(plan_.values.size());
  std::transform(plan_.values.begin(), plan_.values.end(), types.begin(), [](const auto& value) { return value.type; });
  NativeModule module(target, compilation_.compiler != nullptr && compilation_.compiler->keeps_symbols());
  for (std::size_t r = 0; r < plan_.regions.size(); ++r) {
    const Region& region = plan_.regions[r];
    if (!region.is_worth_compiling()) continue;
    const std::string function = region_name(name, r);
    module.add(function, plan_.kernel, region, types, false);
    if (region.goes_by_segments()) module.add(segments_name(function), plan_.kernel, region, types, true);
    if (region.goes_across()) module.add_across(across_name(function), plan_.kernel, region, types);
  }
  return module.text();
}

CpuKernel::Order CpuKernel::order() const {
  Order order{compilation_.compiler, compiled_, {}, assembly(*compilation_.target, compiled_name_)};
  for (std::size_t r = 0; r < plan_.regions.size(); ++r) {
    CompiledNames& of_region = order.names.emplace_back();
    const Region& region = plan_.regions[r];
    if (!region.is_worth_compiling()) continue;
    of_region.elements = region_name(compiled_name_, r);
    if (region.goes_by_segments()) of_region.segments = segments_name(of_region.elements);
    if (region.goes_across()) of_region.across = across_name(of_region.elements);
  }
  return order;
}

void CpuKernel::Order::take(std::unique_ptr<NativeCode> code, bool was_cached,
                            std::chrono::steady_clock::time_point begin) const {
  const auto find = [&](const std::string& name) -> RegionFunction* {
    return name.empty() ? nullptr : code->function(name);
  };
  for (const CompiledNames& of_region : names)
    made->regions.push_back({find(of_region.elements), find(of_region.segments), find(of_region.across)});
  made->code = std::move(code);
  made->was_cached = was_cached;
  made->seconds = seconds_since(begin);
  made->ready.store(true, std::memory_order_release);
}

bool CpuKernel::Order::find() const {
  const auto begin = std::chrono::steady_clock::now();
  std::unique_ptr<NativeCode> code = compiler->find(text);
  if (code == nullptr) return false;
  take(std::move(code), true, begin);
  return true;
}

void CpuKernel::Order::compile() const {
  const auto begin = std::chrono::steady_clock::now();
  take(compiler->compile(text), false, begin);
}

std::string CpuKernel::native_code() const {
  if (of_one_segment_ && of_one_segment_->is_ready()) {
    const std::string of_one = "for one segment " + of_one_segment_->native_code();
    return is_ready() ? compiled_text() + "; " + of_one : of_one;
  }
  if (is_ready()) return compiled_text();
  const bool pays = is_worth_compiling() || (of_one_segment_ && of_one_segment_->is_worth_compiling());
  return pays ? "not compiled" : "no advantage";
}

std::string CpuKernel::compiled_text() const {
  return fmt::format("{} in {:.1f} ms, {} bytes", compiled_->was_cached ? "from the cache" : "compiled",
                     compiled_->seconds * 1e3, compiled_->code->bytes());
}

std::int64_t CpuKernel::machine_code_bytes() {
  const std::int64_t of_one_segment = of_one_segment_ ? of_one_segment_->machine_code_bytes() : 0;
  if (compilation_.when == Native::kOff) return of_one_segment;
  if (!is_ready()) {
    compiled_ = std::make_shared<Compiled>();  // the compiler's thread may still fill the previous one
    if (const Order order = this->order(); !order.find()) order.compile();
  }
  return compiled_->code->bytes() + of_one_segment;
}

/// Whether a single call of the only region's function computes `elements` elements of one segment. Folds must then
/// have the same grouping as steps computed one after the other, in one chunk; and there must be elements, as no
/// elements fold to the empty value, which is not the identity element.
bool CpuKernel::takes_at_once(std::int64_t elements) const {
  if (only_region_ < 0) return false;
  const auto number = static_cast<std::size_t>(only_region_);
  if (compiled_->regions[number].elements == nullptr) return false;
  const Region& region = plan_.regions[number];
  const bool folds = !region.folds.empty() || !region.scans.empty() || !region.packs.empty();
  const std::int64_t most = plan_.by_blocks() ? kFoldBlock : folds ? kFewElements : kChunkItems;
  return elements <= most && (elements > 0 || !folds);
}

bool CpuKernel::is_faster(std::int64_t elements, bool single) {
  if (single && of_one_segment_) return of_one_segment_->is_faster(elements, single);
  if (elements > kFewElements) return true;
  if (is_ready()) return (single && takes_at_once(elements)) || (plan_.by_blocks() && elements > kFoldBlock);
  if (single && only_region_ >= 0 && compilation_.when == Native::kHot && !submitted_) {
    const double seconds = kSecondsOfStep * static_cast<double>(plan_.kernel.steps.size());
    get_code(seconds);
    seconds_.fetch_add(seconds, std::memory_order_relaxed);
  }
  return false;
}

bool CpuKernel::has_one_segment(const KernelCall& call) const {
  return std::all_of(plan_.segmentations.begin(), plan_.segmentations.end(),
                     [&](KernelVar segmentation) { return call.descriptors[segmentation].is_single(); });
}

/// Runs a kernel that is one region over a single segment by one call of its function. False if it is another kernel,
/// or too long for one thread.
bool CpuKernel::run_at_once(Context& context, const KernelCall& call) const {
  if (!takes_at_once(call.elements)) return false;
  context.faults.begin_operation();
  if (call.elements == 0) return true;
  const Region& region = plan_.regions[static_cast<std::size_t>(only_region_)];
  if (!has_one_segment(call)) return false;
  std::array<const void*, kMostVectorsAtOnce> vectors;
  if (plan_.most_vectors > vectors.size()) return false;
  std::array<Slot, kMostVectorsAtOnce> carries;
  std::array<std::int64_t, kMostVectorsAtOnce> positions;
  std::size_t n = 0;
  for (const Region::Input& input : region.inputs) vectors[n++] = call.operands[input.value].data;
  for (const Region::Output& output : region.outputs) vectors[n++] = call.results[output.value].data;
  vectors[n++] = nullptr;  // no output is streamed
  for (const Region::Table& table : region.tables)
    for (const void* word : table_words(call.operands[table.value], nullptr)) vectors[n++] = word;
  for (const Region::Scan& scan : region.scans) {
    Slot& before = carries[static_cast<std::size_t>(scan.number)];
    before =
        context.kernels.scan.identity.at(vcode::info(scan.step->op).monoid, plan_.values[scan.step->operands[0]].type);
    for (const void* word : scan_words(plan_, scan, context.kernels.scan, before, nullptr)) vectors[n++] = word;
  }
  for (const Region::Pack& pack : region.packs) {
    std::int64_t& position = positions[static_cast<std::size_t>(pack.number)] = 0;
    for (const void* word : pack_words(call.results[pack.step->results[0]].data, position)) vectors[n++] = word;
  }
  Slot unused;
  for (const Region::Fold& fold : region.folds)
    vectors[n++] = fold.is_carry() ? &unused : call.results[fold.step->results[0]].data;
  VC_CHECK(n == region.first_made_word());
  const CompiledRegion& code = compiled_->regions[static_cast<std::size_t>(only_region_)];
  const std::array<std::int64_t, 2> starts = {0, call.elements};
  bool is_at_fault;
  if (code.segments != nullptr) {
    set_segment_words(plan_, region, call, starts.data(), 0, call.elements, vectors);
    is_at_fault = code.segments(vectors.data(), 0, 0);
  } else {
    is_at_fault = code.elements(vectors.data(), 0, call.elements);
  }
  if (is_at_fault) {
    context.faults.report(FaultKind::kDivideByZero, 0, 0);
    return true;
  }
  for (const Region::Pack& pack : region.packs) {
    if (!pack.counts) continue;
    const std::int64_t kept = positions[static_cast<std::size_t>(pack.number)];
    call.kept[pack.step->results[0]] = kept;
    set_length(call.results[pack.step->results[1]], 0, kept);
  }
  for (const TilePlan::Epilogue& epilogue : plan_.epilogues) {
    Operand operands[vcode::Signature::kMaxRoles];
    std::transform(epilogue.step->operands.begin(), epilogue.step->operands.end(), operands, [&](KernelVar v) {
      if (call.operands[v].data != nullptr) return call.operands[v];
      return Operand{call.results[v].type, call.results[v].length, call.results[v].data};
    });
    cpu::run(context, Elementwise{epilogue.step->op, std::span(operands, epilogue.step->operands.size()),
                                  call.results[epilogue.step->results[0]]});
    if (context.faults.any()) return true;
  }
  return true;
}

void CpuKernel::run(Context& context, const KernelCall& call) {
  if (of_one_segment_ && has_one_segment(call)) return of_one_segment_->run(context, call);
  const bool is_timed = compilation_.when == Native::kHot && !is_ready() && !submitted_;
  if (is_timed) get_code(expected_seconds(context, call));
  if (is_ready()) {
    if (!run_at_once(context, call)) run_tiles(context, plan_, compiled_->regions, call);
    return;
  }
  const auto begin = std::chrono::steady_clock::now();
  run_tiles(context, plan_, {}, call);
  if (is_timed) seconds_.fetch_add(seconds_since(begin), std::memory_order_relaxed);
}

double CpuKernel::expected_seconds(const Context& context, const KernelCall& call) const {
  return static_cast<double>(call.elements) * seconds_per_element_ / context.parallel.threads();
}

/// Gets code if that takes less time than the kernel has run uncompiled, and a run of `ahead` seconds takes: from the
/// cache; or else from the compiler, for which a long run waits.
void CpuKernel::get_code(double ahead) {
  const double work = seconds_.load(std::memory_order_relaxed) + ahead;
  if (work < kSecondsUntilSearch) return;
  // A kernel that cannot be compiled, or for which no thread can be started, is still run by the tile engine.
  try {
    const std::unique_lock lock(getting_code_, std::try_to_lock);
    if (!lock || is_ready() || submitted_) return;  // another worker gets it, or has got it
    if (!std::exchange(searched_, true) && order().find()) return;
    if (work < kSecondsUntilHot) return;
    submitted_ = true;
    compilation_.compiler->thread().submit(nullptr, [order = order()] {
      try {
        order.compile();
      } catch (const std::exception&) {
      }
      order.made->settled = true;
      order.made->settled.notify_all();
    });
    if (ahead >= kSecondsWorthWaiting) compiled_->settled.wait(false);
  } catch (const std::exception&) {
  }
}

}  // namespace cvl::cpu

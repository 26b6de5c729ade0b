#include "loops/cpu_kernel.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory_resource>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "jit/loop_code.h"
#include "loops/arguments.h"
#include "operations/operations.h"
#include "tuning/chunk_tuning.h"
#include "tuning/kernel_tuning.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;

namespace {

/// Prefix of the names of a kernel's compiled functions. It names the kernel only if the names are for people to read:
/// otherwise equal functions have equal assembly, which is the key under which object files are cached.
std::string compiled_name(const NativeCompiler* compiler, const vcode::Kernel& kernel, std::string_view position) {
  if (compiler == nullptr || !compiler->keeps_symbols()) return "loop";
  return position.empty() ? kernel.name : fmt::format("{}[{}]", kernel.name, position);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double seconds_per_element(const LoopPlan& plan) {
  const LoopPlan::Work work = plan.work();
  const int rounds = plan.kernel.repeated > 0 ? kExpectedRounds : 1;
  return rounds * (kSecondsOfMove * work.moves + kSecondsOfFlop * work.flops);
}

/// Whether nothing is computed around the loop but its results, and epilogues.
bool is_computed_by_loop(const LoopPlan& plan) {
  const auto is_inside = [](const LoopPlan::Step& step) {
    return LoopPlan::is_in_loop(step, Part::kAll) || step.producer == Producer::kSpread ||
           step.producer == Producer::kReduce;
  };
  return plan.scatters == 0 && plan.ordered_scatters.empty() && std::ranges::all_of(plan.whole.steps, is_inside);
}

}  // namespace

CpuKernel::CpuKernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths,
                     std::string_view position, const Compilation& compilation)
    : compilation_(compilation),
      plan_(kernel, facts, widths),
      tiles_(plan_),
      steps_(plan_),
      compiled_name_(compiled_name(compilation.compiler, kernel, position)),
      has_advantage_(plan_.whole.steps.size() + plan_.epilogues.size() + plan_.ordered_scatters.size() > 1),
      at_once_(is_computed_by_loop(plan_)),
      seconds_per_element_(seconds_per_element(plan_)) {
  if (compilation.target == nullptr || !has_advantage_) compilation_.when = Native::kOff;
  if (compilation_.when != Native::kAlways) return;
  if (const Order order = this->order(); !order.find()) order.compile();
}

/// Chunks of a kernel that runs on one thread are computed in turn, so their carries are known.
std::vector<CpuKernel::Function> CpuKernel::functions(const std::string& name, bool of_all_parts) const {
  static constexpr std::string_view kPartNames[] = {"", "_before", "_after"}, kFormNames[] = {"", "_nest", "_lanes"};
  std::vector<Function> functions;
  for (const Part part : {Part::kAll, Part::kBefore, Part::kAfter}) {
    if (part != Part::kAll && !of_all_parts) continue;
    if ((part == Part::kBefore && !plan_.before) || (part == Part::kAfter && !plan_.after)) continue;
    for (const Loop::Form form : {Loop::Form::kFlat, Loop::Form::kNest, Loop::Form::kLanes})
      if (plan_.stage(part).loop.has(form))
        functions.push_back({part, form,
                             fmt::format("{}{}{}", name, kPartNames[static_cast<std::size_t>(part)],
                                         kFormNames[static_cast<std::size_t>(form)])});
  }
  return functions;
}

std::string CpuKernel::assembly(const NativeTarget& target, const std::vector<Function>& functions) const {
  std::vector<ElemType> types(plan_.values.size());
  std::ranges::transform(plan_.values, types.begin(), [](const LoopPlan::Value& value) { return value.type; });
  LoopModule module(target, compilation_.compiler != nullptr && compilation_.compiler->keeps_symbols());
  for (const Function& function : functions)
    module.add(function.name, plan_.kernel, plan_.stage(function.part).loop, types, function.form);
  return module.text();
}

std::string CpuKernel::assembly(const NativeTarget& target) const {
  return assembly(target, functions(plan_.kernel.name, true));
}

CpuKernel::Order CpuKernel::order() const {
  Order order{compilation_.compiler, compiled_, functions(compiled_name_, compilation_.threads > 1), {}};
  order.text = assembly(*compilation_.target, order.functions);
  return order;
}

void CpuKernel::Order::take(std::unique_ptr<NativeCode> code, bool was_cached,
                            std::chrono::steady_clock::time_point begin) const {
  for (const Function& function : functions) {
    CompiledLoop& loop = made->loops[static_cast<std::size_t>(function.part)];
    (function.form == Loop::Form::kFlat   ? loop.flat
     : function.form == Loop::Form::kNest ? loop.nest
                                          : loop.lanes) = code->function(function.name);
  }
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
  if (!is_ready()) return has_advantage_ ? "not compiled" : "no advantage";
  return fmt::format("{} in {:.1f} ms, {} bytes", compiled_->was_cached ? "from the cache" : "compiled",
                     compiled_->seconds * 1e3, compiled_->code->bytes());
}

std::optional<MachineCode> CpuKernel::machine_code() {
  if (compilation_.when == Native::kOff) return MachineCode{};
  if (!is_ready()) {
    compiled_ = std::make_shared<Compiled>();  // the compiler's thread may still fill the previous one
    if (const Order order = this->order(); !order.find()) order.compile();
  }
  return MachineCode{compiled_->code->bytes(), compiled_->was_cached};
}

/// Whether a single call of the loop computes `elements` elements of one segment. Folds must then have the same
/// grouping as steps computed one after the other, in one chunk; and there must be elements, as no elements fold to the
/// empty value, which is not the identity element.
bool CpuKernel::takes_at_once(std::int64_t elements) const {
  if (!at_once_) return false;
  const Loop& loop = plan_.whole.loop;
  const bool folds = !loop.folds.empty() || !loop.scans.empty() || !loop.packs.empty();
  const std::int64_t most = plan_.by_blocks() ? kFoldBlock : folds ? kFewElements : kChunkItems;
  return elements <= most && (elements > 0 || !folds);
}

/// Seconds that the steps take, one after the other.
double CpuKernel::estimate(std::int64_t elements) const {
  return static_cast<double>(elements) * seconds_per_element_ / compilation_.threads +
         kSecondsOfStep * static_cast<double>(plan_.kernel.steps.size());
}

bool CpuKernel::is_faster(std::int64_t elements, bool single) {
  if (has_advantage_ && !is_ready() && compilation_.when != Native::kOff && !submitted_) {
    const double seconds = estimate(elements);
    get_code(seconds * error_.load(std::memory_order_relaxed));
    if (elements <= kFewElements) seconds_.fetch_add(seconds, std::memory_order_relaxed);  // run() measures others
  }
  if (elements > kFewElements) return has_advantage_;
  return is_ready() && ((single && takes_at_once(elements)) || (plan_.by_blocks() && elements > kFoldBlock));
}

bool CpuKernel::has_one_segment(const KernelCall& call) const {
  return std::ranges::all_of(plan_.segmentations, [&](KernelVar v) { return call.descriptors[v].is_single(); });
}

/// Runs a short call over a single segment by one call of its loop.
void CpuKernel::run_at_once(Context& context, const KernelCall& call) const {
  context.faults.begin_operation();
  if (call.elements == 0) return;
  const Loop& loop = plan_.whole.loop;
  std::array<std::byte, kRunBytes> room;
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  Arguments arguments(loop.arguments, &memory);
  std::pmr::vector<Slot> carries(loop.scans.size(), &memory);
  std::pmr::vector<std::int64_t> positions(loop.packs.size(), &memory);
  Slot last_carry;
  set_constants(arguments, plan_, loop, call, context.kernels.scan, carries, positions);
  for (const Loop::Input& input : loop.inputs)
    if (!input.is_made()) arguments.set(input.elements, call.operands[input.value].data);
  for (const Loop::Output& output : loop.outputs) arguments.set(output.elements, call.results[output.value].data);
  for (const Loop::Scan& scan : loop.scans)
    carries[static_cast<std::size_t>(scan.number)] =
        context.kernels.scan.identity.at(vcode::info(scan.step->op).monoid, plan_.values[scan.step->operands[0]].type);
  for (const Loop::Pack& pack : loop.packs) {
    arguments.set(pack.result, call.results[pack.step->results[0]].data);
    arguments.set(pack.room, call.elements);
    if (pack.counts) arguments.set(pack.lengths, call.results[pack.step->results[1]].data);
  }
  for (const Loop::Fold& fold : loop.folds)
    arguments.set(fold.result, fold.is_carry() ? &last_carry : call.results[fold.step->results[0]].data);
  const std::array<std::int64_t, 2> starts = {0, call.elements};
  arguments.set(loop.starts, starts.data());
  arguments.set(loop.range_begin, std::int64_t{0});
  arguments.set(loop.range_end, call.elements);
  const CompiledLoop& code = compiled_->loops[0];
  if (code.nest != nullptr ? code.nest(arguments.data(), 0, 0) : code.flat(arguments.data(), 0, call.elements))
    return context.faults.report(FaultKind::kDivideByZero, 0, 0);
  for (const Loop::Pack& pack : loop.packs)
    if (pack.counts) call.kept[pack.step->results[0]] = positions[static_cast<std::size_t>(pack.number)];
  for (const LoopPlan::Epilogue& epilogue : plan_.epilogues) {
    std::array<Operand, vcode::Signature::kMaxRoles> operands;
    std::ranges::transform(epilogue.step->operands, operands.begin(), [&](KernelVar v) {
      if (call.operands[v].data != nullptr) return call.operands[v];
      return Operand{call.results[v].type, call.results[v].length, call.results[v].data};
    });
    cpu::run(context, Elementwise{epilogue.step->op, std::span(operands.data(), epilogue.step->operands.size()),
                                  call.results[epilogue.step->results[0]]});
    if (context.faults.any()) return;
  }
}

/// A repeated kernel may meet a fault in a step that the kernel's steps alone do not reach. From then on it is not
/// repeated, so that the program comes to the step that has it.
void CpuKernel::run(Context& context, const KernelCall& call) {
  if (has_failed_) return void(steps_.run(context, call));
  const bool held = context.faults.any();  // a fault of an earlier operation
  run_now(context, call);
  if (plan_.kernel.repeated > 0 && is_ready() && !held && context.faults.any()) has_failed_ = true;
}

void CpuKernel::run_now(Context& context, const KernelCall& call) {
  const bool ready = is_ready();
  if (!ready && !is_being_compiled()) {
    const auto begin = std::chrono::steady_clock::now();
    steps_.run(context, call);
    // Steps that cannot be run in chunks are now run as operations.
    const double seconds = context.faults.any() ? kSecondsOfOperation * static_cast<double>(call.elements) *
                                                      static_cast<double>(plan_.kernel.steps.size())
                                                : seconds_since(begin);
    seconds_.fetch_add(seconds, std::memory_order_relaxed);
    error_.store(seconds / estimate(call.elements), std::memory_order_relaxed);
    return;
  }
  if (ready && takes_at_once(call.elements) && has_one_segment(call)) return run_at_once(context, call);
  std::array<std::byte, kRunBytes> room;
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  LoopRun run(context, plan_, tiles_, compiled_->loops, call, &memory);
  if (ready) return run.run();
  std::function<bool()> stop;
  if (run.can_go_on()) stop = [this] { return is_ready(); };
  if (const std::optional<BegunRun> begun = steps_.run(context, call, stop)) run.run(*begun);
}

/// Gets code if that takes less time than the kernel has run uncompiled, and a run of `ahead` seconds takes: from the
/// cache; or else from the compiler, for which a long run waits unless it can go on with the code when that is there.
void CpuKernel::get_code(double ahead) {
  const double work = seconds_.load(std::memory_order_relaxed) + ahead;
  if (work < kSecondsUntilSearch) return;
  // The steps of a kernel that cannot be compiled, or for which no thread can be started, are computed one by one.
  try {
    const std::unique_lock lock(getting_code_, std::try_to_lock);
    if (!lock || is_ready() || submitted_) return;  // another worker gets it, or has got it
    if (!order_) {
      order_ = order();
      if (order_->find()) return order_.reset();
    }
    if (work < kSecondsUntilHot) return;
    submitted_ = true;
    compilation_.compiler->thread().submit(nullptr, [order = *std::exchange(order_, std::nullopt)] {
      try {
        order.compile();
      } catch (const std::exception&) {
      }
      order.made->settled = true;
      order.made->settled.notify_all();
    });
    if (ahead >= kSecondsWorthWaiting && !LoopRun::can_go_on(plan_)) compiled_->settled.wait(false);
  } catch (const std::exception&) {
  }
}

}  // namespace cvl::cpu

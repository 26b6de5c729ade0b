#include "loops/cpu_kernel.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory_resource>
#include <mutex>

#include "jit/product_code.h"
#include "loops/arguments.h"
#include "operations/operations.h"
#include "tuning/chunk_tuning.h"
#include "tuning/kernel_tuning.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double seconds_per_element(const LoopPlan& plan) {
  const int rounds = plan.kernel.repeated > 0 ? kExpectedRounds : 1;
  return rounds * kSecondsOfFlop * plan.work().in_flops();
}

/// Whether nothing is computed around the loop but its results, and epilogues.
bool is_computed_by_loop(const LoopPlan& plan) {
  const auto is_inside = [](const LoopPlan::Step& step) {
    return LoopPlan::is_in_loop(step, Part::kAll) || step.producer == Producer::kSpread ||
           step.producer == Producer::kReduce;
  };
  return plan.scatters == 0 && std::ranges::all_of(plan.whole.steps, is_inside);
}

}  // namespace

CpuKernel::CpuKernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths,
                     std::string_view position, const Compilation& compilation)
    : compilation_(compilation),
      plan_(kernel, facts, widths),
      tiles_(plan_, computes_products(compilation.target)),
      steps_(plan_),
      has_advantage_(plan_.whole.steps.size() + plan_.epilogues.size() > 1),
      at_once_(is_computed_by_loop(plan_)),
      form_at_once_{Part::kAll, plan_.whole.loop.has_nest() ? Loop::Form::kNest : Loop::Form::kFlat},
      seconds_per_element_(seconds_per_element(plan_)),
      code_(plan_, position, compilation.target, compilation.compiler) {
  if (compilation.target == nullptr || !has_advantage_) compilation_.when = Native::kOff;
  if (compilation_.when == Native::kAlways) code_.get_all(compilation.threads);
}

std::string CpuKernel::native_code() const {
  const std::string there = code_.describe();
  return (!there.empty() ? there : has_advantage_ ? "not compiled" : "no advantage") + code_.describe_cache();
}

std::optional<MachineCode> CpuKernel::machine_code() {
  if (compilation_.when == Native::kOff) return MachineCode{};
  code_.get_all(compilation_.threads);
  return code_.size();
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
  if (elements > kFewElements) return has_advantage_;  // run() gets code
  const bool at_once = single && takes_at_once(elements);
  if (!at_once && !(plan_.by_blocks() && elements > kFoldBlock)) return false;
  const LoopForms form(&form_at_once_, 1);
  if (code_.has(form)) return true;
  get_code(form, expected(elements));
  seconds_.fetch_add(estimate(elements), std::memory_order_relaxed);
  return code_.has(form);
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
  const std::int64_t last = form_at_once_.form == Loop::Form::kNest ? 0 : call.elements;
  if (code_.function(form_at_once_)(arguments.data(), 0, last))
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
  const bool by_code = run_now(context, call);
  if (plan_.kernel.repeated > 0 && by_code && !held && context.faults.any()) has_failed_ = true;
}

/// Runs the kernel; by its code, if that is there, or as soon as it is. Returns whether it has begun to do so.
bool CpuKernel::run_now(Context& context, const KernelCall& call) {
  if (takes_at_once(call.elements) && code_.has({&form_at_once_, 1}) && has_one_segment(call)) {
    run_at_once(context, call);
    return true;
  }
  if (!may_have_code(call.elements)) {
    run_steps(context, call);
    return false;
  }
  std::array<std::byte, kRunBytes> room;
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  LoopRun run(context, plan_, tiles_, call, &memory);
  const LoopForms forms = run.forms();
  const bool fits = !forms.empty();
  if (fits && !code_.has(forms)) get_code(forms, expected(call.elements));
  if (fits && code_.has(forms)) {
    run.run(code_.loops());
    return true;
  }
  if (!fits || !code_.is_coming(forms)) {
    run_steps(context, call);
    return false;
  }
  std::function<bool()> stop;
  if (LoopRun::can_go_on(plan_)) stop = [&] { return code_.has(forms); };
  const std::optional<BegunRun> begun = steps_.run(context, call, stop);
  if (begun) run.run(code_.loops(), *begun);
  return begun.has_value();
}

/// Computes the steps one after the other, and learns how long that takes.
void CpuKernel::run_steps(Context& context, const KernelCall& call) {
  const auto begin = std::chrono::steady_clock::now();
  steps_.run(context, call);
  // Steps that cannot be run in chunks are now run as operations.
  const double seconds = context.faults.any() ? kSecondsOfOperation * static_cast<double>(call.elements) *
                                                    static_cast<double>(plan_.kernel.steps.size())
                                              : seconds_since(begin);
  seconds_.fetch_add(seconds, std::memory_order_relaxed);
  error_.store(seconds / estimate(call.elements), std::memory_order_relaxed);
}

/// Whether a run of so many elements has code, or is worth looking for it: that takes less time than the kernel has run
/// without, and this run will.
bool CpuKernel::may_have_code(std::int64_t elements) const {
  if (compilation_.when == Native::kOff) return false;
  return code_.has_any() || work(expected(elements)) >= kSecondsUntilSearch;
}

/// Gets functions: from the cache; or else, if a kernel has run for long enough without, and `ahead` seconds now, from
/// the compiler, for which a long run waits unless it can go on with the code when that is there.
void CpuKernel::get_code(LoopForms forms, double ahead) {
  if (compilation_.when == Native::kOff || work(ahead) < kSecondsUntilSearch) return;
  // The steps of a kernel that cannot be compiled, or for which no thread can be started, are computed one by one.
  try {
    const std::unique_lock lock(getting_code_, std::try_to_lock);
    if (!lock) return;  // another worker gets code
    code_.find(forms);
    if (work(ahead) < kSecondsUntilHot) return;
    code_.order(forms);
    if (ahead >= kSecondsWorthWaiting && !LoopRun::can_go_on(plan_)) code_.wait_for(forms);
  } catch (const std::exception&) {
  }
}

}  // namespace cvl::cpu

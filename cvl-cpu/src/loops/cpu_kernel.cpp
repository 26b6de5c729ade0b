#include "loops/cpu_kernel.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory_resource>
#include <mutex>

#include "jit/product_code.h"
#include "tuning/kernel_tuning.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double seconds_per_element(const LoopPlan& plan) {
  const int rounds = plan.kernel.repeated > 0 ? kExpectedRounds : 1;
  return rounds * kSecondsOfFlop * plan.work().in_flops();
}

}  // namespace

CpuKernel::CpuKernel(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths,
                     std::string_view position, const Compilation& compilation)
    : compilation_(compilation),
      plan_(kernel, facts, widths),
      tiles_(plan_, compilation.threads, computes_products(compilation.target)),
      short_calls_(plan_, tiles_),
      steps_(plan_),
      has_advantage_(plan_.whole.steps.size() + plan_.epilogues.size() > 1),
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

/// Seconds that the steps take, one after the other.
double CpuKernel::estimate(std::int64_t elements) const {
  return static_cast<double>(elements) * seconds_per_element_ / compilation_.threads +
         kSecondsOfStep * static_cast<double>(plan_.kernel.steps.size());
}

/// Whether the segments of a short call may be such that the loop takes less time than the steps one after the other.
/// The caller does not know; those of the next calls are expected to be like those of the last one.
bool CpuKernel::may_fit_segments() {
  const int left = until_fitting_.load(std::memory_order_relaxed);
  if (left > 0) until_fitting_.store(left - 1, std::memory_order_relaxed);
  return left == 0;
}

bool CpuKernel::is_faster(std::int64_t elements, bool single) {
  if (elements > std::min(kFewElements, tiles_.chunk_items)) return has_advantage_;  // run() gets code
  const bool is_short = short_calls_.takes(elements, single) && (single || may_fit_segments());
  if (!is_short && !(plan_.by_blocks() && elements > kFoldBlock)) return false;
  const LoopForm form = short_calls_.form();
  if (code_.function(form) != nullptr) return true;
  get_code({&form, 1}, expected(elements));
  seconds_.fetch_add(estimate(elements), std::memory_order_relaxed);
  return code_.function(form) != nullptr;
}

/// A repeated kernel may meet a fault in a step that the kernel's steps alone do not reach. From then on it is not
/// repeated, so that the program comes to the step that has it.
void CpuKernel::run(Context& context, const KernelCall& call) {
  if (has_failed_) return void(steps_.run(context, call));
  const bool held = context.faults.any();  // a fault of an earlier operation
  LoopFunction* const loop = short_calls_.takes(call.elements, true) ? code_.function(short_calls_.form()) : nullptr;
  bool by_code = loop != nullptr && short_calls_.run(context, call, *loop);
  if (!by_code) {
    if (loop != nullptr) until_fitting_.store(kCallsUntilFitting, std::memory_order_relaxed);
    by_code = run_now(context, call);
  }
  if (plan_.kernel.repeated > 0 && by_code && !held && context.faults.any()) has_failed_ = true;
}

/// Runs the kernel; by its code for calls of any length, if that is there, or as soon as it is. Returns whether it has
/// begun to do so.
bool CpuKernel::run_now(Context& context, const KernelCall& call) {
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

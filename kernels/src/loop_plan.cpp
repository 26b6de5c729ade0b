#include "kernels/loop_plan.h"

#include <algorithm>

#include "base/check.h"
#include "form_loop.h"

namespace kernels {

using vcode::Kernel;
using vcode::Producer;

namespace {

/// A value that is computed from inputs by at most this many cheap operations (one flop each) is computed twice instead
/// of kept.
constexpr int kCheapWork = 2;

bool is_of_elements(Producer producer) {
  return producer == Producer::kMap || producer == Producer::kSpread || producer == Producer::kGather ||
         producer == Producer::kScan;
}

}  // namespace

LoopPlan::LoopPlan(const Kernel& k, const vcode::KernelFacts& facts, vcode::Widths widths)
    : kernel(k), values(k.values.size()) {
  for (KernelVar v = 0; v < values.size(); ++v)
    values[v].type = kernel.values[v].kind == vcode::Kind::kSegdes ? widths.int_type : widths.of(kernel.values[v].kind);
  for (const Kernel::Step& step : kernel.steps) {
    if (step.is_constant())
      values[step.results[0]].constant = step.constant;
    else
      add_step(step, facts);
  }
  for (const Step& s : whole.steps)
    if (is_by_blocks(s) && std::ranges::find(block_segmentations, s.segmentation) == block_segmentations.end())
      block_segmentations.push_back(s.segmentation);
  for (const KernelVar v : kernel.outputs) values[v].materialised = true;
  if (has_carries()) split(facts);
  form_loop(*this, Part::kAll, whole);
  if (before) form_loop(*this, Part::kBefore, *before);
  if (after) form_loop(*this, Part::kAfter, *after);
  const auto take_slot = [&](KernelVar v) {
    if (!values[v].materialised && values[v].slot < 0) values[v].slot = slots++;
  };
  for (const Stage* stage : {&whole, before ? &*before : nullptr, after ? &*after : nullptr}) {
    if (stage == nullptr) continue;
    for (const Loop::Input& input : stage->loop.inputs)
      if (input.is_made()) take_slot(input.value);
    for (const Loop::Output& output : stage->loop.outputs) take_slot(output.value);
  }
#if !defined(NDEBUG)
  if (const std::string mistake = verify_plan(*this); !mistake.empty())
    base::check_failed(__FILE__, __LINE__, ("plan of " + kernel.name + ": " + mistake).c_str());
#endif
}

bool LoopPlan::is_by_blocks(const Step& step) const {
  return (step.producer == Producer::kReduce || step.producer == Producer::kScan) &&
         vcode::rounds(vcode::info(step.step->op).monoid, values[step.step->operands[0]].type);
}

bool LoopPlan::depends_on_order(const Kernel::Step& step) const {
  const auto makes_one_value = [&](const Kernel::Step& maker) {
    return maker.op == vcode::Op::kDist && maker.results[0] == step.operands[0] &&
           values[maker.operands[0]].constant != Kernel::kNoConstant;
  };
  return vcode::has_defaults(step.op) && std::ranges::none_of(kernel.steps, makes_one_value);
}

vcode::Work LoopPlan::work() const {
  vcode::Work work;
  for (const Step& s : whole.steps) work += vcode::work_of(s.step->op);
  return work;
}

void LoopPlan::add_step(const Kernel::Step& step, const vcode::KernelFacts& facts) {
  const Producer producer = facts.producers[step.results[0]];
  if (producer == Producer::kEpilogue) return add_epilogue(step, facts);
  Step added{&step, producer};
  in_order = in_order || depends_on_order(step);
  added.after_scan = producer == Producer::kScan ||
                     std::ranges::any_of(step.operands, [&](KernelVar v) { return facts.after_scan[v]; });
  added.segmentation = segmentation_of(step, producer);
  if (producer == Producer::kScan) added.number = scans++;
  if (vcode::is_reduction(producer)) {
    added.number = producer == Producer::kReduce ? reductions++ : arg_reductions++;
    values[step.results[0]].segments_of = added.segmentation;
  }
  if (producer == Producer::kScatter) added.number = scatters++;
  if (producer == Producer::kPack) {
    added.packed = packs++;
    const auto first = vcode::first_pack_like(kernel, static_cast<std::uint32_t>(&step - kernel.steps.data()));
    added.counts = &kernel.steps[first] == &step;
    if (added.counts)
      added.number = counts++;
    else
      added.number = std::ranges::find_if(whole.steps, [&](const Step& s) {
                       return s.step == &kernel.steps[first];
                     })->number;
  }
  whole.steps.push_back(added);
}

void LoopPlan::add_epilogue(const Kernel::Step& step, const vcode::KernelFacts& facts) {
  std::vector<int> behind;
  for (const KernelVar v : step.operands)
    if (facts.producers[v] != Producer::kInput) behind.push_back(values[v].segments_of);
  VC_CHECK(!behind.empty());
  const bool one_segmentation = std::equal(behind.begin() + 1, behind.end(), behind.begin());
  const int segmentation = one_segmentation ? behind[0] : -1;
  values[step.results[0]].segments_of = segmentation;
  values[step.results[0]].epilogue = static_cast<int>(epilogues.size());
  for (const KernelVar v : step.operands)
    if (segmentation < 0) values[v].materialised = true;
  epilogues.push_back({&step, segmentation});
}

/// The descriptor of a step that belongs to the index space: that of the indices for a gather, of the result for DIST,
/// INDEX and SLICE, of the first operand for others.
int LoopPlan::segmentation_of(const Kernel::Step& step, Producer producer) {
  if (producer == Producer::kMap) return -1;
  const int like = producer == Producer::kSpread ? -1 : producer == Producer::kGather ? 1 : 0;
  const KernelVar descriptor = step.operands[static_cast<std::size_t>(vcode::descriptor_like(step, like))];
  const auto at = std::ranges::find(segmentations, descriptor);
  const auto number = static_cast<int>(at - segmentations.begin());
  if (at == segmentations.end()) segmentations.push_back(descriptor);
  return number;
}

/// Divides the steps into those before and after the carries are known; scatters with defaults are after them, when
/// earlier chunks have written. A value that is needed afterwards is computed
/// twice if DIST, INDEX or SLICE makes it, or at most kCheapWork operations compute it from inputs; others are kept.
void LoopPlan::split(const vcode::KernelFacts& facts) {
  std::vector<int> work(values.size(), kCheapWork + 1);
  std::fill_n(work.begin(), kernel.input_count, 0);
  for (const Step& s : whole.steps) {
    int& made = work[s.step->results[0]];
    if (s.producer == Producer::kSpread) made = 0;
    if (s.producer != Producer::kMap || vcode::info(s.step->op).flops != 1) continue;
    made = 1;
    for (const KernelVar v : s.step->operands) made = std::min(made + work[v], kCheapWork + 1);
  }
  before.emplace();
  after.emplace();
  std::vector<bool> needed(values.size());
  for (std::size_t k = whole.steps.size(); k-- > 0;) {
    const Step& s = whole.steps[k];
    const KernelVar result = s.step->results[0];
    const bool is_late = s.after_scan || vcode::has_defaults(s.step->op);
    const bool again = !is_late && needed[result] && work[result] <= kCheapWork;
    if (is_late || again) {
      after->steps.insert(after->steps.begin(), s);
      for (const KernelVar v : s.step->operands) needed[v] = true;
    }
    if (!is_late || s.producer == Producer::kScan || s.counts) before->steps.insert(before->steps.begin(), s);
    values[result].kept = needed[result] && !s.after_scan && is_of_elements(facts.producers[result]) && !again;
    const bool packed = s.producer == Producer::kPack && !s.after_scan;
    if (values[result].kept || packed) kept_bytes += static_cast<std::int64_t>(elem_size(values[result].type));
    const bool serves_scans = is_of_elements(s.producer) && !values[result].kept && !values[result].materialised;
    only_scans_before = only_scans_before && (is_late ? !s.counts : serves_scans);
  }
  if (after->steps.empty()) after.reset();
}

}  // namespace kernels

#include "lines/short_line.h"

#include <algorithm>
#include <utility>

#include "executor/blocks.h"
#include "lines/run_line.h"
#include "vcode/check.h"

namespace cvl::cuda {
namespace {

bool is_short(std::int64_t n) { return 0 < n && n <= kShort; }
/// True of segments with few elements, which find their segments by heads.
bool are_short(const SegmentMap& map) {
  return is_short(map.elements) && is_short(map.segments) && (map.is_regular() || map.heads != nullptr);
}

Step step_over(StepKind kind, const SegmentMap& map, const Result& result) {
  Step step;
  step.kind = kind;
  step.type = step.result = result.type;
  step.length = result.length;
  step.to = result.data;
  step.over = Segments(map);
  return step;
}

}  // namespace

std::optional<Step> elementwise_step(Op op, std::span<const Operand> operands, const Result& result) {
  if (!is_short(result.length)) return {};
  Step step = step_over(StepKind::kElementwise, {}, result);
  step.op = op;
  step.type = operands.back().type;
  for (std::size_t k = 0; k < operands.size(); ++k) step.operands[k] = source_of(operands[k]);
  return step;
}

std::optional<Step> scan_step(Monoid monoid, const Operand& a, const SegmentMap& map, const Result& result) {
  if (!are_short(map) || a.on_host) return {};
  Step step = step_over(StepKind::kScan, map, result);
  step.monoid = monoid;
  step.operands[0] = source_of(a);
  return step;
}

std::optional<Step> reduce_step(Monoid monoid, const Operand& a, const SegmentMap& map, const Result& result) {
  std::optional<Step> step = scan_step(monoid, a, map, result);
  if (step) step->kind = StepKind::kReduce;
  return step;
}

std::optional<Step> gather_step(const Gather& gather, const Result& result) {
  if (!are_short(gather.to) || gather.source.on_host || gather.indices.on_host) return {};
  if (gather.flags != nullptr && gather.flags->on_host) return {};
  Step step = step_over(StepKind::kGather, gather.to, result);
  step.index = gather.indices.type;
  step.from = Segments(gather.from);
  step.operands[0] = source_of(gather.source);
  step.operands[1] = source_of(gather.indices);
  if (gather.flags != nullptr) step.operands[2] = source_of(*gather.flags);
  return step;
}

std::optional<Step> extract_step(const Operand& a, const Operand& i, const SegmentMap& map, const Result& result) {
  if (!is_short(map.segments) || a.on_host) return {};
  Step step = step_over(StepKind::kExtract, map, result);
  step.index = i.type;
  step.operands[0] = source_of(a);
  step.operands[1] = source_of(i);
  return step;
}

std::optional<Step> dist_step(const Operand& v, const SegmentMap& map, const Result& result) {
  if (!are_short(map)) return {};
  Step step = step_over(StepKind::kDist, map, result);
  step.operands[0] = source_of(v);
  return step;
}

std::optional<Step> index_step(const Operand& start, const Operand& stride, const SegmentMap& map,
                               const Result& result) {
  if (!are_short(map)) return {};
  Step step = step_over(StepKind::kIndex, map, result);
  step.operands[0] = source_of(start);
  step.operands[1] = source_of(stride);
  return step;
}

bool ShortLine::refers_to(const void* data) const {
  return std::any_of(steps_.begin(), steps_.begin() + count_, [=](const Step& step) {
    const auto is_of = [=](const Segments& s) { return s.offsets == data || s.heads == data || s.nonempty == data; };
    return step.to == data || is_of(step.over) || is_of(step.from) ||
           std::any_of(std::begin(step.operands), std::end(step.operands),
                       [=](const Source& operand) { return operand.data == data; });
  });
}

void ShortLine::add(const Step& step, std::uint32_t site) {
  VC_CHECK(!is_full());
  Step& added = steps_[static_cast<std::size_t>(count_++)];
  added = step;
  added.site = site;
}

void ShortLine::launch(Executor& executor) {
  const Faults faults = executor.faults(0);
  Line line{faults.record, faults.known, std::exchange(count_, 0), {}};
  std::copy_n(steps_.begin(), line.count, line.steps);
  run_line(executor, line);
}

}  // namespace cvl::cuda

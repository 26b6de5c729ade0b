/// What of a plan runs as chains, and which of these run together.

#include <algorithm>

#include "kernels/reduce_kernels.h"
#include "tiles/tile_plan.h"
#include "vcode/check.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;

namespace {

/// What may follow upon the links of a step: a fold and two stores.
constexpr std::size_t kLinksBehind = 3;

bool can_fold(const TilePlan::Step& step) {
  const Monoid m = vcode::info(step.step->op).monoid;
  return m == Monoid::kSum || m == Monoid::kMax || m == Monoid::kMin;
}

}  // namespace

/// The chain that an elementwise step is by itself; empty if chains cannot do it.
std::vector<TilePlan::Link> TilePlan::links(const Step& step) const {
  if (!vcode::info(step.step->op).is_link()) return {};
  if (step.producer != Producer::kMap || step.step->operands.size() != 2) return {};
  const KernelVar a = step.step->operands[0], b = step.step->operands[1];
  const bool floats = values[a].type == ElemType::kF32 || values[a].type == ElemType::kF64;
  const auto with = [&](ChainOp op) { return std::vector<Link>{{ChainOp::kTake, a}, {op, b}}; };
  switch (step.step->op) {
    case Op::kAdd:
      return with(a == b ? ChainOp::kDouble : ChainOp::kAdd);
    case Op::kMultiply:
      return with(a == b ? ChainOp::kSquare : ChainOp::kMultiply);
    case Op::kSubtract:
      return with(ChainOp::kSubtract);
    case Op::kDivide:
      return floats ? with(ChainOp::kDivide) : std::vector<Link>{};
    default:
      VC_CHECK(!"the table calls the operation a link, but no chain operation computes it");
      return {};
  }
}

/// Whether a step does something with the result of the chain before it that the chain can do at once.
bool TilePlan::continues(const Step& last, const Step& step) const {
  if (last.chain.empty() || last.producer != Producer::kMap) return false;
  const KernelVar v = last.step->results[0];
  const auto& operands = step.step->operands;
  if (step.producer == Producer::kReduce || step.producer == Producer::kScan) return operands[0] == v && can_fold(step);
  const bool reads_once = readers_[v] == 1 && !values[v].materialised && !values[v].kept;
  if (!reads_once || (operands[0] != v && operands[1] != v)) return false;
  return operands[0] != operands[1] || step.step->op == Op::kAdd || step.step->op == Op::kMultiply;
}

KernelVar TilePlan::computed(const Step& step) const {
  return step.producer == Producer::kMap ? step.step->results[0] : step.step->operands[0];
}

/// Steps of the traversal that read it too.
int TilePlan::other_readers(const Step& step) const {
  return readers_[computed(step)] - (step.producer == Producer::kMap ? 0 : 1);
}

/// Makes chains of the steps that follow one upon the other.
void TilePlan::chain(std::vector<Step>& list) {
  std::vector<Step> chained;
  for (Step& step : list) {
    std::vector<Link> own = links(step);
    const bool folds = step.producer == Producer::kReduce || step.producer == Producer::kScan;
    if (chained.empty() || (own.empty() && !folds) || !continues(chained.back(), step)) {
      step.chain = std::move(own);
      chained.push_back(std::move(step));
      continue;
    }
    const KernelVar v = chained.back().step->results[0];
    step.chain = std::move(chained.back().chain);
    if (!folds) {
      Link link = own[1];
      if (link.operand == v && own[0].operand != v) {
        link.operand = own[0].operand;
        if (link.op == ChainOp::kSubtract) link.op = ChainOp::kSubtractFrom;
        if (link.op == ChainOp::kDivide) link.op = ChainOp::kDivideInto;
      }
      step.chain.push_back(link);
    }
    chained.back() = std::move(step);
  }
  for (Step& step : chained)
    if (!step.chain.empty()) step.read = values[computed(step)].kept || other_readers(step) > 0;
  list = std::move(chained);
}

/// Makes groups of the elementwise steps, and reductions and scans of the same segments, that follow one upon the
/// other.
void TilePlan::group(std::vector<Step>& list) {
  const auto type = [&](const Step& step) { return values[computed(step)].type; };
  const auto groups = [&](const Step& step) {
    const bool folds = step.producer == Producer::kReduce || step.producer == Producer::kScan;
    return folds ? can_fold(step) && type(step) != ElemType::kB8 : !step.chain.empty();
  };
  for (std::size_t k = 0, end = 0; k < list.size(); k = end) {
    int cut = list[k].cut;
    const auto joins = [&](const Step& s) {
      return groups(list[k]) && groups(s) && type(s) == type(list[k]) && (cut < 0 || s.cut < 0 || s.cut == cut);
    };
    for (end = k + 1; end < list.size() && joins(list[end]); ++end) cut = std::max(cut, list[end].cut);
    const std::span<Step> members = std::span(list).subspan(k, end - k);
    // A reduction or a scan alone has a loop of its own.
    if (groups(list[k]) && (members.size() > 1 || !list[k].chain.empty())) make_group(members);
    std::size_t links = 0;
    for (const Step& step : members) links += step.chain.size() + kLinksBehind;
    most_links = std::max(most_links, links);
  }
}

void TilePlan::make_group(std::span<Step> members) {
  members[0].group = static_cast<int>(members.size());
  const auto left = [&](const Step& s) { return s.producer == Producer::kScan ? s.step->results[0] : computed(s); };
  for (std::size_t k = 0; k < members.size(); ++k) {
    Step& step = members[k];
    if (step.chain.empty()) step.chain.push_back({ChainOp::kTake, step.step->operands[0]});
    step.in_registers = k > 0 && step.chain[0].operand == left(members[k - 1]);
  }
  const auto finding = [&](KernelVar v) {
    return std::count_if(members.begin(), members.end(), [v](const Step& s) {
      return s.in_registers && s.chain[0].operand == v &&
             std::none_of(s.chain.begin() + 1, s.chain.end(), [v](const Link& link) { return link.operand == v; });
    });
  };
  for (Step& step : members) {
    const KernelVar v = computed(step), result = step.step->results[0];
    step.read_elsewhere = values[v].kept || other_readers(step) > finding(v);
    step.result_read_elsewhere = values[result].kept || readers_[result] > finding(result);
  }
}

/// Whether a traversal of a single segment computes nothing that has to stay in a tile, so that each loop may go
/// through a piece at once.
bool TilePlan::needs_no_tiles(const std::vector<Step>& list) const {
  const auto is_uniform = [&](const Step& s) {
    const Value& value = values[s.step->results[0]];
    return value.spread && !value.wide && !value.materialised;
  };
  const auto stays = [](const Step& s) {
    return (s.chain.size() > 1 && s.read_elsewhere) || (s.producer == Producer::kScan && s.result_read_elsewhere);
  };
  const std::span rest(std::find_if_not(list.begin(), list.end(), is_uniform), list.end());
  return rest.empty() || (rest[0].group == std::ssize(rest) && std::none_of(rest.begin(), rest.end(), stays));
}

}  // namespace cvl::cpu

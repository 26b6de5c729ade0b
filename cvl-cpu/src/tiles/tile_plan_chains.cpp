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

}  // namespace

/// The chain that an elementwise step is by itself; empty if chains cannot do it.
std::vector<TilePlan::Link> TilePlan::links(const PlannedStep& step) const {
  if (step.producer != Producer::kMap || !vcode::info(step.step->op).can_link(step.step->suffix)) return {};
  const std::optional<LinkForms> forms = link_forms(step.step->op);
  VC_CHECK(forms && step.step->operands.size() == 2);
  const KernelVar a = step.step->operands[0], b = step.step->operands[1];
  return {{ChainOp::kTake, a}, {a == b ? forms->both : forms->first, b}};
}

/// Whether a reduction or scan can be at the end of a chain.
bool TilePlan::can_fold(const PlannedStep& step) const { return has_chains(values[computed(step)].type); }

/// Whether a step does something with the result of the chain before it that the chain can do at once.
bool TilePlan::continues(const PlannedStep& last, const PlannedStep& step) const {
  if (last.chain.empty() || last.producer != Producer::kMap) return false;
  const KernelVar v = last.step->results[0];
  const auto& operands = step.step->operands;
  if (step.producer == Producer::kReduce || step.producer == Producer::kScan) return operands[0] == v && can_fold(step);
  const bool reads_once = readers_[v] == 1 && !values[v].materialised && !values[v].kept;
  return reads_once && (operands[0] == v || operands[1] == v);
}

KernelVar TilePlan::computed(const PlannedStep& step) const {
  return step.producer == Producer::kMap ? step.step->results[0] : step.step->operands[0];
}

/// Steps of the traversal that read it too.
int TilePlan::other_readers(const PlannedStep& step) const {
  return readers_[computed(step)] - (step.producer == Producer::kMap ? 0 : 1);
}

/// Makes chains of the steps that follow one upon the other.
void TilePlan::chain(std::vector<PlannedStep>& list) {
  std::vector<PlannedStep> chained;
  for (PlannedStep& step : list) {
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
      if (link.operand == v && own[0].operand != v) link = {link_forms(step.step->op)->second, own[0].operand};
      step.chain.push_back(link);
    }
    chained.back() = std::move(step);
  }
  for (PlannedStep& step : chained)
    if (!step.chain.empty()) step.read = values[computed(step)].kept || other_readers(step) > 0;
  list = std::move(chained);
}

/// Makes groups of the elementwise steps, and reductions and scans of the same segments, that follow one upon the
/// other.
void TilePlan::group(std::vector<PlannedStep>& list) {
  const auto type = [&](const PlannedStep& step) { return values[computed(step)].type; };
  const auto groups = [&](const PlannedStep& step) {
    const bool folds = step.producer == Producer::kReduce || step.producer == Producer::kScan;
    return folds ? can_fold(step) : !step.chain.empty();
  };
  for (std::size_t k = 0, end = 0; k < list.size(); k = end) {
    int cut = list[k].cut;
    const auto joins = [&](const PlannedStep& s) {
      return groups(list[k]) && groups(s) && type(s) == type(list[k]) && (cut < 0 || s.cut < 0 || s.cut == cut);
    };
    for (end = k + 1; end < list.size() && joins(list[end]); ++end) cut = std::max(cut, list[end].cut);
    const std::span<PlannedStep> members = std::span(list).subspan(k, end - k);
    // A reduction or a scan alone has a loop of its own.
    if (groups(list[k]) && (members.size() > 1 || !list[k].chain.empty())) make_group(members);
    std::size_t links = 0;
    for (const PlannedStep& step : members) links += step.chain.size() + kLinksBehind;
    most_links = std::max(most_links, links);
  }
}

void TilePlan::make_group(std::span<PlannedStep> members) {
  members[0].group = static_cast<int>(members.size());
  const auto left = [&](const PlannedStep& s) {
    return s.producer == Producer::kScan ? s.step->results[0] : computed(s);
  };
  for (std::size_t k = 0; k < members.size(); ++k) {
    PlannedStep& step = members[k];
    if (step.chain.empty()) step.chain.push_back({ChainOp::kTake, step.step->operands[0]});
    step.in_registers = k > 0 && step.chain[0].operand == left(members[k - 1]);
  }
  const auto finding = [&](KernelVar v) {
    return std::count_if(members.begin(), members.end(), [v](const PlannedStep& s) {
      return s.in_registers && s.chain[0].operand == v &&
             std::none_of(s.chain.begin() + 1, s.chain.end(), [v](const Link& link) { return link.operand == v; });
    });
  };
  for (PlannedStep& step : members) {
    const KernelVar v = computed(step), result = step.step->results[0];
    step.read_elsewhere = values[v].kept || other_readers(step) > finding(v);
    step.result_read_elsewhere = values[result].kept || readers_[result] > finding(result);
  }
}

/// Whether a traversal of a single segment computes nothing that has to stay in a tile, so that each loop may go
/// through a piece at once.
bool TilePlan::needs_no_tiles(const std::vector<PlannedStep>& list) const {
  const auto is_uniform = [&](const PlannedStep& s) {
    const PlannedValue& value = values[s.step->results[0]];
    return value.spread && !value.wide && !value.materialised;
  };
  const auto stays = [](const PlannedStep& s) {
    return (s.chain.size() > 1 && s.read_elsewhere) || (s.producer == Producer::kScan && s.result_read_elsewhere);
  };
  const std::span rest(std::find_if_not(list.begin(), list.end(), is_uniform), list.end());
  return rest.empty() || (rest[0].group == std::ssize(rest) && std::none_of(rest.begin(), rest.end(), stays));
}

}  // namespace cvl::cpu

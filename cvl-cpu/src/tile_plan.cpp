#include "tile_plan.h"

#include <algorithm>
#include <bit>

#include "cvl/prepared_kernel.h"
#include "reduce.h"

namespace cvl::cpu {

using vcode::Kernel;
using vcode::KernelVar;
using vcode::Producer;
using vcode::RoleType;

namespace {

/// Elements of the tiles of a kernel with many values, and of one with few: as many as the first-level cache can hold,
/// so that calling a loop costs little beside it.
constexpr std::int64_t kSmallestTile = 512, kLargestTile = 2048;
constexpr std::int64_t kTileBytes = 32 << 10;
/// Bytes a thread keeps of a piece while it waits for carries: an eighth of a second-level cache, or less.
constexpr std::int64_t kKeptBytes = 256 << 10;
/// So many operations of one flop cost less than writing their result to the second-level cache and reading it back
/// (measured).
constexpr int kCheapWork = 1;
/// Fewer elements than this are not worth the wait.
constexpr std::int64_t kFewestItems = 4096;

bool is_tile(Producer producer) {
  return producer == Producer::kMap || producer == Producer::kSpread || producer == Producer::kGather ||
         producer == Producer::kScan;
}

}  // namespace

int descriptor_like(const Kernel::Step& step, int like) {
  const vcode::Signature& signature = vcode::info(step.op).signature;
  const auto length =
      like < 0 ? signature.results[0].length : signature.operands[static_cast<std::size_t>(like)].length;
  for (int k = 0; k < signature.operand_count; ++k) {
    const vcode::Role& role = signature.operands[static_cast<std::size_t>(k)];
    if (role.type == RoleType::kSegdes && role.length == length) return k;
  }
  return -1;
}

TilePlan::TilePlan(const Kernel& k, const vcode::KernelFacts& facts, vcode::Widths widths)
    : kernel(k), values(k.values.size()) {
  for (KernelVar v = 0; v < values.size(); ++v)
    if (kernel.values[v].kind != vcode::Kind::kSegdes) values[v].type = widths.of(kernel.values[v].kind);
  for (const Kernel::Step& step : kernel.steps)
    if (!step.is_constant()) add_step(step, facts);
  const auto used = static_cast<std::uint64_t>(std::max(1, assign_slots()));
  tile = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::bit_floor(kTileBytes / 8 / used)), kSmallestTile,
                                  kLargestTile);
  for (const KernelVar v : kernel.outputs) values[v].materialised = true;
  for (const Kernel::Step* step : scatters)
    for (const KernelVar v : step->operands) values[v].materialised = true;
  split(facts);
}

void TilePlan::add_step(const Kernel::Step& step, const vcode::KernelFacts& facts) {
  const Producer producer = facts.producers[step.results[0]];
  if (producer == Producer::kScatter) return scatters.push_back(&step);
  if (producer == Producer::kEpilogue) return epilogues.push_back(&step);
  Step added{&step, producer};
  added.cut = cut_of(step, producer);
  added.after_scan = producer == Producer::kScan || std::any_of(step.operands.begin(), step.operands.end(),
                                                                [&](KernelVar v) { return facts.after_scan[v]; });
  values[step.results[0]].spread = producer == Producer::kSpread && step.op == Op::kDist;
  if (producer == Producer::kScan) added.number = scans++;
  if (producer == Producer::kReduce) added.number = reductions++;
  if (producer == Producer::kPack) {
    added.packed = packs++;
    const auto first = first_pack_like(kernel, static_cast<std::uint32_t>(&step - kernel.steps.data()));
    added.counts = &kernel.steps[first] == &step;
    if (added.counts)
      added.number = counts++;
    else
      added.number = std::find_if(steps.begin(), steps.end(), [&](const Step& s) {
                       return s.step == &kernel.steps[first];
                     })->number;
  }
  steps.push_back(added);
}

/// Which of the step's descriptors cuts the index space: that of the indices for a gather, of the result for what
/// fills segments, else that of the first operand.
int TilePlan::cut_of(const Kernel::Step& step, Producer producer) {
  if (producer == Producer::kMap) return -1;
  const int like = producer == Producer::kSpread ? -1 : producer == Producer::kGather ? 1 : 0;
  const KernelVar descriptor = step.operands[static_cast<std::size_t>(descriptor_like(step, like))];
  const auto at = std::find(cuts.begin(), cuts.end(), descriptor);
  if (at == cuts.end()) cuts.push_back(descriptor);
  return static_cast<int>(std::find(cuts.begin(), cuts.end(), descriptor) - cuts.begin());
}

/// What a piece does before and after it waits. Of what is needed afterwards, that which is made from a value for each
/// segment, or from inputs by a few cheap operations, is made twice; all else is kept.
void TilePlan::split(const vcode::KernelFacts& facts) {
  if (!has_carries()) {
    piece_items = kPieceItems;
    return;
  }
  std::vector<int> work(values.size(), kCheapWork + 1);
  std::fill_n(work.begin(), kernel.input_count, 0);
  for (const Step& s : steps) {
    int& made = work[s.step->results[0]];
    if (s.producer == Producer::kSpread) made = 0;
    if (s.producer == Producer::kMap && vcode::info(s.step->op).flops == 1) {
      made = 1;
      for (const KernelVar v : s.step->operands) made = std::min(made + work[v], kCheapWork + 1);
    }
  }
  std::vector<bool> needed(values.size());
  std::int64_t bytes = 0;
  for (std::size_t k = steps.size(); k-- > 0;) {
    const Step& s = steps[k];
    const KernelVar result = s.step->results[0];
    const bool again = !s.after_scan && needed[result] && work[result] <= kCheapWork;
    if (s.after_scan || again) {
      after.insert(after.begin(), s);
      for (const KernelVar v : s.step->operands) needed[v] = true;
    }
    if (!s.after_scan || s.producer == Producer::kScan || s.counts) before.insert(before.begin(), s);
    values[result].kept = needed[result] && !s.after_scan && is_tile(facts.producers[result]) && !again;
    const bool packed = s.producer == Producer::kPack && !s.after_scan;
    if (values[result].kept || packed) bytes += static_cast<std::int64_t>(elem_size(values[result].type));
    const bool serves_scans = is_tile(s.producer) && !values[result].kept && !values[result].materialised;
    only_scans_before = only_scans_before && (s.after_scan ? !s.counts : serves_scans);
  }
  piece_items = std::clamp(kKeptBytes / std::max<std::int64_t>(bytes, 1) / tile * tile, kFewestItems, kPieceItems);
}

/// A tile is used again as soon as its value has been read for the last time. What is spread keeps its own, in case
/// it has to be filled but once. Returns the number of tiles without these.
int TilePlan::assign_slots() {
  int spread = 0;
  std::vector<const Kernel::Step*> last(values.size(), nullptr);
  for (const Step& s : steps)
    for (const KernelVar v : s.step->operands) last[v] = s.step;
  std::vector<int> free;
  auto take = [&] {
    if (free.empty()) return slots++;
    const int slot = free.back();
    free.pop_back();
    return slot;
  };
  for (const Step& s : steps) {
    const KernelVar result = s.step->results[0];
    if (values[result].spread) {
      values[result].slot = slots++;
      ++spread;
      continue;
    }
    // An elementwise step may overwrite an operand of its size.
    std::vector<int> freed;
    for (const KernelVar v : s.step->operands)
      if (last[v] == s.step && values[v].slot >= 0 && !values[v].spread &&
          std::find(freed.begin(), freed.end(), values[v].slot) == freed.end()) {
        const bool overwritten = s.producer == Producer::kMap && values[result].slot < 0 &&
                                 elem_size(values[v].type) == elem_size(values[result].type);
        if (overwritten)
          values[result].slot = values[v].slot;
        else
          freed.push_back(values[v].slot);
      }
    std::erase(freed, values[result].slot);
    if (is_tile(s.producer) && values[result].slot < 0) values[result].slot = take();
    free.insert(free.end(), freed.begin(), freed.end());
    if (is_tile(s.producer) && last[result] == nullptr) free.push_back(values[result].slot);
  }
  return slots - spread;
}

}  // namespace cvl::cpu

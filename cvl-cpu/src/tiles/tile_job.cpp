#include "tiles/tile_job.h"

#include <algorithm>
#include <cstring>

#include "base/streaming.h"
#include "operations/operations.h"
#include "tuning/kernel_tuning.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;
using PlannedStep = TilePlan::PlannedStep;

namespace {

/// Whether two segmentations are known to be equal without comparing their segments.
bool are_known_to_be_equal(const SegmentMap& a, const SegmentMap& b) {
  if (a.segments != b.segments || a.elements != b.elements || a.regular_length != b.regular_length) return false;
  return a.is_regular() || a.offsets == b.offsets;
}

std::int64_t longest_segment(const SegmentMap& map) {
  if (map.is_regular()) return map.regular_length;
  std::int64_t longest = 0;
  for (std::int64_t k = 0; k < map.segments; ++k) longest = std::max(longest, map.offsets[k + 1] - map.offsets[k]);
  return longest;
}

}  // namespace

TileJob::TileJob(Context& c, const TilePlan& p, std::span<const CompiledRegion> r, const KernelCall& k,
                 std::pmr::polymorphic_allocator<> m)
    : context(c), plan(p), compiled(r), call(k), small_memory(m) {
  cuts.reserve(plan.cuts.size() + 1);
  for (const KernelVar v : plan.cuts) cuts.push_back(call.maps[v]);
  if (cuts.empty()) cuts.push_back(SegmentMap::single(call.elements));
  if (plan.by_blocks()) {
    main_cut = plan.block_cuts[0];
    by_one = std::all_of(plan.block_cuts.begin(), plan.block_cuts.end(), [&](int cut) {
      return are_known_to_be_equal(cuts[static_cast<std::size_t>(cut)], cuts[static_cast<std::size_t>(main_cut)]);
    });
  } else {
    for (std::size_t d = 1; d < cuts.size(); ++d)
      if (cuts[d].segments > cuts[static_cast<std::size_t>(main_cut)].segments) main_cut = static_cast<int>(d);
  }
  partition =
      Partition(cuts[static_cast<std::size_t>(main_cut)], plan.piece_items, {plan.by_blocks() ? kFoldBlock : 1, true});
  pieces = partition.pieces();
  flat = std::all_of(cuts.begin(), cuts.end(), [](const SegmentMap& map) { return map.is_single(); });
  single_tables = std::all_of(plan.steps.begin(), plan.steps.end(), [&](const PlannedStep& step) {
    if (step.producer != Producer::kGather) return true;
    return call.maps[step.step->operands[static_cast<std::size_t>(descriptor_like(*step.step, 0))]].is_single();
  });
  single_targets = std::all_of(plan.regions.begin(), plan.regions.end(), [&](const Region& region) {
    return std::all_of(region.scatters.begin(), region.scatters.end(), [&](const Region::Scatter& scatter) {
      const SegmentMap& map =
          call.maps[scatter.step->operands[static_cast<std::size_t>(descriptor_like(*scatter.step, -1))]];
      return map.is_single() && !needs_wide_places(map, map);
    });
  });
  in_turn = plan.has_carries() && (pieces <= 1 || context.parallel.threads() == 1);
  const std::size_t n = plan.values.size();
  memory.resize(n);
  streamed.resize(n);
  uniform.resize(n);
  made_for.resize(n, kNoCut);
  region_cuts.reserve(plan.regions.size());
  for (const Region& region : plan.regions)
    region_cuts.push_back(is_compiled(static_cast<int>(region_cuts.size())) ? cut_of(region) : kNoCut);
  find_across();
}

Piece TileJob::piece_of(int c, std::int64_t p) const {
  Piece piece = partition.piece(p);
  if (c == main_cut) return piece;
  const SegmentMap& map = cuts[static_cast<std::size_t>(c)];
  piece.segment_begin = p == 0 ? 0 : ended_before(map, piece.element_begin, 0, map.segments);
  piece.segment_end =
      p + 1 == pieces ? map.segments : ended_before(map, piece.element_end, piece.segment_begin, map.segments);
  return piece;
}

/// The element of region_cuts for a region. Its loop nest goes over the segments of its scans, PACKs and folds and of
/// its generated inputs. A descriptor with one segment fits any other, unless all of its elements are folded. With
/// several segments, scans use a loop over elements with head flags, and PACKs are not counted per segment.
int TileJob::cut_of(const Region& region) const {
  if (!region.goes_by_segments()) return kNoCut;
  int found = kNoCut;
  bool differ = false;
  const auto add = [&](int cut) {
    if (found == kNoCut || is_single(found))
      found = cut;
    else if (!is_single(cut))
      differ |= !are_known_to_be_equal(cuts[static_cast<std::size_t>(cut)], cuts[static_cast<std::size_t>(found)]);
  };
  for (const Region::Input& input : region.inputs)
    if (input.made != Region::Generated::kNot) add(input.cut);
  for (const Region::Table& table : region.tables)
    if (!map_of(table).is_single()) add(table.cut);
  for (const Region::Fold& fold : region.folds) add(fold.cut);
  for (const Region::Scan& scan : region.scans) add(scan.cut);
  for (const Region::Pack& pack : region.packs) add(pack.cut);
  if (!region.scans.empty() || !region.packs.empty()) differ |= !is_single(found);
  for (const Region::Fold& fold : region.folds) differ |= is_single(fold.cut) != is_single(found);
  return differ ? kNoCut : found;
}

/// A region is computed with one segment a lane if all its generated inputs and its results have the segments of one
/// descriptor, of which there are several and none is long. If no other region has a loop nest over these segments, no
/// tiles of the generated inputs are needed, whatever the lengths.
void TileJob::find_across() {
  across.resize(plan.regions.size());
  long_segments.resize(cuts.size(), 0);
  for (std::size_t r = 0; r < plan.regions.size(); ++r) {
    const Region& region = plan.regions[r];
    const int cut = region_cuts[r];
    if (cut == kNoCut) continue;
    const auto is_of_segment = [&](const auto& part) {
      return are_known_to_be_equal(cuts[static_cast<std::size_t>(part.cut)], cuts[static_cast<std::size_t>(cut)]);
    };
    const auto fits = [&](const Region::Input& input) {
      return is_of_segment(input) || (input.made == Region::Generated::kSpread && is_single(input.cut));
    };
    across[r] = region.goes_across() && !is_single(cut) &&
                std::all_of(region.inputs.begin(), region.inputs.end(), fits) &&
                std::all_of(region.extremes.begin(), region.extremes.end(), is_of_segment) &&
                longest_segment(cuts[static_cast<std::size_t>(cut)]) <= kLongestAcross;
    if (!across[r]) long_segments[static_cast<std::size_t>(cut)] = plan.long_segment;
  }
}

/// The element of made_for for a value that DIST, INDEX or SLICE generates.
int TileJob::cut_of_readers(KernelVar v) const {
  const TilePlan::PlannedValue& value = plan.values[v];
  if (compiled.empty() || value.materialised || value.read_elsewhere) return kNoCut;
  int found = kNoCut;
  for (std::size_t r = 0; r < plan.regions.size(); ++r) {
    const Region& region = plan.regions[r];
    const bool reads = std::any_of(region.inputs.begin(), region.inputs.end(),
                                   [&](const Region::Input& input) { return input.value == v; });
    if (!reads || (region.is_part && single_tables && single_targets)) continue;
    const int cut = region_cuts[r];
    if (cut == kNoCut) return kNoCut;
    if (found == kNoCut || is_single(found))
      found = cut;
    else if (!is_single(cut) && cut != found)
      return kNoCut;
  }
  return found;
}

/// Allocates everything but the tiles. False, after a report, if memory ran out.
bool TileJob::allocate() {
  auto missing = [&](auto& scratch, std::int64_t n) {
    using T = std::remove_reference_t<decltype(scratch[0])>;
    scratch = context.arena.scratch<T>(n);
    if (scratch) return false;
    context.out_of_memory(static_cast<std::size_t>(n) * sizeof(T));
    return true;
  };
  for (KernelVar v = 0; v < plan.values.size(); ++v) {
    const TilePlan::PlannedValue& value = plan.values[v];
    if (value.slot < 0 || !value.materialised) continue;
    memory[v] = call.results[v].data;
    const Result whole{value.type, call.elements, memory[v]};
    if (memory[v] == nullptr) {
      vectors.push_back({});
      if (missing(vectors.back(), whole.length * size_of(v))) return false;
      memory[v] = vectors.back().get();
    }
    // A kept value is read again soon, so it should stay in the cache.
    streamed[v] = !value.kept && stream_result(whole);
  }
  for (const PlannedStep& step : plan.steps) {
    const KernelVar v = step.step->results[0];
    uniform[v] = flat && plan.values[v].spread && !plan.values[v].materialised;
    if (step.producer == Producer::kSpread) made_for[v] = cut_of_readers(v);
  }
  if (plan.has_carries()) {
    if (missing(carries, (pieces + 1) * (plan.scans + plan.counts)) || missing(ready, pieces)) return false;
    for (std::int64_t p = 0; p < pieces; ++p) new (&ready[p]) std::atomic<bool>(false);
    for (const PlannedStep& step : plan.steps)
      if (step.producer == Producer::kScan)
        carry(0)[step.number] = context.kernels.scan.neutral.at(vcode::info(step.step->op).monoid,
                                                                plan.values[step.step->operands[0]].type);
    std::fill_n(carry(0) + plan.scans, plan.counts, Slot{0});
  }
  for (const PlannedStep& step : plan.steps)
    if (step.producer == Producer::kScatter && !begin_scatter(step)) return false;
  const std::int64_t shared = pieces * (plan.reductions + plan.counts);
  if (shared > 0) {
    if (missing(edges, shared)) return false;
    for (std::int64_t k = 0; k < shared; ++k) edges[k] = {};
    if (plan.reductions > 0 && missing(block_sums, pieces * plan.reductions * plan.most_tiles())) return false;
  }
  if (const std::int64_t of_extremes = pieces * plan.arg_reductions; of_extremes > 0) {
    if (missing(extreme_edges, of_extremes)) return false;
    for (std::int64_t k = 0; k < of_extremes; ++k) extreme_edges[k] = {};
  }
  return true;
}

/// Combines, in order, the partial results of segments that extend over several chunks.
void TileJob::join() {
  for (const PlannedStep& step : plan.steps) {
    if (step.producer == Producer::kReduce) join_reduction(step);
    if (step.producer == Producer::kArgReduce) join_arg_reduction(step);
    if (step.counts) join_count(step);
  }
}

void TileJob::join_reduction(const PlannedStep& step) {
  const ElemType type = plan.values[step.step->operands[0]].type;
  const Monoid monoid = vcode::info(step.step->op).monoid;
  ScanKernels::Combine* combine = context.kernels.scan.combine.at(monoid, type);
  char* result = static_cast<char*>(call.results[step.step->results[0]].data);
  Slot before = context.kernels.scan.neutral.at(monoid, type);
  for (std::int64_t p = 0; p < pieces; ++p) {
    const Edge& edge = this->edge(p, step.number);
    for (std::int64_t k = 0; k < edge.blocks; ++k) before = combine(blocks(p, step.number)[k], before);
    if (edge.first >= 0)
      std::memcpy(result + edge.first * static_cast<std::int64_t>(elem_size(type)), &before, elem_size(type));
    if (edge.begins) before = edge.tail;
  }
}

void TileJob::join_count(const PlannedStep& step) {
  std::int64_t begun = 0;  // true flags of the open segment in earlier chunks
  for (std::int64_t p = 0; p < pieces; ++p) {
    const Edge& edge = this->edge(p, plan.reductions + step.number);
    if (edge.first >= 0) {
      add_to(call.results[step.step->results[1]], edge.first, begun);
      begun = 0;
    }
    begun += static_cast<std::int64_t>(edge.tail);
  }
  call.kept[step.step->results[0]] = static_cast<std::int64_t>(carry(pieces)[plan.scans + step.number]);
}

/// The result of a permute; without an address, after a report, if memory ran out. A dead result is computed as well,
/// since the permute may have a fault.
Result TileJob::place_scattered(const vcode::Kernel::Step& step) {
  const KernelVar v = step.results[0];
  if (call.results[v].data != nullptr) return call.results[v];
  const std::int64_t places = call.maps[step.operands[static_cast<std::size_t>(descriptor_like(step, -1))]].elements;
  const std::int64_t bytes = places * size_of(v);
  vectors.push_back(context.arena.scratch<char>(std::max<std::int64_t>(bytes, 1)));
  if (vectors.back() == nullptr) context.out_of_memory(static_cast<std::size_t>(bytes));
  return {plan.values[v].type, places, vectors.back().get()};
}

bool TileJob::begin_scatter(const PlannedStep& step) {
  const vcode::Kernel::Step& permute = *step.step;
  const Result to = place_scattered(permute);
  if (to.data == nullptr) return false;
  const auto map = [&](int like) {
    return call.maps[permute.operands[static_cast<std::size_t>(descriptor_like(permute, like))]];
  };
  const bool flagged = vcode::info(permute.op).signature.operands[2].type == vcode::RoleType::kBool;
  return scatters.emplace_back(context, map(0), map(-1), flagged, plan.values[permute.operands[1]].type, to).begin();
}

/// Completes the work that depends on all chunks: checks of permutes, then steps that need whole vectors. False if
/// there is a fault.
bool TileJob::finish_steps() {
  auto operand = [&](KernelVar v) {
    if (call.operands[v].data != nullptr) return call.operands[v];
    if (memory[v] != nullptr) return Operand{plan.values[v].type, call.elements, memory[v]};
    return Operand{call.results[v].type, call.results[v].length, call.results[v].data};
  };
  for (PiecewiseScatter& scatter : scatters)
    if (!scatter.places_were_distinct()) {
      context.faults.report(FaultKind::kDuplicateTarget, 0, 0);
      return false;
    }
  for (const vcode::Kernel::Step* step : plan.ordered_scatters) {
    const vcode::Signature& signature = vcode::info(step->op).signature;
    const Operand source = operand(step->operands[0]), indices = operand(step->operands[1]);
    const auto map_like = [&](int like) -> const SegmentMap& {
      return call.maps[step->operands[static_cast<std::size_t>(descriptor_like(*step, like))]];
    };
    Scatter job{source, indices, nullptr, nullptr, map_like(0), map_like(-1)};
    Operand flags, defaults;
    for (std::size_t k = 2; k < step->operands.size(); ++k) {
      const vcode::Role& role = signature.operands[k];
      if (role.type == vcode::RoleType::kBool) {
        flags = operand(step->operands[k]);
        job.flags = &flags;
      } else if (role.type == vcode::RoleType::kSuffix) {
        defaults = operand(step->operands[k]);
        job.defaults = &defaults;
      }
    }
    const Result to = place_scattered(*step);
    if (to.data == nullptr) return false;
    scatter(context, job, to);
    if (context.faults.any()) return false;
  }
  if (!run_joined_epilogues()) return false;
  for (const TilePlan::Epilogue& epilogue : plan.epilogues) {
    if (epilogue.cut >= 0) continue;
    const vcode::Kernel::Step& step = *epilogue.step;
    Operand operands[vcode::Signature::kMaxRoles];
    std::transform(step.operands.begin(), step.operands.end(), operands, operand);
    elementwise(context, step.op, std::span(operands, step.operands.size()), call.results[step.results[0]]);
    if (context.faults.any()) return false;
  }
  return true;
}

}  // namespace cvl::cpu

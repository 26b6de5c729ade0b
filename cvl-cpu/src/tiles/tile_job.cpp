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
bool are_known_to_be_equal(const SegmentDescriptor& a, const SegmentDescriptor& b) {
  if (a.segments != b.segments || a.elements != b.elements || a.regular_length != b.regular_length) return false;
  return a.is_regular() || a.offsets == b.offsets;
}

std::int64_t longest_segment(const SegmentDescriptor& descriptor) {
  if (descriptor.is_regular()) return descriptor.regular_length;
  std::int64_t longest = 0;
  for (std::int64_t k = 0; k < descriptor.segments; ++k)
    longest = std::max(longest, descriptor.offsets[k + 1] - descriptor.offsets[k]);
  return longest;
}

}  // namespace

TileJob::TileJob(Context& c, const TilePlan& p, std::span<const CompiledRegion> r, const KernelCall& k,
                 std::pmr::polymorphic_allocator<> m)
    : context(c), plan(p), compiled(r), call(k), small_memory(m) {
  segmentations.reserve(plan.segmentations.size() + 1);
  for (const KernelVar v : plan.segmentations) segmentations.push_back(call.descriptors[v]);
  if (segmentations.empty()) segmentations.push_back(SegmentDescriptor::single(call.elements));
  if (plan.by_blocks()) {
    main_segmentation = plan.block_segmentations[0];
    by_one = std::all_of(plan.block_segmentations.begin(), plan.block_segmentations.end(), [&](int segmentation) {
      return are_known_to_be_equal(segmentations[static_cast<std::size_t>(segmentation)],
                                   segmentations[static_cast<std::size_t>(main_segmentation)]);
    });
  } else {
    for (std::size_t d = 1; d < segmentations.size(); ++d)
      if (segmentations[d].segments > segmentations[static_cast<std::size_t>(main_segmentation)].segments)
        main_segmentation = static_cast<int>(d);
  }
  partition = Partition(segmentations[static_cast<std::size_t>(main_segmentation)], plan.chunk_items,
                        {plan.by_blocks() ? kFoldBlock : 1, true});
  chunks = partition.chunks();
  flat = std::all_of(segmentations.begin(), segmentations.end(),
                     [](const SegmentDescriptor& descriptor) { return descriptor.is_single(); });
  single_tables = std::all_of(plan.steps.begin(), plan.steps.end(), [&](const PlannedStep& step) {
    if (step.producer != Producer::kGather) return true;
    return call.descriptors[step.step->operands[static_cast<std::size_t>(descriptor_like(*step.step, 0))]].is_single();
  });
  single_targets = std::all_of(plan.regions.begin(), plan.regions.end(), [&](const Region& region) {
    return std::all_of(region.scatters.begin(), region.scatters.end(), [&](const Region::Scatter& scatter) {
      const SegmentDescriptor& descriptor =
          call.descriptors[scatter.step->operands[static_cast<std::size_t>(descriptor_like(*scatter.step, -1))]];
      return descriptor.is_single() && !needs_wide_positions(descriptor, descriptor);
    });
  });
  in_turn = plan.has_carries() && (chunks <= 1 || context.parallel.threads() == 1);
  const std::size_t n = plan.values.size();
  memory.resize(n);
  streamed.resize(n);
  uniform.resize(n);
  made_for.resize(n, kNoSegmentation);
  region_segmentations.reserve(plan.regions.size());
  for (const Region& region : plan.regions)
    region_segmentations.push_back(is_compiled(static_cast<int>(region_segmentations.size())) ? segmentation_of(region)
                                                                                              : kNoSegmentation);
  find_across();
}

Chunk TileJob::chunk_of(int c, std::int64_t p) const {
  Chunk chunk = partition.chunk(p);
  if (c == main_segmentation) return chunk;
  const SegmentDescriptor& descriptor = segmentations[static_cast<std::size_t>(c)];
  chunk.segment_begin = p == 0 ? 0 : ended_before(descriptor, chunk.element_begin, 0, descriptor.segments);
  chunk.segment_end = p + 1 == chunks
                          ? descriptor.segments
                          : ended_before(descriptor, chunk.element_end, chunk.segment_begin, descriptor.segments);
  return chunk;
}

/// The element of region_segmentations for a region. Its loop nest goes over the segments of its scans, PACKs and folds
/// and of its generated inputs. A descriptor with one segment fits any other, unless all of its elements are folded.
/// With several segments, scans use a loop over elements with head flags, and PACKs are not counted per segment.
int TileJob::segmentation_of(const Region& region) const {
  if (!region.goes_by_segments()) return kNoSegmentation;
  int found = kNoSegmentation;
  bool differ = false;
  const auto add = [&](int segmentation) {
    if (found == kNoSegmentation || is_single(found))
      found = segmentation;
    else if (!is_single(segmentation))
      differ |= !are_known_to_be_equal(segmentations[static_cast<std::size_t>(segmentation)],
                                       segmentations[static_cast<std::size_t>(found)]);
  };
  for (const Region::Input& input : region.inputs)
    if (input.made != Region::Generated::kNot) add(input.segmentation);
  for (const Region::Table& table : region.tables)
    if (!map_of(table).is_single()) add(table.segmentation);
  for (const Region::Fold& fold : region.folds) add(fold.segmentation);
  for (const Region::Scan& scan : region.scans) add(scan.segmentation);
  for (const Region::Pack& pack : region.packs) add(pack.segmentation);
  if (!region.scans.empty() || !region.packs.empty()) differ |= !is_single(found);
  for (const Region::Fold& fold : region.folds) differ |= is_single(fold.segmentation) != is_single(found);
  return differ ? kNoSegmentation : found;
}

/// A region is computed with one segment a lane if all its generated inputs and its results have the segments of one
/// descriptor, of which there are several and none is long. If no other region has a loop nest over these segments, no
/// tiles of the generated inputs are needed, whatever the lengths.
void TileJob::find_across() {
  across.resize(plan.regions.size());
  long_segments.resize(segmentations.size(), 0);
  for (std::size_t r = 0; r < plan.regions.size(); ++r) {
    const Region& region = plan.regions[r];
    const int segmentation = region_segmentations[r];
    if (segmentation == kNoSegmentation) continue;
    const auto is_of_segment = [&](const auto& part) {
      return are_known_to_be_equal(segmentations[static_cast<std::size_t>(part.segmentation)],
                                   segmentations[static_cast<std::size_t>(segmentation)]);
    };
    const auto fits = [&](const Region::Input& input) {
      return is_of_segment(input) || (input.made == Region::Generated::kSpread && is_single(input.segmentation));
    };
    across[r] = region.goes_across() && !is_single(segmentation) &&
                std::all_of(region.inputs.begin(), region.inputs.end(), fits) &&
                std::all_of(region.extremes.begin(), region.extremes.end(), is_of_segment) &&
                longest_segment(segmentations[static_cast<std::size_t>(segmentation)]) <= kLongestAcross;
    if (!across[r]) long_segments[static_cast<std::size_t>(segmentation)] = plan.long_segment;
  }
}

/// The element of made_for for a value that DIST, INDEX or SLICE generates.
int TileJob::segmentation_of_readers(KernelVar v) const {
  const TilePlan::PlannedValue& value = plan.values[v];
  if (compiled.empty() || value.materialised || value.read_elsewhere) return kNoSegmentation;
  int found = kNoSegmentation;
  for (std::size_t r = 0; r < plan.regions.size(); ++r) {
    const Region& region = plan.regions[r];
    const bool reads = std::any_of(region.inputs.begin(), region.inputs.end(),
                                   [&](const Region::Input& input) { return input.value == v; });
    if (!reads || (region.is_part && single_tables && single_targets)) continue;
    const int segmentation = region_segmentations[r];
    if (segmentation == kNoSegmentation) return kNoSegmentation;
    if (found == kNoSegmentation || is_single(found))
      found = segmentation;
    else if (!is_single(segmentation) && segmentation != found)
      return kNoSegmentation;
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
    if (step.producer == Producer::kSpread) made_for[v] = segmentation_of_readers(v);
  }
  if (plan.has_carries()) {
    if (missing(carries, (chunks + 1) * (plan.scans + plan.counts)) || missing(ready, chunks)) return false;
    for (std::int64_t p = 0; p < chunks; ++p) new (&ready[p]) std::atomic<bool>(false);
    for (const PlannedStep& step : plan.steps)
      if (step.producer == Producer::kScan)
        carry(0)[step.number] = context.kernels.scan.identity.at(vcode::info(step.step->op).monoid,
                                                                 plan.values[step.step->operands[0]].type);
    std::fill_n(carry(0) + plan.scans, plan.counts, Slot{0});
  }
  for (const PlannedStep& step : plan.steps)
    if (step.producer == Producer::kScatter && !begin_scatter(step)) return false;
  const std::int64_t shared = chunks * (plan.reductions + plan.counts);
  if (shared > 0) {
    if (missing(edges, shared)) return false;
    for (std::int64_t k = 0; k < shared; ++k) edges[k] = {};
    if (plan.reductions > 0 && missing(block_sums, chunks * plan.reductions * plan.most_tiles())) return false;
  }
  if (const std::int64_t of_extremes = chunks * plan.arg_reductions; of_extremes > 0) {
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
  Slot before = context.kernels.scan.identity.at(monoid, type);
  for (std::int64_t p = 0; p < chunks; ++p) {
    const Edge& edge = this->edge(p, step.number);
    for (std::int64_t k = 0; k < edge.blocks; ++k) before = combine(blocks(p, step.number)[k], before);
    if (edge.first >= 0)
      std::memcpy(result + edge.first * static_cast<std::int64_t>(elem_size(type)), &before, elem_size(type));
    if (edge.begins) before = edge.tail;
  }
}

void TileJob::join_count(const PlannedStep& step) {
  std::int64_t begun = 0;  // true flags of the open segment in earlier chunks
  for (std::int64_t p = 0; p < chunks; ++p) {
    const Edge& edge = this->edge(p, plan.reductions + step.number);
    if (edge.first >= 0) {
      add_to(call.results[step.step->results[1]], edge.first, begun);
      begun = 0;
    }
    begun += static_cast<std::int64_t>(edge.tail);
  }
  call.kept[step.step->results[0]] = static_cast<std::int64_t>(carry(chunks)[plan.scans + step.number]);
}

/// The result of a permute; without an address, after a report, if memory ran out. A dead result is computed as well,
/// since the permute may have a fault.
Result TileJob::position_scattered(const vcode::Kernel::Step& step) {
  const KernelVar v = step.results[0];
  if (call.results[v].data != nullptr) return call.results[v];
  const std::int64_t positions =
      call.descriptors[step.operands[static_cast<std::size_t>(descriptor_like(step, -1))]].elements;
  const std::int64_t bytes = positions * size_of(v);
  vectors.push_back(context.arena.scratch<char>(std::max<std::int64_t>(bytes, 1)));
  if (vectors.back() == nullptr) context.out_of_memory(static_cast<std::size_t>(bytes));
  return {plan.values[v].type, positions, vectors.back().get()};
}

bool TileJob::begin_scatter(const PlannedStep& step) {
  const vcode::Kernel::Step& permute = *step.step;
  const Result to = position_scattered(permute);
  if (to.data == nullptr) return false;
  const auto descriptor = [&](int like) {
    return call.descriptors[permute.operands[static_cast<std::size_t>(descriptor_like(permute, like))]];
  };
  const bool flagged = vcode::info(permute.op).signature.operands[2].type == vcode::RoleType::kBool;
  return scatters
      .emplace_back(context, descriptor(0), descriptor(-1), flagged, plan.values[permute.operands[1]].type, to)
      .begin();
}

/// Completes the work that depends on all chunks: checks of permutes, then steps that need whole vectors. False if
/// there is a fault.
bool TileJob::finish_steps() {
  auto operand = [&](KernelVar v) {
    if (call.operands[v].data != nullptr) return call.operands[v];
    if (memory[v] != nullptr) return Operand{plan.values[v].type, call.elements, memory[v]};
    return Operand{call.results[v].type, call.results[v].length, call.results[v].data};
  };
  for (ChunkedScatter& scatter : scatters)
    if (!scatter.positions_were_distinct()) {
      context.faults.report(FaultKind::kDuplicateTarget, 0, 0);
      return false;
    }
  for (const vcode::Kernel::Step* step : plan.ordered_scatters) {
    const vcode::Signature& signature = vcode::info(step->op).signature;
    const Operand source = operand(step->operands[0]), indices = operand(step->operands[1]);
    const auto map_like = [&](int like) -> const SegmentDescriptor& {
      return call.descriptors[step->operands[static_cast<std::size_t>(descriptor_like(*step, like))]];
    };
    Scatter job{source, indices, {}, {}, map_like(0), map_like(-1), position_scattered(*step)};
    if (job.result.data == nullptr) return false;
    for (std::size_t k = 2; k < step->operands.size(); ++k) {
      const vcode::Role& role = signature.operands[k];
      if (role.type == vcode::RoleType::kBool)
        job.flags = operand(step->operands[k]);
      else if (role.type == vcode::RoleType::kSuffix)
        job.defaults = operand(step->operands[k]);
    }
    cpu::run(context, job);
    if (context.faults.any()) return false;
  }
  if (!run_joined_epilogues()) return false;
  for (const TilePlan::Epilogue& epilogue : plan.epilogues) {
    if (epilogue.segmentation >= 0) continue;
    const vcode::Kernel::Step& step = *epilogue.step;
    Operand operands[vcode::Signature::kMaxRoles];
    std::transform(step.operands.begin(), step.operands.end(), operands, operand);
    cpu::run(context, Elementwise{step.op, std::span(operands, step.operands.size()), call.results[step.results[0]]});
    if (context.faults.any()) return false;
  }
  return true;
}

}  // namespace cvl::cpu

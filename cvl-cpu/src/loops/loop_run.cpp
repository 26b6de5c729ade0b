#include "loops/loop_run.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/streaming.h"
#include "cvl/fold_order.h"
#include "loops/arguments.h"
#include "loops/coarse_segments.h"
#include "loops/loop_worker.h"
#include "operations/operations.h"
#include "tuning/kernel_tuning.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;

LoopRun::LoopRun(Context& c, const LoopPlan& p, const LoopTiles& t, const KernelCall& k,
                 std::pmr::polymorphic_allocator<> m)
    : context(c),
      plan(p),
      tiling(t),
      call(k),
      small_memory(m),
      space(plan, call, tiling.chunk_items, longest_whole(context, plan), small_memory) {
  in_turn = plan.has_carries() && (chunks <= 1 || context.parallel.threads() == 1);
  if (!space.has_blocks_of_main()) return;
  const bool in_parts = plan.has_carries() && !are_carries_known();
  const bool fits =
      in_parts ? choose_calls(Part::kBefore) && (!plan.after || choose_calls(Part::kAfter)) : choose_calls(Part::kAll);
  if (!fits) forms_count_ = 0;
  by_block = fits && !in_parts && may_fold_by_block();
  once_a_chunk = by_block || (fits && !in_parts && may_call_once_a_chunk());
}

/// Whether one call can fold all blocks of a chunk: there is one segment, and nothing but the folds depends on where it
/// begins.
bool LoopRun::may_fold_by_block() const {
  const Loop& loop = plan.stage(Part::kAll).loop;
  const auto depends_on_begin = [](const Loop::Input& input) {
    return input.is_made() && input.access != Loop::Access::kSpread;
  };
  const auto fills_tiles = [&](const Loop::Output& output) {
    return output.in_nest && !plan.values[output.value].materialised;
  };
  const auto is_single_fold = [&](const Loop::Fold& fold) { return !fold.is_carry() && is_single(fold.segmentation); };
  const auto is_around = [](const LoopPlan::Step& step) {
    return step.producer == Producer::kArgReduce || step.producer == Producer::kScatter;
  };
  return plan.by_blocks() && call.elements > 0 && calls(Part::kAll).form == Loop::Form::kNest &&
         is_single(calls(Part::kAll).nest) && loop.scans.empty() && loop.packs.empty() &&
         std::ranges::all_of(loop.folds, is_single_fold) && std::ranges::none_of(loop.inputs, depends_on_begin) &&
         std::ranges::none_of(loop.outputs, fills_tiles) && std::ranges::none_of(plan.whole.steps, is_around);
}

/// The length up to which chunks do not divide the segments of scans, so that threads need not wait for carries: if
/// there are several threads, and nothing else makes chunks wait.
std::int64_t LoopRun::longest_whole(const Context& context, const LoopPlan& plan) {
  return context.parallel.threads() > 1 && plan.counts == 0 && !plan.in_order ? kLargestTile : 0;
}

/// Whether one call can compute a chunk: nothing around the loop reads tiles, and no segment has several blocks.
bool LoopRun::may_call_once_a_chunk() const {
  const Loop& loop = plan.stage(Part::kAll).loop;
  const auto fills_tiles = [&](const Loop::Output& output) {
    return output.in_nest && !plan.values[output.value].materialised;
  };
  if (calls(Part::kAll).form == Loop::Form::kFlat || std::ranges::any_of(loop.outputs, fills_tiles)) return false;
  return !plan.by_blocks() || longest_segment(segmentation(space.main())) <= kFoldBlock;
}

bool LoopRun::can_go_on(const LoopPlan& plan) { return !plan.has_carries() && plan.scatters == 0; }

void LoopRun::run(const CompiledLoops& loops, const BegunRun& begun) {
  context.faults.begin_operation();
  loops_ = loops;
  VC_CHECK(!forms().empty() && std::ranges::all_of(forms(), [&](LoopForm form) { return loops[form] != nullptr; }));
  VC_CHECK(begun.items % tiling.chunk_items == 0);
  first_ = begun.items / tiling.chunk_items;
  if (!allocate()) return;
  if (product_)
    run_product();
  else
    run_chunks();
  if (context.faults.any()) return;
  if (!product_) join(begun);
  finish_steps();
}

void LoopRun::run_chunks() {
  std::pmr::vector<LoopWorker> workers(small_memory);
  const std::int64_t most = in_turn ? 1 : std::min<std::int64_t>(chunks - first_, context.parallel.threads());
  workers.reserve(static_cast<std::size_t>(most));
  for (std::int64_t w = 0; w < most; ++w) {
    workers.emplace_back(*this);
    if (!workers.back().allocate()) return;
  }
  if (in_turn) {
    // A chunk with a fault passes no carries on.
    for (std::int64_t p = 0; p < chunks && !failed; ++p) workers[0].run_chunk(p);
    return;
  }
  std::pmr::vector<std::atomic<bool>> busy(workers.size(), small_memory);
  const auto run_chunk = [&](std::int64_t p) {
    std::size_t w = 0;
    while (busy[w].exchange(true, std::memory_order_acquire)) w = (w + 1) % busy.size();
    workers[w].run_chunk(p);
    busy[w].store(false, std::memory_order_release);
  };
  if (plan.has_carries() && !are_carries_known())
    context.parallel.for_each_in_order(chunks, run_chunk);
  else
    context.parallel.for_each(chunks - first_, [&](std::int64_t p) { run_chunk(first_ + p); });
}

/// Computes all segments as a product, then their epilogues. Threads take rows; those of a call and the columns of a
/// tile stay in the caches.
void LoopRun::run_product() {
  const Loop& loop = plan.whole.loop;
  const Loop::Product& product = *loop.product;
  Arguments arguments(loop.arguments, small_memory);
  set_constants(arguments, plan, loop, call, context.kernels.scan, {}, {});
  const vcode::Kernel::Step& fold = *loop.folds[0].step;
  arguments.set(loop.folds[0].result, call.results[fold.results[0]].data);
  arguments.set(product.row_distance, product_->row_distance);
  arguments.set(product.column_distance, product_->column_distance);
  arguments.set(product.columns_count, product_->columns);
  arguments.set(product.length, product_->length);
  const std::int64_t threads = context.parallel.threads(), rows = product_->rows,
                     in_cache = kProductBytes / (product_->length * size_of(fold.operands[0])),
                     of_call = std::max<std::int64_t>(kProductRows, std::min(in_cache, rows / (4 * threads))),
                     calls = rows / of_call;  // the last one computes the rest, too
  context.parallel.for_each(calls, [&](std::int64_t k) {
    const std::int64_t first = k * of_call, last = (k + 1 == calls ? rows : first + of_call) - 1;
    if (this->loop(Part::kAll)(arguments.data(), first, last))
      context.faults.report(FaultKind::kDivideByZero, first * product_->row_distance, 0);
  });
  if (context.faults.any()) return;
  for (int c = 0; c < static_cast<int>(space.segmentations()); ++c)
    context.parallel.for_ranges(segmentation(c).segments, 16 * kEpilogueTile,
                                [&](std::int64_t begin, std::int64_t end) { run_epilogues(c, begin, end, nullptr); });
}

/// Chooses the form in which a loop is called. False if none fits.
bool LoopRun::choose_calls(Part part) {
  const Loop& loop = plan.stage(part).loop;
  Calls& calls = calls_[static_cast<std::size_t>(part)];
  const auto has_single_targets = [&](const Loop::Scatter& scatter) {
    const SegmentDescriptor& descriptor =
        call.descriptors[scatter.step->operands[static_cast<std::size_t>(descriptor_like(*scatter.step, -1))]];
    return descriptor.is_single() && !needs_wide_positions(descriptor, descriptor);
  };
  if (!std::ranges::all_of(loop.scatters, has_single_targets)) return false;
  calls.nest = finest_segmentation(loop);
  calls.form = choose_form(loop, calls.nest);
  // The flat form takes any segments: to compare them all would take as long as a traversal of short ones.
  if (calls.form != Loop::Form::kFlat && calls.nest != kNoSegmentation && !fits_nest(loop, calls.nest)) {
    VC_CHECK(!product_);  // whose descriptors all have the segments of the nest, or one
    calls.nest = kNoSegmentation;
    calls.form = choose_form(loop, kNoSegmentation);
  }
  if (calls.form == Loop::Form::kNest && (calls.nest == kNoSegmentation || has_tiny_segments(calls.nest))) return false;
  forms_[forms_count_++] = {part, calls.form};
  return true;
}

/// Whether segments have so few elements that even the steps one after the other take less time than a nest.
bool LoopRun::has_tiny_segments(int nest) const { return call.elements < kTinySegment * segmentation(nest).segments; }

/// The form of a loop that is the fastest: lanes for short segments, for longer ones a product or else the nest.
Loop::Form LoopRun::choose_form(const Loop& loop, int nest) {
  if (may_use_lanes(loop, nest)) return Loop::Form::kLanes;
  if (tiling.products && loop.product && nest != kNoSegmentation)
    product_ = find_product_shape(plan, loop, call, segmentation(nest));
  if (product_) return Loop::Form::kProduct;
  const auto is_single_table = [&](const Loop::Table& table) { return descriptor_of(table).is_single(); };
  if (!loop.has_flat() || !std::ranges::all_of(loop.tables, is_single_table)) return Loop::Form::kNest;
  if (nest == kNoSegmentation) return Loop::Form::kFlat;
  const bool long_ones = call.elements >= tiling.long_segment * (segmentation(nest).segments + 1);
  return is_single(nest) || long_ones ? Loop::Form::kNest : Loop::Form::kFlat;
}

/// The segmentation that the nest of a loop would go over: the finest of those of its scans, PACKs and folds, of its
/// tables and of the inputs that are made from values per segment. kNoSegmentation if it has no nest.
int LoopRun::finest_segmentation(const Loop& loop) const {
  if (!loop.has_nest()) return kNoSegmentation;
  int found = kNoSegmentation;
  const auto add = [&](int number) {
    if (found == kNoSegmentation || segmentation(number).segments > segmentation(found).segments) found = number;
  };
  const auto add_all = [&](const auto& parts) {
    for (const auto& part : parts) add(part.segmentation);
  };
  const auto is_segmented = [&](const Loop::Table& table) { return !descriptor_of(table).is_single(); };
  for (const Loop::Input& input : loop.inputs)
    if (input.is_made()) add(input.segmentation);
  for (const Loop::Table& table : loop.tables)
    if (is_segmented(table)) add(table.segmentation);
  add_all(loop.folds);
  add_all(loop.scans);
  add_all(loop.packs);
  VC_CHECK(found != kNoSegmentation);
  return found;
}

/// Whether the nest of a loop can go over the finest segmentation. Segments of tables and inputs may consist of several
/// of its segments. A descriptor with one segment fits any other, unless all of its elements are folded, or scanned by
/// blocks.
bool LoopRun::fits_nest(const Loop& loop, int found) const {
  const auto is_segmented = [&](const Loop::Table& table) { return !descriptor_of(table).is_single(); };
  const auto are_equal_or_single = [&](const auto& parts) {
    return std::ranges::none_of(parts, [&](const auto& part) { return is_coarse(part.segmentation, found); });
  };
  const auto are_single_if_nest_is = [&](const auto& parts) {
    return std::ranges::all_of(parts,
                               [&](const auto& part) { return is_single(part.segmentation) == is_single(found); });
  };
  if (!are_equal_or_single(loop.folds) || !are_equal_or_single(loop.scans) || !are_equal_or_single(loop.packs) ||
      !are_single_if_nest_is(loop.folds) || (loop.scans_by_blocks && !are_single_if_nest_is(loop.scans)))
    return false;
  int checked = kNoSegmentation;
  const auto fits = [&](int number) {
    if (number == checked || !is_coarse(number, found)) return true;
    checked = number;
    return consists_of(segmentation(number), segmentation(found));
  };
  for (const Loop::Input& input : loop.inputs)
    if (input.is_made() && !fits(input.segmentation)) return false;
  for (const Loop::Table& table : loop.tables)
    if (is_segmented(table) && !fits(table.segmentation)) return false;
  return true;
}

/// Whether all segments are computed with one segment a lane: all inputs that are made per segment and all results have
/// the segments of the nest, of which there are several and none is long, and tables have one segment.
bool LoopRun::may_use_lanes(const Loop& loop, int nest) const {
  if (!loop.lanes || nest == kNoSegmentation || is_single(nest)) return false;
  const auto is_of_nest = [&](const auto& part) {
    return are_known_to_be_equal(segmentation(part.segmentation), segmentation(nest));
  };
  const auto is_single_table = [&](const Loop::Table& table) { return descriptor_of(table).is_single(); };
  const auto fits = [&](const Loop::Input& input) {
    return is_of_nest(input) || (input.access == Loop::Access::kSpread && is_single(input.segmentation));
  };
  return longest_segment(segmentation(nest)) <= kLongestInLane && std::ranges::all_of(loop.tables, is_single_table) &&
         std::ranges::all_of(loop.inputs, fits) && std::ranges::all_of(loop.arg_reductions, is_of_nest) &&
         std::ranges::all_of(loop.folds, is_of_nest);
}

/// Allocates everything but the tiling. False, after a report, if memory ran out.
bool LoopRun::allocate() {
  auto missing = [&](auto& scratch, std::int64_t n) {
    using T = std::remove_reference_t<decltype(scratch[0])>;
    scratch = context.arena.scratch<T>(n);
    if (scratch) return false;
    context.out_of_memory(static_cast<std::size_t>(n) * sizeof(T));
    return true;
  };
  for (const Part part : {Part::kAll, Part::kBefore, Part::kAfter})
    if (!refine(part)) return false;
  memory.resize(plan.values.size());
  streamed.resize(plan.values.size());
  for (const LoopPlan::Step& step : plan.whole.steps) {
    const KernelVar v = step.step->results[0];
    const LoopPlan::Value& value = plan.values[v];
    // Reductions, PACKs and scatters have results of other lengths.
    const bool over_elements = step.producer == Producer::kMap || step.producer == Producer::kSpread ||
                               step.producer == Producer::kGather || step.producer == Producer::kScan;
    if (!over_elements || !value.materialised) continue;
    memory[v] = call.results[v].data;
    const Result whole{value.type, call.elements, memory[v]};
    if (memory[v] == nullptr) {
      vectors_.push_back({});
      if (missing(vectors_.back(), whole.length * size_of(v))) return false;
      memory[v] = vectors_.back().get();
    }
    // A kept value is read again soon, so it should stay in the cache.
    streamed[v] = !value.kept && stream_result(whole);
  }
  if (plan.has_carries()) {
    if (missing(carries, (chunks + 1) * (plan.scans + plan.counts)) || missing(ready, chunks)) return false;
    for (std::int64_t p = 0; p < chunks; ++p) new (&ready[p]) std::atomic<bool>(false);
    const std::int64_t begun_anew = space.has_whole_scans() ? chunks : 1;  // chunks with the carries of no elements
    for (const LoopPlan::Step& step : plan.whole.steps) {
      if (step.producer != Producer::kScan) continue;
      const Slot identity =
          context.kernels.scan.identity.at(vcode::info(step.step->op).monoid, plan.values[step.step->operands[0]].type);
      for (std::int64_t p = 0; p < begun_anew; ++p) carry(p)[step.number] = identity;
    }
    std::fill_n(carry(0) + plan.scans, plan.counts, Slot{0});
  }
  for (const LoopPlan::Step& step : plan.whole.steps)
    if (step.producer == Producer::kScatter && !begin_scatter(step)) return false;
  if (plan.counts > 0 && missing(count_edges, chunks * plan.counts)) return false;
  if (plan.reductions > 0 && (missing(reduction_edges, chunks * plan.reductions) ||
                              missing(block_sums, chunks * plan.reductions * tiling.most_tiles)))
    return false;
  return plan.arg_reductions == 0 || !missing(chunk_extremes, chunks * plan.arg_reductions);
}

/// Combines, in order, the partial results of segments that extend over several chunks.
void LoopRun::join(const BegunRun& begun) {
  const auto with_begun = [&](auto begun_chunks, const auto* own, std::int64_t n) {
    std::pmr::vector<std::remove_cvref_t<decltype(*own)>> all(begun_chunks.begin(), begun_chunks.end(), small_memory);
    all.insert(all.end(), own + first_, own + n);
    return all;
  };
  const std::int64_t joined =
      calls(Part::kAll).form == Loop::Form::kLanes ? first_ : chunks;  // segments in lanes need no joining
  for (const LoopPlan::Step& step : plan.whole.steps) {
    if (step.counts) join_count(step);
    if (!vcode::is_reduction(step.producer)) continue;
    const ElemType type = plan.values[step.step->operands[0]].type;
    const Monoid monoid = vcode::info(step.step->op).monoid;
    const Result& result = call.results[step.step->results[0]];
    const SegmentDescriptor& descriptor = segmentation(step.segmentation);
    if (step.producer == Producer::kReduce) {
      const auto all = with_begun(begun.edges_of(step.number), edges(step.number), joined);
      context.kernels.reduce.join.at(monoid, type)(descriptor, all.data(), std::ssize(all), result.data);
    } else {
      join_extremes(context.kernels, monoid, type, descriptor,
                    with_begun(begun.extremes_of(step.number), extremes(step.number), joined), result);
    }
  }
}

void LoopRun::join_count(const LoopPlan::Step& step) {
  std::int64_t begun = 0;  // true flags of the open segment in earlier chunks
  for (std::int64_t p = 0; p < chunks; ++p) {
    const CountEdge& edge = count_edge(p, step.number);
    if (edge.first >= 0) {
      add_to(call.results[step.step->results[1]], edge.first, begun);
      begun = 0;
    }
    begun += edge.tail;
  }
  call.kept[step.step->results[0]] = static_cast<std::int64_t>(carry(chunks)[plan.scans + step.number]);
}

/// The result of a permute; without an address, after a report, if memory ran out. A dead result is computed as well,
/// since the permute may have a fault.
Result LoopRun::scattered(const vcode::Kernel::Step& step) {
  const KernelVar v = step.results[0];
  if (call.results[v].data != nullptr) return call.results[v];
  const std::int64_t positions =
      call.descriptors[step.operands[static_cast<std::size_t>(descriptor_like(step, -1))]].elements;
  const std::int64_t bytes = positions * size_of(v);
  vectors_.push_back(context.arena.scratch<char>(std::max<std::int64_t>(bytes, 1)));
  if (vectors_.back() == nullptr) context.out_of_memory(static_cast<std::size_t>(bytes));
  return {plan.values[v].type, positions, vectors_.back().get()};
}

bool LoopRun::begin_scatter(const LoopPlan::Step& step) {
  const vcode::Kernel::Step& permute = *step.step;
  const Result to = scattered(permute);
  if (to.data == nullptr) return false;
  const auto descriptor = [&](int like) {
    return call.descriptors[permute.operands[static_cast<std::size_t>(descriptor_like(permute, like))]];
  };
  ScatterRun& scatter = scatters.emplace_back();
  scatter.targets = to;
  if (const int defaults = vcode::defaults_of(permute.op); defaults >= 0) {
    copy_defaults(context, call.operands[permute.operands[static_cast<std::size_t>(defaults)]], to);
    return true;
  }
  scatter.distinct.emplace(context, descriptor(0), descriptor(-1), vcode::has_flags(permute.op),
                           plan.values[permute.operands[1]].type, to);
  return scatter.distinct->begin();
}

/// Completes the work that depends on all chunks: checks of permutes, then steps that need whole vectors. False if
/// there is a fault.
bool LoopRun::finish_steps() {
  auto operand = [&](KernelVar v) {
    if (call.operands[v].data != nullptr) return call.operands[v];
    if (memory[v] != nullptr) return Operand{plan.values[v].type, call.elements, memory[v]};
    return Operand{call.results[v].type, call.results[v].length, call.results[v].data};
  };
  for (ScatterRun& scatter : scatters)
    if (scatter.distinct && !scatter.distinct->positions_were_distinct()) {
      context.faults.report(FaultKind::kDuplicateTarget, 0, 0);
      return false;
    }
  if (!product_ && !run_joined_epilogues()) return false;
  for (const LoopPlan::Epilogue& epilogue : plan.epilogues) {
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

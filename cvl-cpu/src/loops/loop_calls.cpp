/// A worker's calls of compiled loops.

#include <algorithm>
#include <cstring>
#include <utility>

#include "loops/loop_worker.h"
#include "operations/operations.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;

/// Sets the members of a loop's argument that do not change during the run.
void LoopWorker::set_constants(Part part) {
  const Loop& loop = plan_.stage(part).loop;
  Arguments& to = arguments(part);
  cpu::set_constants(to, plan_, loop, run_.call, kernels().scan, carries_, positions_);
  const int nest = run_.calls(part).nest;
  for (const LoopRun::Refinement& refinement : run_.refinements(part)) to.set(refinement.member, refinement.address);
  for (const Loop::Table& table : loop.tables)
    if (nest != LoopRun::kNoSegmentation && run_.is_refined(table, nest)) to.set(table.step, std::int64_t{2});
  for (const Loop::Scatter& scatter : loop.scatters) {
    const auto k = static_cast<std::size_t>(scatter.number);
    to.set(scatter.result, run_.scatters[k].targets.data);
    to.set(scatter.targets, run_.scatters[k].targets.length);
    if (run_.scatters[k].distinct) to.set(scatter.hashes, &hashes_[k]);
  }
}

/// Sets the addresses of the vectors that a call reads and writes.
void LoopWorker::set_vectors(Part part, bool in_nest) {
  const Loop& loop = plan_.stage(part).loop;
  Arguments& to = arguments(part);
  for (const Loop::Input& input : loop.inputs)
    if (!in_nest || !input.is_made()) to.set(input.elements, base(input.value));
  const bool stores_whole_lines = !in_nest || run_.is_single(run_.calls(part).nest);
  for (const Loop::Output& output : loop.outputs) {
    const KernelVar v = output.value;
    to.set(output.elements, base(v));
    if (!output.may_stream) continue;
    const bool aligned = reinterpret_cast<std::uintptr_t>(at(v, begin_)) % 64 == 0;
    to.set(output.stream, std::int64_t{run_.streamed[v] && stores_whole_lines && aligned});
  }
}

/// Computes the tile's elements of a loop. Reports a fault.
LoopWorker::Called LoopWorker::call_loop(Part part) {
  const Loop& loop = plan_.stage(part).loop;
  for (std::size_t k = 0; k < of_tile_.size(); ++k) of_tile_[k] = positions_[k];
  bool is_at_fault = false;
  Called called = Called::kNothing;
  if (run_.calls(part).form == Loop::Form::kLanes) {
    called = Called::kLanes;
    is_at_fault = call_lanes(part);
  } else if (begin_ == end_) {
    return Called::kFlat;
  } else if (run_.calls(part).form == Loop::Form::kNest) {
    called = Called::kNest;
    is_at_fault = run_.by_block ? call_by_block(part) : call_nest(part);
  } else {
    called = Called::kFlat;
    is_at_fault = call_flat(part);
  }
  for (const Loop::Scatter& scatter : loop.scatters) {
    const auto k = static_cast<std::size_t>(scatter.number);
    if (run_.scatters[k].distinct) run_.scatters[k].distinct->add_written(std::exchange(hashes_[k], 0));
  }
  if (!is_at_fault) return called;
  run_.context.faults.report(FaultKind::kDivideByZero, begin_, 0);
  return Called::kNothing;
}

bool LoopWorker::call_flat(Part part) {
  const LoopPlan::Stage& stage = plan_.stage(part);
  for (const Step& step : stage.steps)
    if (step.producer == Producer::kSpread && !spread(step)) return true;
  if (stage.loop.steps.empty()) return false;
  set_vectors(part, false);
  for (const Loop::Scan& scan : stage.loop.scans) arguments(part).set(scan.heads, mark_heads(scan));
  return run_.loop(part)(arguments(part).data(), begin_, end_);
}

/// Writes the tile's elements of a DIST, INDEX or SLICE. False, after a report, if a slice is out of range.
bool LoopWorker::spread(const Step& step) {
  const KernelVar result = step.step->results[0];
  if (origins_[result] == 0) return true;  // dead
  const auto operand = [&](std::size_t k) -> const Operand& { return run_.call.operands[step.step->operands[k]]; };
  const auto type = static_cast<int>(plan_.values[result].type);
  if (step.step->op == vcode::Op::kSlice)
    return run_.context.faults.check(kernels().range.slice_like(operand(0).type, operand(1).type)(
        operand(0).data, operand(0).length, operand(1).data, descriptor_of(step), tile_of(step), base(result)));
  if (step.step->op == vcode::Op::kIndex) {
    kernels().dist.index[type](operand(0).data, operand(1).data, descriptor_of(step), tile_of(step), base(result),
                               false);
    return true;
  }
  if (run_.is_single(step.segmentation) && run_.memory[result] == nullptr) {
    // All tiles are equal.
    if (filled_[result]) return true;
    filled_[result] = true;
    const std::int64_t n = run_.tiling.tile;
    kernels().dist.dist[type](operand(0).data, SegmentDescriptor::single(n), {0, n, 0, 1}, slot(result), false);
    return true;
  }
  kernels().dist.dist[type](operand(0).data, descriptor_of(step), tile_of(step), base(result), false);
  return true;
}

/// Marks the elements of the tile that are the first ones of segments, a byte each, with zeros around them. Returns the
/// address at which the mark of element 0 would be.
const void* LoopWorker::mark_heads(const Loop::Scan& scan) {
  const SegmentDescriptor& descriptor = run_.segmentation(scan.segmentation);
  const Chunk& tile = tile_of(scan.segmentation);
  const std::int64_t bytes = run_.tiling.tile + 2 * kernels::kHeadMargin,
                     last = std::min(tile.segment_end, descriptor.segments - 1);
  std::uint8_t* const marks = &heads_[static_cast<std::size_t>(scan.number * bytes)];
  std::memset(marks, 0, static_cast<std::size_t>(bytes));
  for (std::int64_t k = tile.segment_begin; k <= last; ++k)
    if (const std::int64_t e = descriptor.start(k); begin_ <= e && e < end_)
      marks[kernels::kHeadMargin + e - begin_] = 1;
  return origin_of(marks + kernels::kHeadMargin, begin_, 1);
}

/// Starts of segments `first` to `last`, and the end of `last`, such that the start of segment k is element k. `number`
/// distinguishes the arrays of starts that a call needs at the same time.
const std::int64_t* LoopWorker::starts_of(const SegmentDescriptor& descriptor, std::int64_t first, std::int64_t last,
                                          std::size_t number) {
  if (!descriptor.is_regular()) return descriptor.offsets;
  VC_CHECK(last + 1 - first < most_starts_);
  std::int64_t* const starts = &starts_[number * static_cast<std::size_t>(most_starts_)];
  for (std::int64_t k = first; k <= last + 1; ++k) starts[k - first] = descriptor.start(k);
  return static_cast<const std::int64_t*>(origin_of(starts, first, sizeof(std::int64_t)));
}

bool LoopWorker::call_nest(Part part) {
  const Loop& loop = plan_.stage(part).loop;
  Arguments& to = arguments(part);
  const int nest = run_.calls(part).nest;
  const SegmentDescriptor& descriptor = run_.segmentation(nest);
  const std::int64_t first = tile_of(nest).segment_begin, open = tile_of(nest).segment_end;
  const std::int64_t last = std::min(open, descriptor.segments - 1);
  set_vectors(part, true);
  to.set(loop.starts, starts_of(descriptor, first, last, 0));
  to.set(loop.range_begin, begin_);
  to.set(loop.range_end, end_);
  for (std::size_t t = 0; t < loop.tables.size(); ++t)
    if (const SegmentDescriptor& of_table = run_.descriptor_of(loop.tables[t]);
        !of_table.is_single() && !run_.is_refined(loop.tables[t], nest))
      to.set(loop.tables[t].starts, starts_of(of_table, first, last, 1 + t));
  // Segments that end in the tile have their results in memory, the remaining one in folds_ and counted_.
  const auto run_from = [&](std::int64_t from, std::int64_t until, bool ends) {
    for (const Loop::Fold& fold : loop.folds) {
      void* const slot = &folds_[fold_number(fold)];
      const int size = run_.size_of(fold.step->operands[0]);
      to.set(fold.result, fold.is_carry() ? slot
                          : ends          ? run_.call.results[fold.step->results[0]].data
                                          : origin_of(slot, from, size));
    }
    for (const Loop::Pack& pack : loop.packs) {
      if (!pack.counts) continue;
      const Result& lengths = run_.call.results[pack.step->results[1]];
      void* const slot = &counted_[static_cast<std::size_t>(pack.count)];
      to.set(pack.lengths, run_.is_single(pack.segmentation) ? slot
                           : ends                            ? lengths.data
                                  : origin_of(slot, from, static_cast<int>(elem_size(lengths.type))));
    }
    return run_.loop(part)(to.data(), from, until);
  };
  if (first < open && run_from(first, open - 1, true)) return true;
  if (open <= last) return run_from(open, open, false);
  for (const Loop::Fold& fold : loop.folds)
    folds_[fold_number(fold)] =
        kernels().scan.identity.at(vcode::info(fold.step->op).monoid, plan_.values[fold.step->operands[0]].type);
  std::ranges::fill(counted_, 0);
  return false;
}

/// Calls the nest once for all blocks of the chunk, of which each is a segment to it. Called for one block after the
/// other, it takes 1.2 times as long, as processors wait for memory at the begin of each.
bool LoopWorker::call_by_block(Part part) {
  const Loop& loop = plan_.stage(part).loop;
  Arguments& to = arguments(part);
  set_vectors(part, true);
  const std::int64_t blocks = (end_ - begin_ + kFoldBlock - 1) / kFoldBlock;
  VC_CHECK(blocks <= most_blocks() && begin_ % kFoldBlock == 0);
  for (std::int64_t k = 0; k <= blocks; ++k)
    starts_[static_cast<std::size_t>(k)] = std::min(begin_ + k * kFoldBlock, end_);
  to.set(loop.starts, starts_.data());
  to.set(loop.range_begin, begin_);
  to.set(loop.range_end, end_);
  for (const Loop::Fold& fold : loop.folds) to.set(fold.result, block_folds(fold.number));
  return blocks > 0 && run_.loop(part)(to.data(), 0, blocks - 1);
}

/// Computes folds and arg-reductions for the segments that end in the tile, each as a whole: the values per segment
/// that the loop's inputs are made from are in memory.
bool LoopWorker::call_lanes(Part part) {
  const Loop& loop = plan_.stage(part).loop;
  Arguments& to = arguments(part);
  const int nest = run_.calls(part).nest;
  const SegmentDescriptor& descriptor = run_.segmentation(nest);
  const std::int64_t most = descriptor.is_regular() ? most_starts_ - 2 : descriptor.segments;
  const auto set_results = [&](const auto& reductions) {
    for (const auto& reduction : reductions)
      to.set(reduction.result, run_.call.results[reduction.step->results[0]].data);
  };
  set_results(loop.folds);
  set_results(loop.arg_reductions);
  for (std::int64_t k = tile_of(nest).segment_begin; k < tile_of(nest).segment_end; k += most) {
    const std::int64_t last = std::min(k + most, tile_of(nest).segment_end) - 1;
    to.set(loop.starts, starts_of(descriptor, k, last, 0));
    if (run_.loop(part)(to.data(), k, last)) return true;
  }
  return false;
}

}  // namespace cvl::cpu

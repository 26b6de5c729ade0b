/// How a worker runs chains.

#include <algorithm>
#include <cstring>

#include "tiles/tile_worker.h"

#include "base/tuning.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;
using PlannedStep = TilePlan::PlannedStep;

/// Whether a call may run the chains of a group: its reductions and scans find no end of a segment in the tile but that
/// of the only one.
bool TileWorker::can_run_together(std::span<const PlannedStep> group, Part part) const {
  const PlannedStep& first = group[0];
  if (first.group == 0) return false;
  // What is no chain but a single operation has a faster loop of its own.
  if (group.size() == 1 && first.producer == Producer::kMap && first.chain.size() == 2)
    return is_lasting(first, part, first.step->results[0]) && !first.read;
  return std::all_of(group.begin(), group.end(), [&](const PlannedStep& step) {
    if (step.producer == Producer::kMap) return true;
    const Piece& tile = tile_of(step);
    return tile.segment_begin == tile.segment_end || (map_of(step).is_single() && begin_ < end_);
  });
}

void TileWorker::run_together(std::span<const PlannedStep> group, Part part) {
  links_.clear();
  const ElemType type = plan_.values[plan_.computed(group[0])].type;
  for (const PlannedStep& step : group) {
    const bool scans = step.producer == Producer::kScan;
    add_links(step, step.in_registers);
    if (step.producer == Producer::kReduce || (scans && part != Part::kAfter)) add_fold(step);
    if (step.chain.size() > 1) add_stores(step, part, plan_.computed(step), step.read_elsewhere);
    if (scans && part != Part::kBefore) {
      add_scan(step);
      add_stores(step, part, step.step->results[0], step.result_read_elsewhere);
    }
  }
  run_links(type);
  for (const PlannedStep& step : group) {
    if (step.producer == Producer::kReduce) take_reduction(step);
    if (step.producer == Producer::kScan) take_scan(step, part);
  }
}

/// Whether a part writes a value that a step computes past the cache.
bool TileWorker::is_lasting(const PlannedStep& step, Part part, KernelVar v) const {
  const bool again = !step.after_scan || (step.producer == Producer::kScan && v != step.step->results[0]);
  return job_.streamed[v] && (part != Part::kAfter || !again);
}

/// Runs the chain of one step. `in_tile`: what it computes is wanted there.
void TileWorker::run_chain(const PlannedStep& step, Part part, bool in_tile) {
  links_.clear();
  add_links(step, false);
  add_stores(step, part, plan_.computed(step), in_tile);
  run_links(plan_.values[plan_.computed(step)].type);
}

/// The same, and what the elements of the tile come to.
Slot TileWorker::run_folding_chain(const PlannedStep& step, Part part, bool in_tile) {
  links_.clear();
  add_links(step, false);
  add_fold(step);
  add_stores(step, part, plan_.computed(step), in_tile);
  run_links(plan_.values[plan_.computed(step)].type);
  return end_fold(step);
}

/// `in_registers`: what the chain takes first is the value so far.
void TileWorker::add_links(const PlannedStep& step, bool in_registers) {
  for (const auto [op, v] : std::span(step.chain).subspan(in_registers ? 1 : 0)) {
    const void* operand = elements(v);
    const bool far = job_.call.operands[v].data != nullptr && job_.call.elements > plan_.tile;
    const bool asked =
        std::any_of(links_.begin(), links_.end(), [&](const ChainLink& link) { return link.operand == operand; });
    links_.push_back({op, job_.uniform[v], operand, far && !asked ? kChainAheadBytes : 0});
  }
}

void TileWorker::add_fold(const PlannedStep& step) {
  kernels().chain.begin_fold.at(monoid(step), plan_.values[plan_.computed(step)].type)(sums_of(step));
  links_.push_back({.op = fold_link(monoid(step)), .to = &sums_of(step)});
}

void TileWorker::add_scan(const PlannedStep& step) {
  const Open& open = open_scans_[static_cast<std::size_t>(step.number)];
  const bool begins = map_of(step).start(tile_of(step).segment_begin) >= begin_;
  const Slot neutral = kernels().scan.neutral.at(monoid(step), plan_.values[plan_.computed(step)].type);
  ChainScan& scan = chain_scans_[static_cast<std::size_t>(step.number)];
  scan = {begins ? neutral : open.before, begins};
  links_.push_back({.op = scan_link(monoid(step)), .to = &scan});
}

/// Stores the value so far where it is wanted.
void TileWorker::add_stores(const PlannedStep& step, Part part, KernelVar v, bool in_tile) {
  if (in_tile || (job_.memory[v] != nullptr && !job_.streamed[v]))
    links_.push_back({.op = ChainOp::kStore, .to = at(v, begin_)});
  if (!is_lasting(step, part, v)) return;
  void* to = static_cast<char*>(job_.memory[v]) + begin_ * job_.size_of(v);
  const bool aligned = reinterpret_cast<std::uintptr_t>(to) % 64 == 0;
  links_.push_back({.op = aligned ? ChainOp::kStream : ChainOp::kStore, .to = to});
}

void TileWorker::run_links(ElemType type) {
  kernels().chain.run[static_cast<int>(type)](links_.data(), static_cast<int>(links_.size()), end_ - begin_);
}

ChainSums& TileWorker::sums_of(const PlannedStep& step) {
  return sums_[static_cast<std::size_t>(step.number + (step.producer == Producer::kScan ? plan_.reductions : 0))];
}

Slot TileWorker::end_fold(const PlannedStep& step) {
  return kernels().chain.end_fold.at(monoid(step), plan_.values[plan_.computed(step)].type)(sums_of(step));
}

/// Takes what the elements of the tile come to in a reduction, if no segment but a single one ends there.
void TileWorker::take_reduction(const PlannedStep& step) {
  const ElemType type = plan_.values[plan_.computed(step)].type;
  const Piece& tile = tile_of(step);
  Open& open = open_reductions_[static_cast<std::size_t>(step.number)];
  open.value = kernels().scan.combine.at(monoid(step), type)(end_fold(step), open.value);
  if (tile.segment_begin == tile.segment_end) return;
  std::memcpy(job_.call.results[step.step->results[0]].data, &open.value, elem_size(type));
  edges_[static_cast<std::size_t>(step.number)] = {
      .head = open.value, .first = 0, .joins = pieces_[0].element_begin > 0};
  open.value = kernels().scan.neutral.at(monoid(step), type);
}

/// The same in a scan.
void TileWorker::take_scan(const PlannedStep& step, Part part) {
  const auto number = static_cast<std::size_t>(step.number);
  const ElemType type = plan_.values[plan_.computed(step)].type;
  const Piece& tile = tile_of(step);
  Open& open = open_scans_[number];
  if (part != Part::kBefore) open.before = chain_scans_[number].before;
  if (part == Part::kAfter) return;
  const bool ends = tile.segment_begin < tile.segment_end;
  open.value = ends ? kernels().scan.neutral.at(monoid(step), type)
                    : kernels().scan.combine.at(monoid(step), type)(end_fold(step), open.value);
  open.inside |= ends;
}

}  // namespace cvl::cpu

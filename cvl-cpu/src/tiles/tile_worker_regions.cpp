/// What a worker does by native code.

#include <cstring>

#include "tiles/tile_run.h"
#include "tiles/tile_worker.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;
using PlannedStep = TilePlan::PlannedStep;

/// Runs a region, whose steps these are.
bool TileWorker::run_region(int number, std::span<const PlannedStep> steps, Part part) {
  const Region& region = plan_.regions[static_cast<std::size_t>(number)];
  const bool flat = job_.flat;
  vectors_.clear();
  for (const Region::Input& input : region.inputs)
    vectors_.push_back(flat && (input.spread || input.progression) ? job_.call.operands[input.segments].data
                                                                   : base(input.value));
  std::uint64_t streams = 0;
  const std::size_t inputs = vectors_.size();
  const auto for_each_output = [&](auto&& see) {
    std::size_t output = 0;
    for (const PlannedStep& step : steps) {
      if (output == region.outputs.size()) return;
      const KernelVar v = step.step->results[0];
      if (region.outputs[output].value == v) see(output++, v, is_lasting(step, part, v));
    }
  };
  for_each_output([&](std::size_t output, KernelVar v, bool lasting) {
    const bool stream = region.streams(output, plan_.values[v].type) && lasting &&
                        reinterpret_cast<std::uintptr_t>(in_memory(v)) % 64 == 0;
    if (stream) streams |= std::uint64_t{1} << output;
    vectors_.push_back(stream ? job_.memory[v] : base(v));
  });
  VC_CHECK(vectors_.size() == inputs + region.outputs.size());
  vectors_.push_back(reinterpret_cast<const void*>(streams));
  for (const Region::Table& table : region.tables)
    for (const void* word : table_words(job_.call.operands[table.value])) vectors_.push_back(word);
  if (flat) {
    for (const Region::Fold& fold : region.folds) vectors_.push_back(&folds_[static_cast<std::size_t>(fold.number)]);
    for (const Region::Input& input : region.inputs)
      if (input.progression) vectors_.push_back(job_.call.operands[input.stride].data);
  }
  VC_CHECK(vectors_.size() <= plan_.most_vectors);  // other threads use the memory that more would come from
  if (job_.code_of(number)(vectors_.data(), begin_, end_)) {
    job_.context.faults.report(FaultKind::kDivideByZero, begin_, 0);
    return false;
  }
  for_each_output([&](std::size_t output, KernelVar v, bool lasting) {
    const bool streamed = output < Region::kMostStreamed && (streams >> output & 1) != 0;
    if (!streamed && lasting) store(v);
  });
  return true;
}

/// Whether the region before a reduction or a scan has folded the tile's elements.
bool TileWorker::is_folded(const PlannedStep& step, Part part) const {
  const bool in_part = step.producer == Producer::kReduce || part != Part::kAfter;
  return in_part && job_.flat && begin_ < end_ && job_.code_of(step.region) != nullptr;
}

/// Takes what a region has folded the elements of the tile to. The only segment ends in the last tile.
void TileWorker::take_fold(const PlannedStep& step) {
  const ElemType type = plan_.values[step.step->operands[0]].type;
  const Piece& tile = tile_of(step);
  const auto number = static_cast<std::size_t>(step.number);
  Open& open = open_reductions_[number];
  open.value = kernels().scan.combine.at(monoid(step), type)(folds_[number], open.value);
  if (tile.segment_begin == tile.segment_end) return;
  std::memcpy(job_.call.results[step.step->results[0]].data, &open.value, elem_size(type));
  edges_[number] = {.head = open.value, .first = 0, .joins = pieces_[0].element_begin > 0};
  open.value = kernels().scan.neutral.at(monoid(step), type);
}

}  // namespace cvl::cpu

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/streaming.h"
#include "loops/loop_run.h"
#include "tuning/kernel_tuning.h"

namespace cvl::cpu {

using vcode::KernelVar;

/// Computes epilogues over the results of a descriptor's reductions, for segments [begin, end). `tiles` has memory for
/// a tile of segments of each epilogue, from which other epilogues read its result; a result that is needed as a vector
/// is copied from there, by non-temporal stores if it is large. If `tiles` is null, results are written to and read
/// from memory. False if an epilogue has a fault.
bool LoopRun::run_epilogues(int segmentation, std::int64_t begin, std::int64_t end, char* tiles) {
  const auto in_memory = [&](KernelVar v, std::int64_t segment) {
    const void* data = call.operands[v].data != nullptr ? call.operands[v].data : call.results[v].data;
    return static_cast<char*>(const_cast<void*>(data)) + segment * size_of(v);
  };
  std::int64_t next;
  for (std::int64_t at = begin; at < end; at = next) {
    // Tiles end at multiples of their size, so that non-temporal copies begin at a cache line.
    next = std::min(at / kEpilogueTile * kEpilogueTile + kEpilogueTile, end);
    const auto address = [&](KernelVar v) {
      const int number = plan.values[v].epilogue;
      return tiles != nullptr && number >= 0 &&
                     plan.epilogues[static_cast<std::size_t>(number)].segmentation == segmentation
                 ? tiles + number * kEpilogueTile * 8
                 : in_memory(v, at);
    };
    for (const LoopPlan::Epilogue& epilogue : plan.epilogues) {
      if (epilogue.segmentation != segmentation) continue;
      const vcode::Kernel::Step& step = *epilogue.step;
      const KernelVar result = step.results[0];
      const void* operands[3] = {};
      for (std::size_t k = 0; k < step.operands.size(); ++k) operands[k] = address(step.operands[k]);
      TileKernels::Run* compute =
          context.kernels.tile.at(0, step.op, plan.values[step.operands.back()].type, plan.values[result].type);
      VC_CHECK(compute != nullptr);
      if (compute(operands, address(result), next - at)) {
        // The kind of fault does not matter: the caller then computes the kernel step by step.
        context.faults.report(FaultKind::kDivideByZero, at, 0);
        return false;
      }
      if (tiles == nullptr || !plan.values[result].materialised) continue;
      const auto bytes = static_cast<std::size_t>((next - at) * size_of(result));
      if (at % kEpilogueTile == 0 && stream_result(call.results[result]))
        context.kernels.tile.stream(in_memory(result, at), address(result), bytes);
      else
        std::memcpy(in_memory(result, at), address(result), bytes);
    }
  }
  return true;
}

/// Computes epilogues for the segments that begin and end in a chunk.
bool LoopRun::run_epilogues(std::span<const Chunk> segmentation_chunks, char* tiles) {
  if (plan.epilogues.empty()) return true;
  for (int c = 0; c < static_cast<int>(space.segmentations()); ++c) {
    const Chunk& chunk = segmentation_chunks[static_cast<std::size_t>(c)];
    if (!run_epilogues(c, chunk.segment_begin + ends_earlier_segment(c, chunk), chunk.segment_end, tiles)) return false;
  }
  return true;
}

/// Computes epilogues for all other segments, after the partial results of all chunks have been joined.
bool LoopRun::run_joined_epilogues() {
  if (plan.epilogues.empty()) return true;
  for (int c = 0; first_ > 0 && c < static_cast<int>(space.segmentations()); ++c)
    if (!run_epilogues(c, 0, space.chunk(c, first_).segment_begin, nullptr)) return false;
  for (std::int64_t p = first_; p < chunks; ++p)
    for (int c = 0; c < static_cast<int>(space.segmentations()); ++c) {
      const Chunk chunk = space.chunk(c, p);
      if (ends_earlier_segment(c, chunk) && !run_epilogues(c, chunk.segment_begin, chunk.segment_begin + 1, nullptr))
        return false;
    }
  return true;
}

bool LoopRun::ends_earlier_segment(int segmentation, const Chunk& chunk) const {
  return chunk.segment_begin < chunk.segment_end &&
         this->segmentation(segmentation).start(chunk.segment_begin) < chunk.element_begin;
}

}  // namespace cvl::cpu

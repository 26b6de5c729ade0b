#include <algorithm>

#include "tile_job.h"

namespace cvl::cpu {

using vcode::KernelVar;

/// The operations behind the reductions of a cut, for segments [begin, end), a few at a time so that what one leaves
/// the next one finds in the cache. False if one of them is at fault.
bool TileJob::run_epilogues(int cut, std::int64_t begin, std::int64_t end) {
  const auto address = [&](KernelVar v, std::int64_t segment) {
    const void* data = call.operands[v].data != nullptr ? call.operands[v].data : call.results[v].data;
    return static_cast<const char*>(data) + segment * size_of(v);
  };
  for (std::int64_t at = begin; at < end; at += plan.tile)
    for (const TilePlan::Epilogue& epilogue : plan.epilogues) {
      if (epilogue.cut != cut) continue;
      const vcode::Kernel::Step& step = *epilogue.step;
      const KernelVar result = step.results[0];
      const void* operands[3] = {};
      for (std::size_t k = 0; k < step.operands.size(); ++k) operands[k] = address(step.operands[k], at);
      TileKernels::Run* run =
          context.kernels.tile.at(0, step.op, plan.values[step.operands.back()].type, plan.values[result].type);
      if (!run(operands, static_cast<char*>(call.results[result].data) + at * size_of(result),
               std::min(plan.tile, end - at)))
        continue;
      context.faults.report(FaultKind::kDivideByZero, at, 0);
      return false;
    }
  return true;
}

/// For the segments that a piece ends and that no earlier one began.
bool TileJob::run_epilogues(const std::vector<Piece>& cut_pieces) {
  if (plan.epilogues.empty()) return true;
  for (std::size_t c = 0; c < cut_pieces.size(); ++c) {
    const Piece& piece = cut_pieces[c];
    if (!run_epilogues(static_cast<int>(c), piece.segment_begin + ends_earlier_segment(static_cast<int>(c), piece),
                       piece.segment_end))
      return false;
  }
  return true;
}

/// For the others, when the shares of all pieces have been joined.
bool TileJob::run_joined_epilogues() {
  if (plan.epilogues.empty()) return true;
  for (std::int64_t p = 0; p < pieces; ++p)
    for (int c = 0; c < static_cast<int>(cuts.size()); ++c) {
      const Piece piece = piece_of(c, p);
      if (ends_earlier_segment(c, piece) && !run_epilogues(c, piece.segment_begin, piece.segment_begin + 1))
        return false;
    }
  return true;
}

bool TileJob::ends_earlier_segment(int cut, const Piece& piece) const {
  return piece.segment_begin < piece.segment_end &&
         cuts[static_cast<std::size_t>(cut)].start(piece.segment_begin) < piece.element_begin;
}

}  // namespace cvl::cpu

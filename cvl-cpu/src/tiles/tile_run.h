#pragma once

#include <cstdint>
#include <span>

#include "cvl/backend.h"
#include "llvm/native_code.h"
#include "tiles/tile_plan.h"

namespace cvl::cpu {

struct Context;

/// Runs a kernel. Threads take pieces of the index space in order and process each tile by tile, step by step; tiles
/// stay in the first-level cache. Memory is traversed once: where a piece depends on earlier ones (scans, PACK), it
/// first computes what does not depend on carries, passes on its own carry, and then computes the rest from the
/// second-level cache. Results do not depend on the number of threads, nor on what is `compiled`: the plan's regions,
/// or nothing. Any fault ends the run.
void run_tiles(Context& context, const TilePlan& plan, std::span<const CompiledRegion> compiled,
               const KernelCall& call);

}  // namespace cvl::cpu

#pragma once

#include <cstdint>
#include <span>

#include "cvl/backend.h"
#include "llvm/native_code.h"
#include "tiles/tile_plan.h"

namespace cvl::cpu {

struct Context;

/// Runs a kernel. Threads take chunks of the index space in order and process each tile by tile, step by step; tiles
/// stay in the first-level cache. Memory is traversed once: where a chunk depends on earlier ones (scans, PACK), the
/// thread first computes everything that does not depend on carries, publishes the chunk's own carry, and then computes
/// the rest from the second-level cache. Results do not depend on the number of threads, nor on `compiled`: the plan's
/// regions, or nothing. Any fault ends the run.
void run_tiles(Context& context, const TilePlan& plan, std::span<const CompiledRegion> compiled,
               const KernelCall& call);

}  // namespace cvl::cpu

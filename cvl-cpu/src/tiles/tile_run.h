#pragma once

#include "cvl/backend.h"
#include "tiles/tile_plan.h"

namespace cvl::cpu {

struct Context;

/// Runs a kernel. Threads take pieces of the index space in order and process each tile by tile, step by step; tiles
/// stay in the first-level cache. Memory is traversed once: where a piece depends on earlier ones (scans, PACK), it
/// first computes what does not depend on carries, passes on its own carry, and then computes the rest from the
/// second-level cache. Results do not depend on the number of threads. Any fault ends the run.
void run_tiles(Context& context, const TilePlan& plan, const KernelCall& call);

}  // namespace cvl::cpu

#pragma once

#include "cvl/backend.h"
#include "tiles/tile_plan.h"

namespace cvl::cpu {

struct Context;

/// Runs a kernel: threads take pieces of the index space in order and go through each in tiles that stay in the
/// first-level cache, step by step. Memory is traversed once; where a piece depends on earlier ones (scans, PACK), it
/// first computes what these do not change and hands on its own share, and then the rest, out of the second-level
/// cache. What is computed does not depend on the number of threads. Any fault ends the run.
void run_tiles(Context& context, const TilePlan& plan, const KernelCall& call);

}  // namespace cvl::cpu

#pragma once

#include <string>
#include <vector>

#include "kernels/arg_reduce_kernels.h"
#include "kernels/dist_kernels.h"
#include "kernels/elementwise_kernels.h"
#include "kernels/function_kernels.h"
#include "kernels/gather_kernels.h"
#include "kernels/lengths_kernels.h"
#include "kernels/pack_kernels.h"
#include "kernels/random_kernels.h"
#include "kernels/range_kernels.h"
#include "kernels/rank_kernels.h"
#include "kernels/reduce_kernels.h"
#include "kernels/scan_kernels.h"
#include "kernels/scatter_kernels.h"
#include "kernels/tile_kernels.h"

namespace cvl::cpu {

/// The loops of one instruction set. Each member is filled by the file of isa/ with its name, which is compiled once
/// per instruction set.
struct Kernels {
  const char* name = "";
  ElementwiseKernels elementwise;
  ReduceKernels reduce;
  ArgReduceKernels arg_reduce;
  ScanKernels scan;
  FunctionKernels function;
  GatherKernels gather;
  LengthsKernels lengths;
  DistKernels dist;
  RandomKernels random;
  ScatterKernels scatter;
  PackKernels pack;
  RangeKernels range;
  RankKernels rank;
  TileKernels tile;
};

/// The kernels for `simd` ("baseline", "avx2", "avx512"), or for "" the best this processor has. Null, with
/// a sentence in `error`, if there are none of that name or the processor cannot run them.
const Kernels* choose_kernels(const std::string& simd, std::string& error);

/// The functions of all instruction sets that this processor has.
std::vector<VectorFunction> vector_functions();

}  // namespace cvl::cpu

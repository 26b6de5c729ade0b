#pragma once

#include <string>

#include "chain.h"
#include "dist.h"
#include "elementwise.h"
#include "gather.h"
#include "lengths.h"
#include "pack.h"
#include "random.h"
#include "rank.h"
#include "reduce.h"
#include "scan.h"
#include "scatter.h"
#include "tile.h"

namespace cvl::cpu {

/// The loops of one instruction set. Each member is filled by a file of its name in isa/, which is
/// compiled once per instruction set.
struct Kernels {
  const char* name = "";
  ElementwiseKernels elementwise;
  ReduceKernels reduce;
  ScanKernels scan;
  GatherKernels gather;
  LengthsKernels lengths;
  ChainKernels chain;
  DistKernels dist;
  RandomKernels random;
  ScatterKernels scatter;
  PackKernels pack;
  RankKernels rank;
  TileKernels tile;
};

/// The kernels for `simd` ("baseline", "avx2", "avx512"), or for "" the best this processor has. Null, with
/// a sentence in `error`, if there are none of that name or the processor cannot run them.
const Kernels* choose_kernels(const std::string& simd, std::string& error);

}  // namespace cvl::cpu

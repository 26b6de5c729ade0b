#pragma once

/// The operations of this library are compositions of a few primitives, which an executor provides: CudaExecutor
/// launches them on a device, HostExecutor runs them one after the other in memory of the host, so that everything but
/// the launches can be tested where there is no device. The sources are compiled once for each. An executor has
///
///   for_each(n, f)               f(e) for each e below n, in any order, at the same time
///   tiles<T>(n, program)         program(block) for each of n blocks of threads, which may exchange items of type T
///   folds<T>(n, program)         the same for blocks that only fold values of type T
///   scan<T>(n, neutral, combine, load, store)
///                                store(e, combination of load(0) … load(e - 1)), where the order of combination does
///                                not matter: it is another each time
///   sort_pairs(keys, values, n, bits)
///                                a stable sort by the lowest bits of unsigned keys
///   fill_zero, copy, upload, download, wait, traffic
///   download(pieces, n)          several short parts of memory, for one wait
///   pool()                       memory; what is given back may be handed out again at once
///   faults(site)                 where elements report
///
/// A block has
///
///   index()                      which of the n it is
///   load(items, begin, count, filler, f)   items of a tile: f(begin), …, f(begin + count - 1), then fillers
///   store(items, begin, count, f)          f(begin + k, item k)
///   scan(items, sum, combine)              each item becomes the combination of sum and the items before it; returns
///   that of
///                                          sum and all
///   scan_inclusive(items, combine)         each item becomes the combination of the items up to itself; returns that
///   of all fold(begin, end, neutral, f, combine)  the combination of f(begin) … f(end - 1), in an order that is always
///   the same;
///                                          for the thread that leads
///   for_each(n, f)                         f(e) for each e below n; all are done when it returns
///   leads()                                true of one thread of the block
///
/// Everything but f of for_each is called by all threads of a block. kTile is the number of items.

#if defined(__CUDACC__)
#include "cuda_executor.h"
namespace cvl::cuda {
using Executor = CudaExecutor;
}
#define CVL_DEVICE __device__
#else
#include "host_executor.h"
namespace cvl::cuda {
using Executor = HostExecutor;
}
#define CVL_DEVICE
#endif

#include "scratch.h"

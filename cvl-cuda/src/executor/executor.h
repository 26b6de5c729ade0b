#pragma once

/// The operations of this library are compositions of a few primitives, which an executor provides: CudaExecutor
/// launches them on a device, HostExecutor runs them one after the other in memory of the host, so that everything but
/// the launches can be tested where there is no device. The sources are compiled once for each. An executor has
///
///   for_each(n, f)               f(e) for each e below n, in any order, at the same time
///   map<R>(n, value, store)      store(e, value(e)) for each e below n; store(e, …) may overwrite what value(e) reads
///   tiles<T>(n, program)         program(block) for each of n blocks of threads, which may exchange items of type T
///   folds<T>(n, program)         the same for blocks that only fold values of type T
///   tiles_in_order<T>(n, begun, program)
///                                as tiles; a block may wait for what blocks of lower index publish, for these have
///                                begun before it. *begun is zero at first; for one block, begun may be null.
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
///   leads()                      true of one thread of the block
///   for_each(n, f)               f(e) for each e below n; all are done when it returns
///   load(items, begin, count, filler, f)
///                                items of a tile: f(begin), …, f(begin + count - 1), then fillers
///   store(items, begin, count, f)
///                                f(begin + k, item k); all are done when it returns
///   scan(items, sum, combine)    each item becomes the combination of sum and the items before it; returns that of
///                                sum and all
///   scan_after(items, combine, before)
///                                the same with the sum that before(combination of the items) returns, which some
///                                threads call, the one that leads among them
///   scan_inclusive(items, combine)
///                                each item becomes the combination of the items up to itself; returns that of all
///   fold(begin, end, neutral, f, combine)
///                                the combination of f(begin) … f(end - 1), in an order that is always the same; for
///                                the thread that leads
///
/// Everything but f of for_each is called by all threads of a block. kTile is the number of items. What blocks tell
/// each other is Published<T>, to be used within `before`: put(k, value) by the thread that leads, and
/// fold(first, count, neutral, combine), which waits for up to 32 values and combines them, in an order that is always
/// the same; for the thread that leads.

#if defined(__CUDACC__)
#include "executor/cuda_executor.h"
namespace cvl::cuda {
using Executor = CudaExecutor;
}
#define CVL_DEVICE __device__
#else
#include "executor/host_executor.h"
namespace cvl::cuda {
using Executor = HostExecutor;
}
#define CVL_DEVICE
#endif

#include "base/scratch.h"

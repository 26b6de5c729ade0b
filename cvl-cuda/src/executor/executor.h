#pragma once

/// The operations of this library are compositions of a few primitives, which an executor provides: CudaExecutor
/// launches them on a device, HostExecutor runs them in memory of the host, so that everything but the launches can be
/// tested where there is no device. The sources are compiled once for each. An executor has
///
///   for_each(n, f)               f(e) for each e below n, in any order, concurrently
///   map<R>(n, value, store)      store(e, value(e)) for each e below n; store(e, …) may overwrite what value(e) reads
///   tiles<T>(n, program)         program(block) for each of n blocks, whose threads may exchange items of type T
///   folds<T>(n, program)         the same for blocks that use no more than fold, of values of type T
///   tiles_in_order<T>(n, begun, program)
///                                as tiles; a block may wait for what blocks of lower index publish, since these have
///                                begun before it. *begun is zero at first; for one block, begun may be null
///   scan<T>(n, neutral, combine, load, store)
///                                exclusive scan: store(e, combination of load(0) … load(e - 1)). The association
///                                differs from run to run, so the result must not depend on it
///   sort_pairs(keys, values, n, bits)
///                                a stable sort by the low `bits` bits of unsigned keys
///   fill_zero, copy, upload, download, wait, traffic
///   download(pieces, n)          several short copies with one wait
///   pool()                       memory; a block given back may be handed out again at once
///   faults(site)                 where the elements of an operation report their faults
///
/// A block has
///
///   index()                      which of the n it is
///   leads()                      true in one thread of the block, the leader
///   for_each(n, f)               f(e) for each e below n; all are done when it returns
///   load(items, begin, count, filler, f)
///                                items of a tile: f(begin), …, f(begin + count - 1), then fillers
///   store(items, begin, count, f)
///                                f(begin + k, item k); all are done when it returns
///   scan(items, sum, combine)    exclusive scan: each item becomes the combination of sum and the items before it;
///                                returns that of sum and all items
///   scan_after(items, combine, before)
///                                the same with the sum that before(combination of all items) returns; `before` is
///                                called by some of the threads, the leader among them
///   scan_inclusive(items, combine)
///                                inclusive scan: each item becomes the combination of the items up to itself;
///                                returns that of all items
///   fold(begin, end, neutral, f, combine)
///                                the combination of f(begin) … f(end - 1), always with the same association; valid
///                                in the leader only
///
/// All threads of a block call the members of Block. kTile is the number of items. Blocks exchange values through
/// Published<T>, within `before`: the leader calls put(k, value); all threads that run `before` call
/// fold(first, count, neutral, combine), which waits for up to 32 values and combines them, always with the same
/// association; its result is valid in the leader only.

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

#pragma once

/// The operations of this library are compositions of a few primitives, which an executor provides: CudaExecutor
/// launches them on a device, HostExecutor runs them in memory of the host, so that everything but the launches can be
/// tested where there is no device. The sources are compiled once for each. An executor has
///
///   for_each(n, f)               f(e) for each e below n, in any order, concurrently
///   map<R>(n, value, store)      store(e, value(e)) for each e below n; store(e, …) may overwrite what value(e) reads
///   tiles<Shared, resident>(n, program)
///                                program(block, shared) for each of n blocks; `shared` is memory of the block's
///                                threads, of a trivial type and with any content at first. On a device each thread
///                                gets the registers with which so many blocks are resident on a multiprocessor
///   tiles_then<Shared>(n, program, finish)
///                                the same; then finish(block, shared) in the block that ends last, which sees all that
///                                the others stored
///   tiles_in_order<Shared, resident>(n, words, program)
///                                program(block, shared, board); the blocks have numbers in the order in which they
///                                begin, so that one may wait for what blocks of lower index put on the board, which
///                                has so many words
///   sort_pairs(keys, values, n, bits)
///                                a stable sort by the low `bits` bits of unsigned keys
///   next_board(words), ticket()  for launch_function()
///   launch_function(function, blocks, arguments, numbered, name)
///                                a function of a generated kernel; `arguments` is a vector of bytes, `numbered`
///                                whether its blocks number themselves with the ticket
///   set_sites(sites)             whose launches follow, for messages
///   fill_zero, copy, upload, download, wait, traffic
///   download(pieces, n)          several short copies with one wait
///   pool()                       memory; a block given back may be handed out again at once
///   faults(site)                 where the elements of an operation report their faults
///
/// A block has
///
///   index()                      which of the n it is
///   numbered(index)              the same threads, for what asks for another index
///   leads()                      true in one thread of the block, the leader
///   sync()                       what threads of the block stored before it, all see after it
///   for_each(n, f)               f(e) for each e below n; all are done when it returns
///   map<R>(n, value, store)      store(k, value(k)) for each k below n; a thread computes several values of type R
///                                before it stores any
///   load_ahead<R>(n, load, use)  use(k, load(k)) for each k below n; a thread loads several values ahead. `use`, which
///                                may store where load(k) loads, is compiled once: it may be long
///   map_fold<R>(n, neutral, value, store, combine)
///                                the same; returns the combination, in any order, of what store() returns; valid in
///                                the leader only
///   prefetch(from, count)        the same elements will be loaded
///   load(items, from, count, filler, convert)
///                                items of a tile: convert(from[0]), …, convert(from[count - 1]), then fillers
///   fill(items, f)               item k becomes f(k)
///   store(items, to, count)      to[k] = item k for each k below count
///   for_items(items, f)          f(k, item k) for each item, fillers too
///   for_vectors(items, f)        f(k, address of item k, count) for each few items from k on, as heads.bits() takes
///   them scan<is_inclusive>(items, neutral, at_head, heads, combine, before)
///                                each item becomes the combination of the items since the last head, up to itself or
///                                exclusive; if exclusive, one with a head becomes at_head. To the items before the
///                                first head, before(total, has_head) is added, which gets the combination of the items
///                                since the last head; all threads of one warp call it, the leader among them
///   fold(from, begin, end, neutral, convert, combine)
///                                the combination of convert(from[begin]) … convert(from[end - 1]), always with the
///                                same association; valid in the leader only
///
/// All threads of a block call the members of Block, with equal arguments. kTile is the number of items; heads.bits(k,
/// count) is a bit for each of `count` items from k on, and set if a segment begins there.
///
/// Blocks of one launch exchange values of up to 12 bytes through a Board, within `before`: the leader calls put();
/// all threads that run `before` construct a Look at up to 32 words, which issues the loads, and call its fold(neutral,
/// combine), which waits for these words and combines them, always with the same association, in all of these threads.

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

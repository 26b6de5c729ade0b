#pragma once

/// The operations of this library are compositions of a few primitives, which an executor provides. CudaExecutor
/// launches them on a device; HostExecutor runs them in memory of the host, so that everything but the launches can be
/// tested without a device. The sources are compiled once for each executor. An executor has
///
///   for_each(n, f)               f(e) for each e below n, in any order, concurrently
///   map<R>(n, value, store)      store(e, value(e)) for each e below n; store(e, …) may overwrite operands of value(e)
///   tiles<Shared, resident>(n, program)
///                                program(block, shared) for each of n blocks; `shared` is memory of the block's
///                                threads, of a trivial type, uninitialized. On a device the registers of a thread are
///                                limited so that `resident` blocks fit on a multiprocessor
///   wide_block<Shared>(program)  as tiles() with one block, a WideBlock, which has more threads on a device: loops
///   over a
///                                few thousand elements take fewer turns
///   tiles_then<Shared>(n, program, finish)
///                                as tiles(); then finish(block, shared) in the block that ends last, which sees the
///                                stores of all other blocks
///   tiles_in_order<Shared, resident>(n, words, program)
///                                program(block, shared, board); blocks are numbered in the order in which they begin,
///                                so that one may wait for words that blocks of lower index put on the board, which
///                                has `words` words
///   sort_pairs(keys, values, n, bits)
///                                a stable sort by the low `bits` bits of unsigned keys
///   next_board(words), ticket()  for launch_function()
///   launch_function(function, blocks, arguments, numbered, name)
///                                launches a function of a generated kernel; `arguments` is a vector of bytes;
///                                `numbered` if each of its blocks takes the ticket once
///   set_sites(sites)             sites of the next launches, for messages
///   fill_zero, copy, upload, download, traffic
///   count_delivery(bytes)        counts bytes that a launch brought to the device among its arguments
///   wait()                       waits for all that was issued, unless a download did
///   download(pieces, n)          several short copies with one wait
///   next_reply()                 a Reply for the next launch, one of whose blocks gives it; dropped if there is none
///   await_reply(pieces, n)       waits for the reply of the last launch, and copies its first n letters
///   pool()                       memory; a released block may be reused at once
///   faults(site)                 through which the elements of an operation report their faults
///
/// A block has
///
///   index()                      its number below n
///   numbered(index)              the same threads, as the block of another index
///   leads()                      true in one thread of the block, the leader
///   sync()                       barrier: stores before it are visible to all threads of the block after it
///   for_each(n, f)               f(e) for each e below n; all calls have ended when it returns
///   map<R>(n, value, store)      store(k, value(k)) for each k below n; a thread computes several values of type R
///                                before it stores any
///   load_ahead<R>(n, load, use)  use(k, load(k)) for each k below n; a thread loads several values ahead. `use`, which
///                                may store to addresses that load(k) reads, is compiled once: it may be long
///   map_fold<R>(n, identity, value, store, combine)
///                                as map(); returns the combination, in any order, of the results of store(); valid in
///                                the leader only
///   prefetch(from, count)        prefetches elements that load() will load
///   load(items, from, count, filler, convert)
///                                items of a tile: convert(from[0]), …, convert(from[count - 1]), then fillers
///   fill(items, f)               item k becomes f(k)
///   store(items, to, count)      to[k] = item k for each k below count
///   derive(items, from, f)       item k becomes f(k, item k of `from`), which may be the same items
///   for_items(items, f)          f(k, item k) for each item, or at least for those that matter
///   for_vectors(items, f)        f(k, address of item k, count) for groups of consecutive items that begin at k, of a
///                                size that heads.bits() accepts
///   scan<is_inclusive>(items, identity, at_head, heads, combine, before)
///                                each item becomes the combination of the items since the last head, itself included
///                                if inclusive; if exclusive, an item with a head becomes at_head. The items before the
///                                first head are combined with the result of before(total, has_head), where total is
///                                the combination of the items since the last head; all threads of one warp call it,
///                                the leader among them
///   fold(from, begin, end, identity, convert, combine)
///                                the combination of convert(from[begin]) … convert(from[end - 1]), always with the
///                                same association; valid in the leader only
///
/// All threads of a block call the members of Block, with equal arguments. kTile is the number of items. They are held
/// in Items or, where code is to be short, in StoredItems(storage, count) over shared memory of the block, of which the
/// first `count` matter. heads.bits(k,
/// count) has a bit for each of `count` items from k on, set if a segment begins at the item.
///
/// Blocks of one launch exchange values of up to 12 bytes through a Board, within `before`. The leader calls put(). All
/// threads that run `before` construct a BoardRead of up to 32 words, which issues the loads, and call its
/// fold(identity, combine), which waits for these words and combines them, always with the same association, in
/// all of these threads.

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

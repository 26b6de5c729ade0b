#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "cvl/fold_order.h"
#include "kernels/loop_plan.h"
#include "operations/arg_reduce.h"
#include "operations/context.h"
#include "steps/index_space.h"
#include "tuning/chunk_tuning.h"

namespace cvl::cpu {

/// A run of a kernel that has computed its first chunks: the results of folds for segments at the edges of chunks.
struct BegunRun {
  std::span<const ReduceKernels::Edges> edges_of(int reduction) const { return of(edges, reduction); }
  std::span<const ChunkExtremes> extremes_of(int arg_reduction) const { return of(extremes, arg_reduction); }

  std::int64_t items = 0;                   ///< elements plus segments of the computed chunks
  std::int64_t chunks = 0;                  ///< number of these chunks
  std::int64_t all_chunks = 0;              ///< and of those of the whole run
  std::vector<ReduceKernels::Edges> edges;  ///< by reduction and chunk
  std::vector<Slot> blocks;                 ///< of `edges`
  std::vector<ChunkExtremes> extremes;      ///< by arg-reduction and chunk

 private:
  template <class T>
  std::span<const T> of(const std::vector<T>& folds, int number) const {
    return std::span(folds).subspan(static_cast<std::size_t>(number * all_chunks), static_cast<std::size_t>(chunks));
  }
};

/// Runs a kernel that is not compiled: the index space is divided into chunks whose intermediate results fit into the
/// first-level cache, and for each chunk the loops of the operations are called, step after step. Results are bit for
/// bit those of the operations on whole vectors, for any number of threads.
class ChunkedSteps {
 public:
  /// Most items of a chunk, which has less than a block more elements: the loops take chunks of kChunkItems elements.
  static constexpr std::int64_t kMostItems = kChunkItems - kFoldBlock;

  /// The plan must outlive the object. `chunk_items`: elements plus segments of a chunk, at most kMostItems; 0 for as
  /// many as fit into the cache.
  explicit ChunkedSteps(const kernels::LoopPlan& plan, std::int64_t chunk_items = 0);

  /// Whether the kernel can be run in chunks on `threads` threads. It cannot if floats are added up over two
  /// descriptors that may differ, as the blocks of both (see fold_order.h) would have to end at the borders of chunks;
  /// nor on several threads if a chunk depends on the preceding one, by a scan or a PACK.
  bool takes(const KernelCall& call, int threads) const;
  /// Runs the kernel if it takes the call. If it does not, and if an element is at fault, a fault of any kind is
  /// reported: the caller then computes the kernel step by step. `stop` is called now and then, unless it is empty: if
  /// it returns true, the chunks computed so far are returned, for LoopRun to compute the others.
  std::optional<BegunRun> run(Context& context, const KernelCall& call, const std::function<bool()>& stop = {}) const;

 private:
  friend struct StepRun;
  friend class StepWorker;

  struct ChunkedValue {
    int buffer = -1;              ///< number of the buffer with a chunk of its elements; -1 for other values
    bool materialised = false;    ///< needed as a vector of the whole index space
    bool may_be_uniform = false;  ///< a DIST that only elementwise steps read, each beside a vector
  };

  std::int64_t size_of(vcode::KernelVar v) const { return static_cast<std::int64_t>(elem_size(plan_.values[v].type)); }
  void assign_buffers();

  const kernels::LoopPlan& plan_;
  std::vector<ChunkedValue> values_;
  int buffers_ = 0;
  std::int64_t chunk_items_;
  /// A chunk has less than a block more elements than items; its first element is among the first kScanGroup of a
  /// buffer.
  std::int64_t buffer_bytes_;
};

}  // namespace cvl::cpu

#pragma once

#include <cstdint>
#include <vector>

#include "cvl/fold_order.h"
#include "operations/context.h"
#include "tuning/chunk_tuning.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

/// Runs a kernel that is not compiled: the index space is divided into chunks whose intermediate results fit into the
/// first-level cache, and for each chunk the loops of the operations are called, step after step. Results are bit for
/// bit those of the operations on whole vectors, for any number of threads.
class ChunkedSteps {
 public:
  /// Most items of a chunk, which has less than a block more elements: the loops take chunks of kChunkItems elements.
  static constexpr std::int64_t kMostItems = kChunkItems - kFoldBlock;

  /// The kernel must outlive the object. `chunk_items`: elements plus segments of a chunk, at most kMostItems; 0 for
  /// as many as fit into the cache.
  ChunkedSteps(const vcode::Kernel& kernel, const vcode::KernelFacts& facts, vcode::Widths widths,
               std::int64_t chunk_items = 0);

  /// Whether the kernel can be run in chunks on `threads` threads. It cannot if floats are added up over two
  /// descriptors that may differ, as the blocks of both (see fold_order.h) would have to end at the borders of chunks;
  /// nor on several threads if a chunk depends on the preceding one, by a scan or a PACK.
  bool takes(const KernelCall& call, int threads) const;
  /// Runs the kernel if it takes the call. If it does not, and if an element is at fault, a fault of any kind is
  /// reported: the caller then computes the kernel step by step.
  void run(Context& context, const KernelCall& call) const;

 private:
  friend struct StepRun;
  friend class StepWorker;

  /// A step that is computed chunk by chunk.
  struct ChunkedStep {
    const vcode::Kernel::Step* step = nullptr;
    vcode::Producer producer = vcode::Producer::kInput;
    int segmentation = -1;  ///< descriptor of its segments: index into segmentations_; -1 for elementwise steps
    /// Index among the carries (scans and counts), the reductions or the arg-reductions. A PACK has the number of the
    /// count of its flags.
    int number = -1;
    bool counts = false;  ///< the first PACK with its flags and segments, which counts the flags
  };
  struct ChunkedValue {
    ElemType type = ElemType::kI32;
    int buffer = -1;              ///< number of the buffer with a chunk of its elements; -1 for other values
    bool materialised = false;    ///< needed as a vector of the whole index space
    bool may_be_uniform = false;  ///< a DIST that only elementwise steps read, each beside a vector
  };

  std::int64_t size_of(vcode::KernelVar v) const { return static_cast<std::int64_t>(elem_size(values_[v].type)); }
  void add_step(const vcode::Kernel::Step& step, const vcode::KernelFacts& facts);
  void assign_buffers();

  const vcode::Kernel& kernel_;
  std::vector<ChunkedValue> values_;
  std::vector<vcode::KernelVar> segmentations_;  ///< the descriptors of the index space
  std::vector<int> block_segmentations_;         ///< those of steps whose monoid rounds: no chunk has a part of a block
  std::vector<ChunkedStep> steps_;
  std::vector<const vcode::Kernel::Step*> at_end_;  ///< permutes and epilogues, which follow after the last chunk
  int buffers_ = 0, carries_ = 0, reductions_ = 0, arg_reductions_ = 0;
  std::int64_t chunk_items_;
  /// A chunk has less than a block more elements than items; its first element is among the first kScanGroup of a
  /// buffer.
  std::int64_t buffer_bytes_;
};

}  // namespace cvl::cpu

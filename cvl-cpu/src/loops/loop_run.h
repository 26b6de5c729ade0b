#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <optional>
#include <vector>

#include "kernels/loop_plan.h"
#include "loops/calls/product_shape.h"
#include "loops/compiled_loops.h"
#include "loops/loop_tiles.h"
#include "operations/context.h"
#include "operations/scatters/chunked_scatter.h"
#include "steps/chunked_steps.h"

namespace cvl::cpu {

/// Partial results of a count for the segments at the edges of a chunk.
struct CountEdge {
  std::int64_t tail = 0;    ///< number for the segment that continues after the chunk
  std::int64_t first = -1;  ///< first segment that ends in the chunk; -1 if there is none
};

/// One run of a kernel: the data that all threads read, and the partial results that they pass to each other.
class LoopRun {
 public:
  static constexpr int kNoSegmentation = -1;
  /// How the loop of a part is called.
  struct Calls {
    /// Descriptor of the segments of the nest, or another descriptor that is equal. kNoSegmentation if the loop has no
    /// nest, or the nest would read descriptors that differ; a call in flat form may have such ones.
    int nest = kNoSegmentation;
    Loop::Form form = Loop::Form::kFlat;
  };

  /// Chooses the forms in which loops are called. Allocates bookkeeping, here and in the workers, from `memory`.
  LoopRun(Context& context, const LoopPlan& plan, const LoopTiles& tiling, const KernelCall& call,
          std::pmr::polymorphic_allocator<> memory);

  /// The loops that the run calls; none if the segments of the call fit no form of a loop.
  LoopForms forms() const { return {forms_.data(), forms_count_}; }

  /// Whether run() can compute the chunks of a kernel that ChunkedSteps has left: they pass no more to each other than
  /// the results of folds. Kernels with scans, PACKs and permutations go on as they began.
  static bool can_go_on(const LoopPlan& plan);
  /// Runs the kernel, from the place where `begun` has ended; `loops` has all of forms(). Any fault makes the caller
  /// compute it step by step.
  void run(const CompiledLoops& loops, const BegunRun& begun = {});

  std::int64_t elements_of(vcode::KernelVar v) const { return call.results[v].length; }
  int size_of(vcode::KernelVar v) const { return static_cast<int>(elem_size(plan.values[v].type)); }
  Slot* carry(std::int64_t p) const { return carries.get() + p * (plan.scans + plan.counts); }
  const Calls& calls(Part part) const { return calls_[static_cast<std::size_t>(part)]; }
  /// The function of a part.
  LoopFunction& loop(Part part) const { return *loops_[{part, calls(part).form}]; }
  const SegmentDescriptor& descriptor_of(const Loop::Table& table) const { return call.descriptors[table.descriptor]; }
  /// Results of a reduction in chunk p for tiles of the segment that begins before the chunk.
  Slot* blocks(std::int64_t p, int number) const {
    return block_sums.get() + (p * plan.reductions + number) * tiling.most_tiles;
  }
  /// Partial results of a reduction, by chunk.
  ReduceKernels::Edges* edges(int number) const { return reduction_edges.get() + number * chunks; }
  CountEdge& count_edge(std::int64_t p, int number) const { return count_edges[p * plan.counts + number]; }
  /// Partial results of an arg-reduction, by chunk.
  ChunkExtremes* extremes(int number) const { return chunk_extremes.get() + number * chunks; }
  const SegmentDescriptor& segmentation(int number) const { return space[number]; }
  /// An address for the nest of a part that is set in place of that of the call's.
  struct Refinement {
    kernels::Member member;
    const void* address;
  };
  const std::pmr::vector<Refinement>& refinements(Part part) const {
    return refinements_[static_cast<std::size_t>(part)];
  }
  /// Whether a descriptor has several segments, and is not known to be that of the nest. Its segments then consist of
  /// those of the nest, or the loop has no nest.
  bool is_coarse(int number, int nest) const;
  /// Whether a table has segments for a coarse descriptor; the nest then reads two of its starts for each segment.
  bool is_refined(const Loop::Table& table, int nest) const {
    return !descriptor_of(table).is_single() && is_coarse(table.segmentation, nest);
  }
  bool is_single(int number) const { return segmentation(number).is_single(); }
  bool run_epilogues(std::span<const Chunk> segmentation_chunks, char* tiles);

  Context& context;
  const LoopPlan& plan;
  const LoopTiles& tiling;
  const KernelCall& call;
  std::pmr::polymorphic_allocator<> small_memory;
  const IndexSpace space;
  const std::int64_t chunks = space.chunks();
  bool in_turn = false;       ///< one thread computes the chunks in order
  bool once_a_chunk = false;  ///< one call computes a chunk
  bool by_block = false;      ///< such a call folds each block of the only segment as a segment of the nest
  /// Whether a chunk knows its carries when it begins: those of the chunk before it, or those of no elements.
  bool are_carries_known() const { return in_turn || space.has_whole_scans(); }

  std::pmr::vector<void*> memory{small_memory};   ///< by value: the vector of a materialised value
  std::pmr::vector<bool> streamed{small_memory};  ///< by value: may be written by non-temporal stores
  Arena::Scratch<Slot> carries;
  Arena::Scratch<std::atomic<bool>> ready;
  Arena::Scratch<ReduceKernels::Edges> reduction_edges;
  Arena::Scratch<CountEdge> count_edges;
  Arena::Scratch<Slot> block_sums;
  Arena::Scratch<ChunkExtremes> chunk_extremes;  ///< by arg-reduction and chunk
  /// A scatter: its targets, and what tells whether one is written twice, unless they hold defaults.
  struct ScatterRun {
    Result targets = {};
    std::optional<ChunkedScatter> distinct = {};
  };
  std::pmr::deque<ScatterRun> scatters{small_memory};
  std::atomic<bool> failed = false;

 private:
  bool choose_calls(Part part);
  Loop::Form choose_form(const Loop& loop, int nest);
  bool has_tiny_segments(int nest) const;
  static std::int64_t longest_whole(const Context& context, const LoopPlan& plan);
  bool may_call_once_a_chunk() const;
  bool may_fold_by_block() const;
  int finest_segmentation(const Loop& loop) const;
  bool fits_nest(const Loop& loop, int found) const;
  bool may_use_lanes(const Loop& loop, int nest) const;
  bool allocate();
  bool refine(Part part);
  void run_chunks();
  void run_product();
  void join(const BegunRun& begun);
  void join_count(const LoopPlan::Step& step);
  bool begin_scatter(const LoopPlan::Step& step);
  Result scattered(const vcode::Kernel::Step& step);
  bool finish_steps();
  bool run_epilogues(int segmentation, std::int64_t begin, std::int64_t end, char* tiles);
  bool run_joined_epilogues();
  bool ends_earlier_segment(int segmentation, const Chunk& chunk) const;

  std::array<Calls, 3> calls_;
  std::optional<ProductShape> product_;  ///< if the loop of all steps is called as a product
  std::array<LoopForm, 2> forms_{};
  std::size_t forms_count_ = 0;
  CompiledLoops loops_;
  std::array<std::pmr::vector<Refinement>, 3> refinements_{std::pmr::vector<Refinement>(small_memory),
                                                           std::pmr::vector<Refinement>(small_memory),
                                                           std::pmr::vector<Refinement>(small_memory)};
  std::int64_t first_ = 0;  ///< chunk with which the run begins
  std::pmr::vector<Arena::Scratch<char>> vectors_{
      small_memory};  ///< memory of materialised values that are not outputs
};

}  // namespace cvl::cpu

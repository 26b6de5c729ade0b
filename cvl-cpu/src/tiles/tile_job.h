#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <vector>

#include "llvm/native_code.h"
#include "operations/context.h"
#include "operations/scatters/chunked_scatter.h"
#include "tiles/tile_plan.h"

namespace cvl::cpu {

/// Partial results of a reduction or a count for the segments at the edges of a chunk.
struct Edge {
  std::int64_t blocks = 0;  ///< reductions: number of results of tiles of the segment that begins before the chunk
  Slot tail = 0;  ///< result of the segment that continues after the chunk; reductions: only if it begins in the chunk
  std::int64_t first = -1;  ///< first segment that ends in the chunk; reductions: only if it begins before the chunk;
                            ///< -1 if there is none
  bool begins = false;      ///< reductions: a segment begins in the chunk
};

/// Partial results of an arg-reduction for the segments at the edges of a chunk.
struct ExtremeEdge {
  ArgReduceKernels::Edges extremes;
  std::int64_t first = -1;
  bool joins = false;
};

/// One run of a kernel: the data that all threads read, and the partial results that they pass to each other.
struct TileJob {
  /// Allocates bookkeeping, here and in the workers, from `m`.
  TileJob(Context& c, const TilePlan& p, std::span<const CompiledRegion> compiled, const KernelCall& k,
          std::pmr::polymorphic_allocator<> m);

  std::int64_t elements_of(vcode::KernelVar v) const { return call.results[v].length; }
  int size_of(vcode::KernelVar v) const { return static_cast<int>(elem_size(plan.values[v].type)); }
  /// Chunk p of the index space: its elements, and its segments of descriptor c.
  Chunk chunk_of(int c, std::int64_t p) const;
  Slot* carry(std::int64_t p) const { return carries.get() + p * (plan.scans + plan.counts); }
  /// Whether a region is compiled and its code can be used in this run.
  bool is_compiled(int region) const {
    return !compiled.empty() && region >= 0 && compiled[static_cast<std::size_t>(region)].elements != nullptr &&
           (single_targets || plan.regions[static_cast<std::size_t>(region)].scatters.empty());
  }
  const SegmentDescriptor& map_of(const Region::Table& table) const { return call.descriptors[table.segments]; }
  /// Results of a reduction in chunk p for tiles of the segment that begins before the chunk.
  Slot* blocks(std::int64_t p, int number) const {
    return block_sums.get() + (p * plan.reductions + number) * plan.most_tiles();
  }
  Edge& edge(std::int64_t p, int number) const { return edges[p * (plan.reductions + plan.counts) + number]; }

  ExtremeEdge& extreme_edge(std::int64_t p, int number) const {
    return extreme_edges[p * plan.arg_reductions + number];
  }

  static constexpr int kNoSegmentation = -1;
  int segmentation_of(const Region& region) const;
  bool is_single(int segmentation) const { return segmentations[static_cast<std::size_t>(segmentation)].is_single(); }
  int segmentation_of_readers(vcode::KernelVar v) const;
  void find_across();
  bool allocate();
  void join();
  void join_reduction(const TilePlan::PlannedStep& step);
  void join_arg_reduction(const TilePlan::PlannedStep& step);
  void join_count(const TilePlan::PlannedStep& step);
  bool begin_scatter(const TilePlan::PlannedStep& step);
  bool run_epilogues(int segmentation, std::int64_t begin, std::int64_t end, char* tiles);
  bool run_epilogues(std::span<const Chunk> segmentation_chunks, char* tiles);
  bool run_joined_epilogues();
  bool ends_earlier_segment(int segmentation, const Chunk& chunk) const;
  bool finish_steps();
  Result position_scattered(const vcode::Kernel::Step& step);

  Context& context;
  const TilePlan& plan;
  std::span<const CompiledRegion> compiled;  ///< one for each of the plan's regions; empty: none is compiled
  const KernelCall& call;
  std::pmr::polymorphic_allocator<> small_memory;
  std::pmr::vector<SegmentDescriptor> segmentations{small_memory};
  int main_segmentation = 0;  ///< descriptor by which chunks are made: that of the folds by blocks, or the one with the
                              ///< most segments
  bool by_one = true;         ///< all folds by blocks have one segmentation; otherwise no tiles fit all of them
  Partition partition{SegmentDescriptor::single(0), 1};
  std::int64_t chunks = 0;
  bool flat = false;            ///< all descriptors are single
  bool single_tables = false;   ///< all gathers read tables of a single segment
  bool single_targets = false;  ///< all permutations have a single segment and targets of 32 bits
  bool in_turn = false;         ///< one thread computes the chunks in order, so carries are known

  std::pmr::vector<void*> memory{small_memory};   ///< by value: the vector of a materialised value
  std::pmr::vector<bool> streamed{small_memory};  ///< by value: written by non-temporal stores, from its tile or
                                                  ///< directly
  std::pmr::vector<bool> uniform{small_memory};   ///< by value: equal for all elements, so its tile is filled once
  /// By region: descriptor of the segments of its loop nest, or another descriptor that is equal. kNoSegmentation if
  /// the region has no compiled loop nest over segments, or reads several descriptors that differ.
  std::pmr::vector<int> region_segmentations{small_memory};
  /// By region: whether compiled code always computes it with one segment a lane, over the segments of
  /// region_segmentations.
  std::pmr::vector<bool> across{small_memory};
  /// By descriptor: average length of segments over a tile from which on a compiled loop nest is used.
  std::pmr::vector<std::int64_t> long_segments{small_memory};
  /// By value that DIST, INDEX or SLICE generates and only regions read: the descriptor of these regions. No tile of
  /// the value is needed where they are computed by a loop nest over segments. kNoSegmentation for all other values.
  std::pmr::vector<int> made_for{small_memory};
  std::pmr::vector<Arena::Scratch<char>> vectors{small_memory};  ///< memory of materialised values that are not outputs
  Arena::Scratch<Slot> carries;
  Arena::Scratch<std::atomic<bool>> ready;
  Arena::Scratch<Edge> edges;
  Arena::Scratch<Slot> block_sums;
  Arena::Scratch<ExtremeEdge> extreme_edges;  ///< by chunk and arg-reduction
  std::pmr::deque<ChunkedScatter> scatters{small_memory};
  std::atomic<bool> failed = false;
};

}  // namespace cvl::cpu

#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <vector>

#include "llvm/native_code.h"
#include "operations/context.h"
#include "operations/piecewise_scatter.h"
#include "tiles/tile_plan.h"

namespace cvl::cpu {

/// The partial results of a reduction or a count at the edges of a piece.
struct Edge {
  std::int64_t blocks = 0;  ///< of a reduction: results of tiles of the segment that began before the piece
  Slot tail = 0;            ///< of the segment that ends later; of a reduction, if it begins in the piece
  std::int64_t first = -1;  ///< the first segment that ends in the piece; of a reduction, if it began before; or -1
  bool begins = false;      ///< of a reduction: a segment begins in the piece
};

/// The same of an arg-reduction.
struct ExtremeEdge {
  ArgReduceKernels::Edges extremes;
  std::int64_t first = -1;
  bool joins = false;
};

/// One run of a kernel: what all threads read, and what they pass to each other.
struct TileJob {
  /// Bookkeeping, here and in the workers, is allocated from `m`.
  TileJob(Context& c, const TilePlan& p, std::span<const CompiledRegion> compiled, const KernelCall& k,
          std::pmr::polymorphic_allocator<> m);

  std::int64_t elements_of(vcode::KernelVar v) const { return call.results[v].length; }
  int size_of(vcode::KernelVar v) const { return static_cast<int>(elem_size(plan.values[v].type)); }
  /// Piece p of the index space as cut c sees it.
  Piece piece_of(int c, std::int64_t p) const;
  Slot* carry(std::int64_t p) const { return carries.get() + p * (plan.scans + plan.counts); }
  /// Whether there is code for a region that can compute it in this run.
  bool is_compiled(int region) const {
    return !compiled.empty() && region >= 0 && compiled[static_cast<std::size_t>(region)].elements != nullptr &&
           (single_targets || plan.regions[static_cast<std::size_t>(region)].scatters.empty());
  }
  const SegmentMap& map_of(const Region::Table& table) const { return call.maps[table.segments]; }
  /// Of piece p and a reduction: results of tiles, of the segment that began before the piece.
  Slot* blocks(std::int64_t p, int number) const {
    return block_sums.get() + (p * plan.reductions + number) * plan.most_tiles();
  }
  Edge& edge(std::int64_t p, int number) const { return edges[p * (plan.reductions + plan.counts) + number]; }

  ExtremeEdge& extreme_edge(std::int64_t p, int number) const {
    return extreme_edges[p * plan.arg_reductions + number];
  }

  static constexpr int kNoCut = -1;
  int cut_of(const Region& region) const;
  bool is_single(int cut) const { return cuts[static_cast<std::size_t>(cut)].is_single(); }
  int cut_of_readers(vcode::KernelVar v) const;
  void find_across();
  bool allocate();
  void join();
  void join_reduction(const TilePlan::PlannedStep& step);
  void join_arg_reduction(const TilePlan::PlannedStep& step);
  void join_count(const TilePlan::PlannedStep& step);
  bool begin_scatter(const TilePlan::PlannedStep& step);
  bool run_epilogues(int cut, std::int64_t begin, std::int64_t end, char* tiles);
  bool run_epilogues(std::span<const Piece> cut_pieces, char* tiles);
  bool run_joined_epilogues();
  bool ends_earlier_segment(int cut, const Piece& piece) const;
  bool finish_steps();
  Result place_scattered(const vcode::Kernel::Step& step);

  Context& context;
  const TilePlan& plan;
  std::span<const CompiledRegion> compiled;  ///< the plan's regions; empty: none is compiled
  const KernelCall& call;
  std::pmr::polymorphic_allocator<> small_memory;
  std::pmr::vector<SegmentMap> cuts{small_memory};
  int main_cut = 0;    ///< pieces are made by it: the cut of the folds by blocks, or the one with the most segments
  bool by_one = true;  ///< folds by blocks are of one segmentation; otherwise no tiles are right for all of them
  Partition partition{SegmentMap::single(0), 1};
  std::int64_t pieces = 0;
  bool flat = false;            ///< all cuts are a single segment
  bool single_tables = false;   ///< all gathers read tables of a single segment
  bool single_targets = false;  ///< all permutations are of a single segment, with places of 32 bits
  bool in_turn = false;         ///< one thread computes the pieces in order, so carries are known

  std::pmr::vector<void*> memory{small_memory};   ///< the vectors of materialised values
  std::pmr::vector<bool> streamed{small_memory};  ///< written by non-temporal stores, from its tile or directly
  std::pmr::vector<bool> uniform{small_memory};   ///< the same for all elements; its tile is filled once
  /// By region: the cut by whose segments code computes it, or another one that is equal; kNoCut if no code does: it is
  /// not computed by code, does not go by segments, or goes by those of several cuts that differ.
  std::pmr::vector<int> region_cuts{small_memory};
  /// By region: whether code computes it across the segments of that cut, wherever it is computed.
  std::pmr::vector<bool> across{small_memory};
  /// By cut: the elements of a segment, on average over a tile, from which on code goes by segments.
  std::pmr::vector<std::int64_t> long_segments{small_memory};
  /// Of a vector made from an element for each segment that only regions read: their cut. Where these are computed by
  /// segments, no tile of it is needed. kNoCut for all other values.
  std::pmr::vector<int> made_for{small_memory};
  std::pmr::vector<Arena::Scratch<char>> vectors{small_memory};  ///< memory of materialised values that are no outputs
  Arena::Scratch<Slot> carries;
  Arena::Scratch<std::atomic<bool>> ready;
  Arena::Scratch<Edge> edges;
  Arena::Scratch<Slot> block_sums;
  Arena::Scratch<ExtremeEdge> extreme_edges;  ///< by piece and arg-reduction
  std::pmr::deque<PiecewiseScatter> scatters{small_memory};
  std::atomic<bool> failed = false;
};

}  // namespace cvl::cpu

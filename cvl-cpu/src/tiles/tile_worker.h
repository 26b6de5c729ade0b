#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tiles/tile_job.h"

namespace cvl::cpu {

/// A thread at work: its tiles, and where it is in a piece.
class TileWorker {
 public:
  explicit TileWorker(TileJob& job);

  bool allocate();
  /// Computes a piece. `in_turn`: the carries of the piece before are known.
  void run_piece(std::int64_t p);

 private:
  /// An address such that element e of a vector is at address + e * size; of a tile, only some elements are there.
  using Origin = std::uintptr_t;

  /// What a piece does of its steps.
  enum class Part : std::uint8_t {
    kAll,     ///< everything, knowing the carries of earlier pieces
    kBefore,  ///< what can be done without them
    kAfter,   ///< the rest
  };

  /// The accumulation of the segment that is open at some place of a piece.
  struct Open {
    Slot value = 0;
    bool inside = false;  ///< it began in the piece
    Slot before = 0;      ///< of a scan: what the next element of the traversal is to get
  };

  bool run_part(Part part);
  bool run_step(const TilePlan::Step& step, Part part);
  void enter_piece();
  void enter_part(Part part);
  std::int64_t begin_of_open() const;
  void enter_tile();
  bool map(const vcode::Kernel::Step& step);
  bool can_run_together(std::span<const TilePlan::Step> group, Part part) const;
  void run_together(std::span<const TilePlan::Step> group, Part part);
  bool is_lasting(const TilePlan::Step& step, Part part, vcode::KernelVar v) const;
  void run_chain(const TilePlan::Step& step, Part part, bool in_tile);
  Slot run_folding_chain(const TilePlan::Step& step, Part part, bool in_tile);
  void add_links(const TilePlan::Step& step, bool in_registers);
  void add_fold(const TilePlan::Step& step);
  void add_scan(const TilePlan::Step& step);
  void add_stores(const TilePlan::Step& step, Part part, vcode::KernelVar v, bool in_tile);
  void run_links(ElemType type);
  ChainSums& sums_of(const TilePlan::Step& step);
  Slot end_fold(const TilePlan::Step& step);
  void take_reduction(const TilePlan::Step& step);
  void take_scan(const TilePlan::Step& step, Part part);
  void spread(const TilePlan::Step& step);
  bool gather(const TilePlan::Step& step);
  void scan(const TilePlan::Step& step, Part part);
  void scan_piece(const TilePlan::Step& step);
  std::ptrdiff_t ahead(const TilePlan::Step& step) const;
  Slot fold_open(const TilePlan::Step& step, Part part);
  void reduce(const TilePlan::Step& step, Part part);
  bool scatter(const TilePlan::Step& step);
  void count(const TilePlan::Step& step);
  void pack(const TilePlan::Step& step, Part part);
  void store(vcode::KernelVar v);
  void fill_uniform();
  void wait_for(std::int64_t p) const;
  void hand_on();
  void note_edges();
  void copy_packed();

  const Kernels& kernels() const { return job_.context.kernels; }
  Origin origin(vcode::KernelVar v) const { return origins_[v]; }
  void* at(vcode::KernelVar v, std::int64_t e) const {
    return reinterpret_cast<void*>(origins_[v] + static_cast<Origin>(e * job_.size_of(v)));
  }
  /// Where a value that is the same for all elements lies, whatever the tile.
  char* slot(vcode::KernelVar v) const { return memory_.get() + plan_.values[v].slot * plan_.slot_bytes(); }
  /// The elements of the tile, or one that stands for all of them.
  const void* elements(vcode::KernelVar v) const { return job_.uniform[v] ? slot(v) : at(v, begin_); }
  void* base(vcode::KernelVar v) const { return reinterpret_cast<void*>(origins_[v]); }
  const SegmentMap& map_of(const TilePlan::Step& step) const { return job_.cuts[static_cast<std::size_t>(step.cut)]; }
  const Piece& tile_of(const TilePlan::Step& step) const { return tiles_[static_cast<std::size_t>(step.cut)]; }
  Monoid monoid(const TilePlan::Step& step) const { return vcode::info(step.step->op).monoid; }
  /// What a count found in this tile, remembered from one part of the piece to the other.
  std::int64_t& kept_of_tile(int number) { return kept_tiles_[static_cast<std::size_t>(number * most_tiles_ + tile_)]; }

  TileJob& job_;
  const TilePlan& plan_;
  const bool in_parts_;  ///< pieces wait for carries
  Arena::Scratch<char> memory_;
  char* kept_ = nullptr;            ///< behind the tiles: a piece of each value that is kept or packed
  char* epilogue_tiles_ = nullptr;  ///< behind these
  bool filled_ = false;
  std::int64_t most_tiles_ = 0;

  std::pmr::vector<Origin> origins_{job_.small_memory};
  std::pmr::vector<vcode::KernelVar> in_slots_{job_.small_memory};  ///< values whose origin moves with the tile
  std::int64_t p_ = 0;
  std::pmr::vector<Piece> pieces_{job_.small_memory};  ///< the piece as each cut sees it
  std::pmr::vector<Piece> tiles_{job_.small_memory};   ///< the tile likewise
  std::int64_t begin_ = 0, end_ = 0;                   ///< elements of the tile
  std::int64_t tile_ = 0;                              ///< of the piece

  std::pmr::vector<ChainLink> links_{job_.small_memory};
  std::pmr::vector<ChainSums> sums_{job_.small_memory};  ///< by reduction, then by scan
  std::pmr::vector<ChainScan> chain_scans_{job_.small_memory};
  std::pmr::vector<Open> open_scans_{job_.small_memory}, open_reductions_{job_.small_memory},
      open_counts_{job_.small_memory};
  std::pmr::vector<std::int64_t> kept_so_far_{job_.small_memory};   ///< by count: in the piece, before the tile
  std::pmr::vector<std::int64_t> kept_in_tile_{job_.small_memory};  ///< by count
  std::pmr::vector<Edge> edges_{job_.small_memory};                 ///< reductions, then counts
  std::pmr::vector<std::int64_t> kept_tiles_{job_.small_memory};    ///< by count and tile
  std::pmr::vector<char*> packed_{job_.small_memory};               ///< by PACK: where the piece's share is
};

}  // namespace cvl::cpu

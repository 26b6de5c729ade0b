#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "tiles/tile_job.h"
#include "tuning/kernel_tuning.h"

namespace cvl::cpu {

/// State of a thread that runs a kernel: its tiles and its position in a chunk.
class TileWorker {
 public:
  explicit TileWorker(TileJob& job);

  /// Allocates the tiles. False, after a report, if memory ran out.
  bool allocate();
  /// Computes chunk p. If chunks are not computed in turn, waits for the carries of the preceding chunk.
  void run_chunk(std::int64_t p);

 private:
  /// An address such that element e is at address + e * size; for a tile, only some of the elements exist.
  using Origin = std::uintptr_t;

  /// Selects the steps of a chunk that are run.
  enum class Part : std::uint8_t {
    kAll,     ///< all steps, with the carries of earlier chunks
    kBefore,  ///< steps that do not need carries
    kAfter,   ///< steps that need carries
  };

  /// Accumulation of the segment that is open at the present tile.
  struct Open {
    Slot value = 0;           ///< accumulation if the segment began in the chunk
    bool inside = false;      ///< the segment began in the chunk
    Slot before = 0;          ///< scans: the result of the next element
    std::int64_t blocks = 0;  ///< scans: number of results of tiles before a segment began in the chunk
  };

  bool run_part(Part part);
  bool run_step(const TilePlan::PlannedStep& step, Part part);
  bool run_region(int number, std::span<const TilePlan::PlannedStep> steps, Part part);
  bool run_segments(int number);
  const void* mark_heads(const Region::Scan& scan);
  int native_region(const TilePlan::PlannedStep& step) const;
  const std::int64_t* starts_of(const SegmentDescriptor& descriptor, std::int64_t first, std::int64_t last,
                                std::size_t number);
  void take_fold(const Region::Fold& fold, const SegmentDescriptor& descriptor, const Chunk& tile);
  void take_tile(const vcode::Kernel::Step& step, int number, const SegmentDescriptor& descriptor, const Chunk& tile,
                 const Slot* block, Slot tail);
  void go_on_by_blocks(const TilePlan::PlannedStep& step, Part part, Slot before);
  bool goes_by_segments(int segmentation) const;
  bool run_across(int number);
  /// Most starts of segments that a SegmentsFunction receives at a time.
  std::size_t segments_of_tile() const { return static_cast<std::size_t>(plan_.tile / kLongSegment + 4); }
  bool is_folded(const TilePlan::PlannedStep& step, Part part) const;
  void enter_chunk();
  void enter_part(Part part);
  std::int64_t begin_of_open() const;
  void enter_tile();
  void segmentation_at_blocks();
  bool map(const vcode::Kernel::Step& step);
  bool is_lasting(const TilePlan::PlannedStep& step, Part part, vcode::KernelVar v) const;
  bool spread(const TilePlan::PlannedStep& step);
  bool gather(const TilePlan::PlannedStep& step);
  void add_to_carry(const TilePlan::PlannedStep& step, Part part);
  void scan(const TilePlan::PlannedStep& step, Part part);
  void scan_chunk(const TilePlan::PlannedStep& step);
  std::ptrdiff_t ahead(const TilePlan::PlannedStep& step) const;
  Slot fold_open(const TilePlan::PlannedStep& step);
  void reduce(const TilePlan::PlannedStep& step);
  void enter_arg_reductions();
  void arg_reduce(const TilePlan::PlannedStep& step);
  void note_extremes();
  bool scatter(const TilePlan::PlannedStep& step);
  PackCount count(const TilePlan::PlannedStep& step);
  Slot* blocks_of_scan(int number) { return &scan_blocks_[static_cast<std::size_t>(number * most_tiles_)]; }
  PackCount count_of_one(const TilePlan::PlannedStep& step, Part part);
  void note_count(const TilePlan::PlannedStep& step, const PackCount& found);
  void* packed_to(const TilePlan::PlannedStep& step, Part part) const;
  std::int64_t position_of_next(const TilePlan::PlannedStep& step, Part part) const;
  void pack(const TilePlan::PlannedStep& step, Part part);
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
  /// The tile of a value.
  char* slot(vcode::KernelVar v) const { return memory_.get() + plan_.values[v].slot * plan_.slot_bytes(); }
  /// The elements of the present tile, or one element if all are the same.
  const void* elements(vcode::KernelVar v) const { return job_.uniform[v] ? slot(v) : at(v, begin_); }
  /// Address of the tile's first element in the vector of a materialised value.
  void* in_memory(vcode::KernelVar v) const { return static_cast<char*>(job_.memory[v]) + begin_ * job_.size_of(v); }
  void* base(vcode::KernelVar v) const { return reinterpret_cast<void*>(origins_[v]); }
  const SegmentDescriptor& map_of(const TilePlan::PlannedStep& step) const {
    return job_.segmentations[static_cast<std::size_t>(step.segmentation)];
  }
  const Chunk& tile_of(const TilePlan::PlannedStep& step) const {
    return tiles_[static_cast<std::size_t>(step.segmentation)];
  }
  Monoid monoid(const TilePlan::PlannedStep& step) const { return vcode::info(step.step->op).monoid; }
  /// Number of elements that a count keeps in the present tile, stored from Part::kBefore to Part::kAfter.
  std::int64_t& kept_of_tile(int number) {
    VC_CHECK(tile_ < most_tiles_);
    return kept_tiles_[static_cast<std::size_t>(number * most_tiles_ + tile_)];
  }

  TileJob& job_;
  const TilePlan& plan_;
  const bool in_parts_;  ///< chunks wait for carries
  Arena::Scratch<char> memory_;
  char* kept_ = nullptr;            ///< after the tiles: memory for a chunk of each value that is kept or packed
  char* epilogue_tiles_ = nullptr;  ///< after kept_
  bool filled_ = false;
  std::int64_t most_tiles_ = 0;

  std::pmr::vector<Origin> origins_{job_.small_memory};
  std::pmr::vector<vcode::KernelVar> in_slots_{job_.small_memory};  ///< values whose origin moves with the tile
  std::int64_t p_ = 0;
  std::pmr::vector<Chunk> chunks_{job_.small_memory};  ///< the present chunk, by descriptor
  std::pmr::vector<Chunk> tiles_{job_.small_memory};   ///< the present tile, by descriptor
  std::int64_t begin_ = 0, end_ = 0;                   ///< elements of the tile
  std::int64_t tile_ = 0;                              ///< number of the tile in the chunk

  std::pmr::vector<const void*> vectors_{job_.small_memory};  ///< words of a region's function
  std::pmr::vector<std::int64_t> starts_{
      job_.small_memory};  ///< starts of segments of equal lengths: those of a region, then of its tables
  std::pmr::vector<Slot> folds_{job_.small_memory};          ///< by fold: result of a region for the tile
  std::pmr::vector<std::uint8_t> heads_{job_.small_memory};  ///< by scan: see mark_heads()
  std::pmr::vector<Open> open_scans_{job_.small_memory}, open_reductions_{job_.small_memory},
      open_counts_{job_.small_memory};
  std::pmr::vector<Slot> carries_{job_.small_memory};  ///< by scan: accumulation before the tile that a region computes
  std::pmr::vector<Slot> scan_blocks_{job_.small_memory};      ///< see Open::blocks
  std::pmr::vector<ExtremeEdge> extremes_{job_.small_memory};  ///< by arg-reduction; the tail is of the open segment
  std::pmr::vector<std::int64_t> kept_so_far_{
      job_.small_memory};  ///< by count: kept elements of the chunk before the tile
  std::pmr::vector<std::int64_t> kept_in_tile_{job_.small_memory};  ///< by count: kept elements of the tile
  std::pmr::vector<Edge> edges_{job_.small_memory};                 ///< by reduction, then by count
  std::pmr::vector<std::int64_t> kept_tiles_{job_.small_memory};    ///< by count and tile: kept elements
  std::pmr::vector<char*> packed_{job_.small_memory};               ///< by PACK: the kept elements of the chunk
  std::pmr::vector<std::int64_t> positions_{
      job_.small_memory};                                      ///< by PACK: index of the next kept element, for regions
  std::pmr::vector<std::uint64_t> hashes_{job_.small_memory};  ///< by scatter: sum of the hashes of targets that a
                                                               ///< region writes
};

}  // namespace cvl::cpu

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "cvl/fold_order.h"
#include "loops/arguments.h"
#include "loops/loop_run.h"
#include "tuning/kernel_tuning.h"

namespace cvl::cpu {

/// State of a thread that runs a kernel: its tiles and its position in a chunk.
class LoopWorker {
 public:
  explicit LoopWorker(LoopRun& run);

  /// Allocates the tiles. False, after a report, if memory ran out.
  bool allocate();
  /// Computes chunk p. If chunks are not computed in turn, waits for the carries of the preceding chunk.
  void run_chunk(std::int64_t p);

 private:
  /// An address such that element e is at address + e * size; for a tile, only some of the elements exist.
  using Origin = std::uintptr_t;
  using Step = LoopPlan::Step;

  /// The form in which the loop computes a tile.
  enum class Called : std::uint8_t { kNothing, kFlat, kNest, kLanes };

  /// Accumulation of the segment that is open at the present tile.
  struct Open {
    Slot value = 0;           ///< accumulation if the segment began in the chunk
    bool inside = false;      ///< the segment began in the chunk
    std::int64_t blocks = 0;  ///< scans: number of results of tiles before a segment began in the chunk
  };

  // --- chunks and tiles
  void enter_chunk();
  void enter_part(Part part);
  std::int64_t begin_of_open() const;
  void enter_tile();
  void end_tile_at_block();
  bool run_part(Part part);
  bool run_tile(Part part);
  void hand_on();
  void note_edges();
  void copy_packed(Part part);
  void wait_for(std::int64_t p) const;

  // --- calls of compiled loops
  void set_constants(Part part);
  Called call_loop(Part part);
  bool call_flat(Part part);
  bool call_nest(Part part);
  bool call_by_block(Part part);
  bool call_lanes(Part part);
  void set_vectors(Part part, bool in_nest);
  const std::int64_t* starts_of(const SegmentDescriptor& descriptor, std::int64_t first, std::int64_t last,
                                std::size_t number);
  const void* mark_heads(const Loop::Scan& scan);
  bool spread(const Step& step);

  // --- steps around the loop
  bool run_around(Part part, Called called);
  void add_to_carry(const Step& step, Called called);
  void go_on_by_blocks(const Step& step);
  Slot fold_open(const Step& step) const;
  void reduce(const Step& step);
  void take_fold(const Step& step);
  void take_tile(const Step& step, const Slot* block, Slot tail);
  void take_blocks(const Step& step);
  void count(const Step& step, Part part, Called called);
  void enter_arg_reductions();
  void arg_reduce(const Step& step);
  void note_extremes();
  bool scatter(const Step& step);

  const Kernels& kernels() const { return run_.context.kernels; }
  Arguments& arguments(Part part) { return arguments_[static_cast<std::size_t>(part)]; }
  /// Address of element 0 of a value.
  void* base(vcode::KernelVar v) const { return reinterpret_cast<void*>(origins_[v]); }
  void* at(vcode::KernelVar v, std::int64_t e) const {
    return reinterpret_cast<void*>(origins_[v] + static_cast<Origin>(e * run_.size_of(v)));
  }
  /// The address at which segment or element 0 would be of a vector whose number `first` is at an address.
  static void* origin_of(const void* at, std::int64_t first, int size) {
    return reinterpret_cast<void*>(reinterpret_cast<Origin>(at) - static_cast<Origin>(first * size));
  }
  /// The tile of a value.
  char* slot(vcode::KernelVar v) const { return memory_.get() + plan_.values[v].slot * run_.tiling.slot_bytes(); }
  const SegmentDescriptor& descriptor_of(const Step& step) const { return run_.segmentation(step.segmentation); }
  const Chunk& tile_of(int segmentation) const { return tiles_[static_cast<std::size_t>(segmentation)]; }
  const Chunk& tile_of(const Step& step) const { return tile_of(step.segmentation); }
  Monoid monoid(const Step& step) const { return vcode::info(step.step->op).monoid; }
  ElemType type_of_operand(const Step& step) const { return plan_.values[step.step->operands[0]].type; }
  Slot* blocks_of_scan(int number) { return &scan_blocks_[static_cast<std::size_t>(number * run_.tiling.most_tiles)]; }
  std::int64_t most_blocks() const { return (run_.tiling.chunk_items + kLargestTile) / kFoldBlock + 1; }
  void* block_folds(int number) { return &block_folds_[static_cast<std::size_t>(number * most_blocks())]; }
  /// Number of a reduction or a scan among all of both.
  template <class Fold>
  std::size_t fold_number(const Fold& fold) const {
    const bool is_scan = vcode::info(fold.step->op).op_class == vcode::OpClass::kScan;
    return static_cast<std::size_t>(is_scan ? plan_.reductions + fold.number : fold.number);
  }

  LoopRun& run_;
  const LoopPlan& plan_;
  const bool in_parts_;  ///< chunks wait for carries
  Arena::Scratch<char> memory_;
  char* chunk_memory_ = nullptr;    ///< after the tiles: memory for a chunk of each value that is kept or packed
  char* epilogue_tiles_ = nullptr;  ///< after chunk_memory_

  std::pmr::vector<Origin> origins_{run_.small_memory};
  std::pmr::vector<vcode::KernelVar> in_slots_{run_.small_memory};  ///< values whose origin moves with the tile
  std::pmr::vector<Arguments> arguments_{run_.small_memory};        ///< by Part
  std::int64_t p_ = 0;
  std::pmr::vector<Chunk> chunks_{run_.small_memory};  ///< the present chunk, by descriptor
  std::pmr::vector<Chunk> tiles_{run_.small_memory};   ///< the present tile, by descriptor
  std::int64_t begin_ = 0, end_ = 0;                   ///< elements of the tile
  std::int64_t tile_ = 0;                              ///< number of the tile in the chunk
  std::int64_t most_starts_ = 0;  ///< most starts of segments of equal lengths that a call of a nest reads

  std::pmr::vector<std::int64_t> starts_{run_.small_memory};  ///< starts of segments of equal lengths: those of the
                                                              ///< nest, then of its tables
  std::pmr::vector<Slot> folds_{run_.small_memory};           ///< by fold: result for the open segment of the tile
  std::pmr::vector<Slot> block_folds_{run_.small_memory};     ///< by fold: room for the results of the chunk's blocks
  std::pmr::vector<std::uint8_t> heads_{run_.small_memory};   ///< by scan: see mark_heads()
  std::pmr::vector<bool> filled_{run_.small_memory};          ///< by value: a tile that equals all others is filled
  std::pmr::vector<Open> open_scans_{run_.small_memory}, open_reductions_{run_.small_memory},
      open_counts_{run_.small_memory};
  std::pmr::vector<Slot> scan_blocks_{run_.small_memory};    ///< see Open::blocks
  std::pmr::vector<Slot> carries_{run_.small_memory};        ///< by scan: the result of the next element
  std::pmr::vector<Slot> block_carries_{run_.small_memory};  ///< by scan: accumulation of the blocks before the tile
  std::pmr::vector<ChunkExtremes> extremes_{run_.small_memory};      ///< by arg-reduction
  std::pmr::vector<ReduceKernels::Edges> edges_{run_.small_memory};  ///< by reduction
  std::pmr::vector<CountEdge> count_edges_{run_.small_memory};       ///< by count
  std::pmr::vector<std::int64_t> kept_{run_.small_memory};           ///< by count: kept elements of the chunk
  std::pmr::vector<Slot> counted_{run_.small_memory};  ///< by count: those of the tile's open segment, as an INT
  std::pmr::vector<char*> packed_{run_.small_memory};  ///< by PACK: the kept elements of the chunk
  std::pmr::vector<std::int64_t> positions_{run_.small_memory};  ///< by PACK: index of the next kept element
  std::pmr::vector<std::int64_t> of_tile_{run_.small_memory};    ///< by PACK: index of the tile's first kept element
  std::pmr::vector<std::uint64_t> hashes_{run_.small_memory};    ///< by scatter: sum of the hashes of targets
};

}  // namespace cvl::cpu

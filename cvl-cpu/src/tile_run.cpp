#include "tile_run.h"

#include <atomic>
#include <cstring>
#include <thread>

#include "context.h"
#include "streaming.h"
#include "tile.h"

namespace cvl::cpu {

using vcode::KernelVar;
using vcode::Producer;
using Step = TilePlan::Step;

namespace {

constexpr std::int64_t kSlotBytes = kTile * 8;

/// An address such that element e of a vector is at address + e * size; of a tile, only some elements are there.
using Origin = std::uintptr_t;

/// Segments of `map` among [low, high) that have ended when element e begins.
std::int64_t ended_before(const SegmentMap& map, std::int64_t e, std::int64_t low, std::int64_t high) {
  if (map.is_regular()) return map.regular_length == 0 ? high : std::min(high, e / map.regular_length);
  while (low < high) {
    const std::int64_t k = low + (high - low) / 2;
    if (map.offsets[k + 1] <= e)
      low = k + 1;
    else
      high = k;
  }
  return low;
}

/// What a piece does of its steps.
enum class Part : std::uint8_t {
  kAll,     ///< everything, knowing the carries of earlier pieces
  kBefore,  ///< what can be done without them
  kAfter,   ///< the rest
};

/// What a piece knows of a reduction or a count at its edges.
struct Edge {
  Slot head = 0;            ///< the share of its first segment to end
  Slot tail = 0;            ///< the share of the segment that ends later
  std::int64_t first = -1;  ///< the first segment to end in it, or -1
  bool joins = false;       ///< that segment began before the piece
};

/// The accumulation of the segment that is open at some place of a piece.
struct Open {
  Slot value = 0;
  bool inside = false;  ///< it began in the piece
};

/// What a run hands from thread to thread, and what all threads read.
struct Run {
  Run(Context& c, const TilePlan& p, const KernelCall& k);

  std::int64_t elements_of(KernelVar v) const { return call.results[v].length; }
  int size_of(KernelVar v) const { return static_cast<int>(elem_size(plan.values[v].type)); }
  /// Piece p of the index space as cut c sees it.
  Piece piece_of(int c, std::int64_t p) const;
  Slot* carry(std::int64_t p) const { return carries.get() + p * (plan.scans + plan.counts); }
  Edge& edge(std::int64_t p, int number) const { return edges[p * (plan.reductions + plan.counts) + number]; }

  bool allocate();
  void join();
  void join_reduction(const Step& step);
  void join_count(const Step& step);
  bool finish_steps();

  Context& context;
  const TilePlan& plan;
  const KernelCall& call;
  std::vector<SegmentMap> cuts;
  int widest = 0;  ///< the cut with the most segments, by which pieces are made
  Partition partition{SegmentMap::single(0), 1};
  std::int64_t pieces = 0;
  bool in_turn = false;  ///< pieces one after the other, each knowing the carries

  std::vector<void*> memory;                  ///< of values that are needed as vectors
  std::vector<bool> streamed;                 ///< such a value is computed in a tile and copied past the cache
  std::vector<bool> uniform;                  ///< one value for all elements, filled once
  std::vector<Arena::Scratch<char>> vectors;  ///< memory of those that are no outputs
  Arena::Scratch<Slot> carries;
  Arena::Scratch<std::atomic<bool>> ready;
  Arena::Scratch<Edge> edges;
  std::atomic<bool> failed = false;
};

Run::Run(Context& c, const TilePlan& p, const KernelCall& k) : context(c), plan(p), call(k) {
  for (const KernelVar v : plan.cuts) cuts.push_back(call.maps[v]);
  if (cuts.empty()) cuts.push_back(SegmentMap::single(call.elements));
  for (std::size_t d = 1; d < cuts.size(); ++d)
    if (cuts[d].segments > cuts[static_cast<std::size_t>(widest)].segments) widest = static_cast<int>(d);
  partition = Partition(cuts[static_cast<std::size_t>(widest)], plan.piece_items);
  pieces = partition.pieces();
  in_turn = plan.has_carries() && (pieces <= 1 || context.parallel.threads() == 1);
  const std::size_t n = plan.values.size();
  memory.resize(n);
  streamed.resize(n);
  uniform.resize(n);
}

Piece Run::piece_of(int c, std::int64_t p) const {
  Piece piece = partition.piece(p);
  if (c == widest) return piece;
  const SegmentMap& map = cuts[static_cast<std::size_t>(c)];
  piece.segment_begin = p == 0 ? 0 : ended_before(map, piece.element_begin, 0, map.segments);
  piece.segment_end =
      p + 1 == pieces ? map.segments : ended_before(map, piece.element_end, piece.segment_begin, map.segments);
  return piece;
}

/// Memory for everything but the tiles. False if there is none.
bool Run::allocate() {
  auto missing = [&](auto& scratch, std::int64_t n) {
    using T = std::remove_reference_t<decltype(scratch[0])>;
    scratch = context.arena.scratch<T>(n);
    if (scratch) return false;
    context.out_of_memory(static_cast<std::size_t>(n) * sizeof(T));
    return true;
  };
  for (const Step& step : plan.steps) {
    const KernelVar v = step.step->results[0];
    const TilePlan::Value& value = plan.values[v];
    if (value.slot < 0) continue;
    if (value.materialised) {
      memory[v] = call.results[v].data;
      const Result whole{value.type, call.elements, memory[v]};
      if (memory[v] == nullptr) {
        vectors.push_back({});
        if (missing(vectors.back(), whole.length * size_of(v))) return false;
        memory[v] = vectors.back().get();
      }
      // What is read again soon stays in the cache.
      streamed[v] = !value.kept && stream_result(whole);
    } else if (value.spread) {
      uniform[v] = cuts[static_cast<std::size_t>(step.cut)].is_single();
    }
  }
  if (plan.has_carries()) {
    if (missing(carries, (pieces + 1) * (plan.scans + plan.counts)) || missing(ready, pieces)) return false;
    for (std::int64_t p = 0; p < pieces; ++p) new (&ready[p]) std::atomic<bool>(false);
  }
  const std::int64_t shared = pieces * (plan.reductions + plan.counts);
  if (shared > 0) {
    if (missing(edges, shared)) return false;
    for (std::int64_t k = 0; k < shared; ++k) edges[k] = {};
  }
  return true;
}

/// A thread at work: its tiles, and where it is in a piece.
class Worker {
 public:
  explicit Worker(Run& run);

  bool allocate();
  /// Computes a piece. `in_turn`: the carries of the piece before are known.
  void run_piece(std::int64_t p);

 private:
  bool run_part(Part part);
  bool run_step(const Step& step, Part part);
  void enter_piece();
  void enter_part(Part part);
  void enter_tile();
  bool map(const vcode::Kernel::Step& step);
  void spread(const Step& step);
  bool gather(const Step& step);
  void scan(const Step& step, Part part);
  void reduce(const Step& step);
  void count(const Step& step);
  void pack(const Step& step, Part part);
  void store(KernelVar v);
  void fill_uniform();
  void publish(bool good);
  void wait_for(std::int64_t p) const;
  void hand_on();
  void note_edges();
  void copy_packed();

  const Kernels& kernels() const { return run_.context.kernels; }
  Origin origin(KernelVar v) const { return origins_[v]; }
  void* at(KernelVar v, std::int64_t e) const {
    return reinterpret_cast<void*>(origins_[v] + static_cast<Origin>(e * run_.size_of(v)));
  }
  void* base(KernelVar v) const { return reinterpret_cast<void*>(origins_[v]); }
  const SegmentMap& map_of(const Step& step) const { return run_.cuts[static_cast<std::size_t>(step.cut)]; }
  const Piece& tile_of(const Step& step) const { return tiles_[static_cast<std::size_t>(step.cut)]; }
  Monoid monoid(const Step& step) const { return vcode::info(step.step->op).monoid; }
  /// A value of a step before this tile, remembered from one part of the piece to the other.
  template <class T>
  T& remembered(std::vector<T>& all, int number) {
    return all[static_cast<std::size_t>(number) * static_cast<std::size_t>(most_tiles_) +
               static_cast<std::size_t>(tile_)];
  }

  Run& run_;
  const TilePlan& plan_;
  Arena::Scratch<char> memory_;
  char* kept_ = nullptr;  ///< behind the tiles: a piece of each value that is kept or packed
  bool filled_ = false;
  std::int64_t most_tiles_ = 0;

  std::vector<Origin> origins_;
  std::int64_t p_ = 0;
  std::vector<Piece> pieces_;         ///< the piece as each cut sees it
  std::vector<Piece> tiles_;          ///< the tile likewise
  std::int64_t begin_ = 0, end_ = 0;  ///< elements of the tile
  std::int64_t tile_ = 0;             ///< of the piece

  std::vector<Open> open_scans_, open_reductions_, open_counts_;
  std::vector<std::int64_t> kept_so_far_;   ///< by count: in the piece, before the tile
  std::vector<std::int64_t> kept_in_tile_;  ///< by count
  std::vector<Edge> edges_;                 ///< reductions, then counts
  std::vector<Open> scan_tiles_;            ///< by scan and tile: what is open before it
  std::vector<std::int64_t> kept_tiles_;    ///< by count and tile
  std::vector<char*> packed_;               ///< by PACK: where the piece's share is
};

Worker::Worker(Run& run) : run_(run), plan_(run.plan) {
  origins_.resize(plan_.values.size());
  pieces_.resize(run.cuts.size());
  tiles_.resize(run.cuts.size());
  open_scans_.resize(static_cast<std::size_t>(plan_.scans));
  open_reductions_.resize(static_cast<std::size_t>(plan_.reductions));
  open_counts_.resize(static_cast<std::size_t>(plan_.counts));
  kept_so_far_.resize(static_cast<std::size_t>(plan_.counts));
  kept_in_tile_.resize(static_cast<std::size_t>(plan_.counts));
  edges_.resize(static_cast<std::size_t>(plan_.reductions + plan_.counts));
  packed_.resize(static_cast<std::size_t>(plan_.packs));
  most_tiles_ = plan_.piece_items / kTile + 2;
  if (plan_.has_carries() && !run.in_turn) {
    scan_tiles_.resize(static_cast<std::size_t>(plan_.scans * most_tiles_));
    kept_tiles_.resize(static_cast<std::size_t>(plan_.counts * most_tiles_));
  }
  for (KernelVar v = 0; v < plan_.values.size(); ++v) {
    if (run.call.operands[v].data != nullptr) origins_[v] = reinterpret_cast<Origin>(run.call.operands[v].data);
    if (run.memory[v] != nullptr && !run.streamed[v]) origins_[v] = reinterpret_cast<Origin>(run.memory[v]);
  }
}

bool Worker::allocate() {
  std::int64_t bytes = plan_.slots * kSlotBytes;
  if (!scan_tiles_.empty() || !kept_tiles_.empty()) {
    for (const TilePlan::Value& value : plan_.values) bytes += value.kept ? most_tiles_ * kSlotBytes : 0;
    bytes += plan_.packs * most_tiles_ * kSlotBytes;
  }
  memory_ = run_.context.arena.scratch<char>(std::max<std::int64_t>(bytes, 1));
  if (!memory_) run_.context.out_of_memory(static_cast<std::size_t>(bytes));
  kept_ = memory_.get() + plan_.slots * kSlotBytes;
  return memory_ != nullptr;
}

/// DISTs of a single segment.
void Worker::fill_uniform() {
  if (filled_) return;
  filled_ = true;
  for (const Step& step : plan_.steps) {
    const KernelVar v = step.step->results[0];
    if (!run_.uniform[v]) continue;
    kernels().dist.dist[static_cast<int>(plan_.values[v].type)](
        run_.call.operands[step.step->operands[0]].data, SegmentMap::single(kTile), {0, kTile, 0, 1},
        memory_.get() + plan_.values[v].slot * kSlotBytes, false);
  }
}

void Worker::enter_piece() {
  for (std::size_t c = 0; c < pieces_.size(); ++c) pieces_[c] = run_.piece_of(static_cast<int>(c), p_);
  for (auto* opens : {&open_reductions_, &open_counts_}) std::fill(opens->begin(), opens->end(), Open{});
  for (const Step& step : plan_.steps)
    if (step.producer == Producer::kReduce)
      open_reductions_[static_cast<std::size_t>(step.number)].value =
          kernels().scan.neutral.at(monoid(step), plan_.values[step.step->operands[0]].type);
  std::fill(edges_.begin(), edges_.end(), Edge{});
  // Where the values of this piece are kept until its carries are known.
  const std::int64_t aligned = pieces_[0].element_begin / kTile * kTile;
  char* next = kept_;
  for (KernelVar v = 0; v < plan_.values.size() && !scan_tiles_.empty(); ++v) {
    if (!plan_.values[v].kept || run_.memory[v] != nullptr) continue;
    origins_[v] = reinterpret_cast<Origin>(next) - static_cast<Origin>(aligned * run_.size_of(v));
    next += most_tiles_ * kSlotBytes;
  }
  for (char*& packed : packed_) {
    packed = next;
    next += most_tiles_ * kSlotBytes;
  }
}

void Worker::enter_part(Part part) {
  if (part != Part::kAfter) {
    for (const Step& step : plan_.steps)
      if (step.producer == Producer::kScan)
        open_scans_[static_cast<std::size_t>(step.number)] = {
            kernels().scan.neutral.at(monoid(step), plan_.values[step.step->operands[0]].type), false};
  }
  std::fill(kept_so_far_.begin(), kept_so_far_.end(), 0);
  for (std::size_t c = 0; c < tiles_.size(); ++c)
    tiles_[c] = {pieces_[c].element_begin, pieces_[c].element_begin, pieces_[c].segment_begin,
                 pieces_[c].segment_begin};
  tile_ = -1;
}

/// Moves on to the elements up to the next multiple of kTile, and with the last ones to all segments that end there.
void Worker::enter_tile() {
  ++tile_;
  begin_ = tiles_[0].element_end;
  const std::int64_t aligned = begin_ / kTile * kTile;
  end_ = std::min(aligned + kTile, pieces_[0].element_end);
  for (std::size_t c = 0; c < tiles_.size(); ++c) {
    const std::int64_t from = tiles_[c].segment_end, last = pieces_[c].segment_end;
    tiles_[c] = {begin_, end_, from,
                 end_ == pieces_[c].element_end ? last : ended_before(run_.cuts[c], end_, from, last)};
  }
  for (KernelVar v = 0; v < plan_.values.size(); ++v) {
    const TilePlan::Value& value = plan_.values[v];
    const bool elsewhere = (run_.memory[v] != nullptr && !run_.streamed[v]) || (value.kept && !scan_tiles_.empty());
    if (value.slot >= 0 && !elsewhere)
      origins_[v] = reinterpret_cast<Origin>(memory_.get() + value.slot * kSlotBytes) -
                    static_cast<Origin>(aligned * run_.size_of(v));
  }
}

bool Worker::run_part(Part part) {
  const std::vector<Step>& steps = part == Part::kAll      ? plan_.steps
                                   : part == Part::kBefore ? plan_.before
                                                           : plan_.after;
  enter_part(part);
  do {
    enter_tile();
    for (const Step& step : steps)
      if (!run_step(step, part)) return false;
    for (std::size_t c = 0; c < kept_in_tile_.size(); ++c) kept_so_far_[c] += kept_in_tile_[c];
  } while (end_ < pieces_[0].element_end && !run_.failed.load(std::memory_order_relaxed));
  return !run_.failed.load(std::memory_order_relaxed);
}

bool Worker::run_step(const Step& step, Part part) {
  const KernelVar result = step.step->results[0];
  switch (step.producer) {
    case Producer::kMap:
      if (!map(*step.step)) return false;
      break;
    case Producer::kSpread:
      if (!run_.uniform[result]) spread(step);
      break;
    case Producer::kGather:
      if (!gather(step)) return false;
      break;
    case Producer::kScan:
      scan(step, part);
      if (part == Part::kBefore) return true;
      break;
    case Producer::kReduce:
      reduce(step);
      return true;
    default:
      if (step.counts && part != Part::kAfter) count(step);
      pack(step, part);
      return true;
  }
  if (run_.streamed[result] && (part != Part::kAfter || step.after_scan)) store(result);
  return true;
}

bool Worker::map(const vcode::Kernel::Step& step) {
  const void* operands[3] = {};
  int form = 0;
  for (std::size_t k = 0; k < step.operands.size(); ++k) {
    operands[k] = at(step.operands[k], begin_);
    form |= run_.uniform[step.operands[k]] << k;
  }
  // Of single elements only there is no form; a uniform value fills a tile too.
  if (form == (1 << step.operands.size()) - 1) form &= ~1;
  const KernelVar last = step.operands.back(), result = step.results[0];
  TileKernels::Run* run = kernels().tile.at(form, step.op, plan_.values[last].type, plan_.values[result].type);
  if (!run(operands, at(result, begin_), end_ - begin_)) return true;
  run_.context.faults.report(FaultKind::kDivideByZero, begin_, 0);
  return false;
}

void Worker::spread(const Step& step) {
  const KernelVar result = step.step->results[0];
  const auto operand = [&](std::size_t k) { return run_.call.operands[step.step->operands[k]].data; };
  const auto type = static_cast<int>(plan_.values[result].type);
  if (plan_.values[result].spread)
    kernels().dist.dist[type](operand(0), map_of(step), tile_of(step), base(result), false);
  else
    kernels().dist.index[type](operand(0), operand(1), map_of(step), tile_of(step), base(result), false);
}

bool Worker::gather(const Step& step) {
  const auto& operands = step.step->operands;
  const KernelVar table = operands[0], indices = operands[1], result = step.step->results[0];
  const vcode::Signature& signature = vcode::info(step.step->op).signature;
  const bool flagged = signature.operands[2].type == vcode::RoleType::kBool;
  const SegmentMap& from = run_.call.maps[operands[static_cast<std::size_t>(descriptor_like(*step.step, 0))]];
  GatherKernels::Gather* run =
      kernels()
          .gather.gather[static_cast<int>(plan_.values[result].type)][static_cast<int>(plan_.values[indices].type)];
  const IndexFault fault = run(run_.call.operands[table].data, base(indices),
                               flagged ? static_cast<const bool*>(base(operands[2])) : nullptr, from, map_of(step),
                               tile_of(step), base(result));
  if (fault.position < 0) return true;
  run_.context.faults.report(FaultKind::kIndexRange, fault.position, fault.value, fault.bound);
  return false;
}

void Worker::scan(const Step& step, Part part) {
  const ScanKernels& scans = kernels().scan;
  const KernelVar a = step.step->operands[0];
  const ElemType type = plan_.values[a].type;
  const SegmentMap& map = map_of(step);
  const Piece& tile = tile_of(step);
  Open& open = open_scans_[static_cast<std::size_t>(step.number)];
  if (part == Part::kAfter) open = remembered(scan_tiles_, step.number);
  if (part == Part::kBefore) remembered(scan_tiles_, step.number) = open;
  const bool ends = tile.segment_end > tile.segment_begin;
  Slot mine = 0;
  if (part != Part::kAfter)
    mine = scans.fold.at(monoid(step), type)(base(a), ends ? map.start(tile.segment_end) : begin_, end_);
  if (part != Part::kBefore) {
    const Slot carried = run_.carry(p_)[step.number];
    const Slot before = open.inside ? open.value : scans.combine.at(monoid(step), type)(open.value, carried);
    scans.pieces.at(monoid(step), type)(base(a), map, tile, before, base(step.step->results[0]), false);
  }
  if (part == Part::kAfter) return;
  open = ends ? Open{mine, true} : Open{scans.combine.at(monoid(step), type)(mine, open.value), open.inside};
}

void Worker::reduce(const Step& step) {
  const KernelVar a = step.step->operands[0];
  const ElemType type = plan_.values[a].type;
  const SegmentMap& map = map_of(step);
  const Piece& tile = tile_of(step);
  const Result& result = run_.call.results[step.step->results[0]];
  ReduceKernels::Edges shares;
  kernels().reduce.pieces.at(monoid(step), type)(base(a), map, tile, result.data, shares, false);
  ScanKernels::Combine* combine = kernels().scan.combine.at(monoid(step), type);
  Open& open = open_reductions_[static_cast<std::size_t>(step.number)];
  if (tile.segment_begin == tile.segment_end) {
    open.value = combine(shares.tail, open.value);
    return;
  }
  const Slot head = combine(shares.head, open.value);
  const std::int64_t start = map.start(tile.segment_begin);
  if (start < begin_)
    std::memcpy(static_cast<char*>(result.data) + tile.segment_begin * static_cast<std::int64_t>(elem_size(type)),
                &head, elem_size(type));
  Edge& edge = edges_[static_cast<std::size_t>(step.number)];
  if (edge.first < 0) {
    edge.first = tile.segment_begin;
    edge.head = head;
    edge.joins = start < pieces_[0].element_begin;
  }
  open.value = shares.tail;
}

void Worker::count(const Step& step) {
  const Result& lengths = run_.call.results[step.step->results[1]];
  const Piece& tile = tile_of(step);
  const PackCount found = kernels().pack.count[elem_size(lengths.type) == 8](
      static_cast<const bool*>(base(step.step->operands[1])), map_of(step), tile, lengths.data);
  const auto number = static_cast<std::size_t>(step.number);
  Open& open = open_counts_[number];
  if (tile.segment_begin == tile.segment_end) {
    open.value += static_cast<Slot>(found.tail);
  } else {
    add_to(lengths, tile.segment_begin, static_cast<std::int64_t>(open.value));
    Edge& edge = edges_[static_cast<std::size_t>(plan_.reductions) + number];
    if (edge.first < 0) edge.first = tile.segment_begin;
    open.value = static_cast<Slot>(found.tail);
  }
  kept_in_tile_[number] = found.kept;
  if (!kept_tiles_.empty()) remembered(kept_tiles_, step.number) = found.kept;
}

void Worker::pack(const Step& step, Part part) {
  if (step.after_scan && part == Part::kBefore) return;
  const auto number = static_cast<std::size_t>(step.number);
  if (part == Part::kAfter) kept_in_tile_[number] = remembered(kept_tiles_, step.number);
  const KernelVar a = step.step->operands[0];
  std::int64_t at = kept_so_far_[number];
  void* to = packed_[static_cast<std::size_t>(step.packed)];
  if (part != Part::kBefore) {
    at += static_cast<std::int64_t>(run_.carry(p_)[plan_.scans + step.number]);
    to = run_.call.results[step.step->results[0]].data;
  }
  const int size = run_.size_of(a);
  kernels().pack.pack[size == 1   ? 0
                      : size == 4 ? 1
                                  : 2](base(a), static_cast<const bool*>(base(step.step->operands[1])), begin_, end_,
                                       to, at, kept_in_tile_[number]);
}

void Worker::store(KernelVar v) {
  const auto size = static_cast<std::int64_t>(run_.size_of(v));
  kernels().tile.stream(static_cast<char*>(run_.memory[v]) + begin_ * size, at(v, begin_),
                        static_cast<std::size_t>((end_ - begin_) * size));
}

/// Writes what the piece hands on to the next: of each scan the accumulation of the open segment, of each count the
/// number of elements kept.
void Worker::hand_on() {
  const Slot* in = run_.carry(p_);
  Slot* out = run_.carry(p_ + 1);
  for (const Step& step : plan_.steps)
    if (step.producer == Producer::kScan) {
      const Open& open = open_scans_[static_cast<std::size_t>(step.number)];
      const ElemType type = plan_.values[step.step->operands[0]].type;
      out[step.number] =
          open.inside ? open.value : kernels().scan.combine.at(monoid(step), type)(open.value, in[step.number]);
    }
  for (int c = 0; c < plan_.counts; ++c)
    out[plan_.scans + c] = in[plan_.scans + c] + static_cast<Slot>(kept_so_far_[static_cast<std::size_t>(c)]);
}

void Worker::note_edges() {
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    const auto reductions = static_cast<std::size_t>(plan_.reductions);
    edges_[k].tail = k < reductions ? open_reductions_[k].value : open_counts_[k - reductions].value;
    run_.edge(p_, static_cast<int>(k)) = edges_[k];
  }
}

void Worker::copy_packed() {
  for (const Step& step : plan_.steps) {
    if (step.producer != Producer::kPack || step.after_scan) continue;
    const auto size = static_cast<std::size_t>(run_.size_of(step.step->operands[0]));
    const Slot at = run_.carry(p_)[plan_.scans + step.number];
    const Slot kept = run_.carry(p_ + 1)[plan_.scans + step.number] - at;
    std::memcpy(static_cast<char*>(run_.call.results[step.step->results[0]].data) + at * size,
                packed_[static_cast<std::size_t>(step.packed)], kept * size);
  }
}

/// The thread that has the piece before took it earlier and waits for nobody behind it.
void Worker::wait_for(std::int64_t p) const {
  constexpr int kPatience = 4000;
  for (int spins = 0; !run_.ready[p].load(std::memory_order_acquire); ++spins)
    if (spins >= kPatience) std::this_thread::yield();
}

void Worker::run_piece(std::int64_t p) {
  p_ = p;
  fill_uniform();
  enter_piece();
  bool good;
  if (!plan_.has_carries() || run_.in_turn) {
    good = run_part(Part::kAll);
    if (good && plan_.has_carries()) hand_on();
  } else {
    good = run_part(Part::kBefore);
    if (!good) run_.failed.store(true, std::memory_order_relaxed);
    if (p > 0) wait_for(p - 1);
    hand_on();
    run_.ready[p].store(true, std::memory_order_release);
    good = good && !run_.failed.load(std::memory_order_relaxed);
    if (good) {
      copy_packed();
      good = plan_.after.empty() || run_part(Part::kAfter);
    }
  }
  if (!good) return run_.failed.store(true, std::memory_order_relaxed);
  note_edges();
  kernels().tile.fence();
}

/// Joins the shares that pieces have of segments across their borders, in order.
void Run::join() {
  for (const Step& step : plan.steps) {
    if (step.producer == Producer::kReduce) join_reduction(step);
    if (step.counts) join_count(step);
  }
}

void Run::join_reduction(const Step& step) {
  const ElemType type = plan.values[step.step->operands[0]].type;
  const Monoid monoid = vcode::info(step.step->op).monoid;
  ScanKernels::Combine* combine = context.kernels.scan.combine.at(monoid, type);
  char* result = static_cast<char*>(call.results[step.step->results[0]].data);
  Slot before = context.kernels.scan.neutral.at(monoid, type);
  for (std::int64_t p = 0; p < pieces; ++p) {
    const Edge& edge = this->edge(p, step.number);
    if (edge.first < 0) {
      before = combine(edge.tail, before);
      continue;
    }
    if (edge.joins) {
      const Slot joined = combine(edge.head, before);
      std::memcpy(result + edge.first * static_cast<std::int64_t>(elem_size(type)), &joined, elem_size(type));
    }
    before = edge.tail;
  }
}

void Run::join_count(const Step& step) {
  std::int64_t begun = 0;  // flags of the present segment in earlier pieces
  for (std::int64_t p = 0; p < pieces; ++p) {
    const Edge& edge = this->edge(p, plan.reductions + step.number);
    if (edge.first >= 0) {
      add_to(call.results[step.step->results[1]], edge.first, begun);
      begun = 0;
    }
    begun += static_cast<std::int64_t>(edge.tail);
  }
  call.kept[step.step->results[0]] = static_cast<std::int64_t>(carry(pieces)[plan.scans + step.number]);
}

/// The steps that need whole vectors.
bool Run::finish_steps() {
  auto operand = [&](KernelVar v) {
    if (call.operands[v].data != nullptr) return call.operands[v];
    if (memory[v] != nullptr) return Operand{plan.values[v].type, call.elements, memory[v]};
    return Operand{call.results[v].type, call.results[v].length, call.results[v].data};
  };
  for (const vcode::Kernel::Step* step : plan.scatters) {
    const vcode::Signature& signature = vcode::info(step->op).signature;
    Scatter job;
    job.source = operand(step->operands[0]);
    job.indices = operand(step->operands[1]);
    Operand flags, defaults;
    for (std::size_t k = 2; k < step->operands.size(); ++k) {
      const vcode::Role& role = signature.operands[k];
      if (role.type == vcode::RoleType::kBool) {
        flags = operand(step->operands[k]);
        job.flags = &flags;
      } else if (role.type == vcode::RoleType::kSuffix) {
        defaults = operand(step->operands[k]);
        job.defaults = &defaults;
      }
    }
    job.from = call.maps[step->operands[static_cast<std::size_t>(descriptor_like(*step, 0))]];
    job.to = call.maps[step->operands[static_cast<std::size_t>(descriptor_like(*step, -1))]];
    scatter(context, job, call.results[step->results[0]]);
    if (context.faults.any()) return false;
  }
  for (const vcode::Kernel::Step* step : plan.epilogues) {
    std::vector<Operand> operands;
    for (const KernelVar v : step->operands) operands.push_back(operand(v));
    elementwise(context, step->op, operands, call.results[step->results[0]]);
    if (context.faults.any()) return false;
  }
  return true;
}

}  // namespace

void run_tiles(Context& context, const TilePlan& plan, const KernelCall& call) {
  context.faults.begin_operation();
  Run run(context, plan, call);
  if (!run.allocate()) return;
  std::vector<Worker> workers;
  const std::int64_t most = run.in_turn ? 1 : std::min<std::int64_t>(run.pieces, context.parallel.threads());
  workers.reserve(static_cast<std::size_t>(most));
  for (std::int64_t w = 0; w < most; ++w) {
    workers.emplace_back(run);
    if (!workers.back().allocate()) return;
  }
  if (run.carries) {
    for (const Step& step : plan.steps)
      if (step.producer == Producer::kScan)
        run.carry(0)[step.number] = context.kernels.scan.neutral.at(vcode::info(step.step->op).monoid,
                                                                    plan.values[step.step->operands[0]].type);
    std::fill_n(run.carry(0) + plan.scans, plan.counts, Slot{0});
  }
  if (run.in_turn) {
    for (std::int64_t p = 0; p < run.pieces; ++p) workers[0].run_piece(p);
  } else {
    std::vector<std::atomic<bool>> busy(workers.size());
    context.parallel.for_each(run.pieces, [&](std::int64_t p) {
      std::size_t w = 0;
      while (busy[w].exchange(true, std::memory_order_acquire)) w = (w + 1) % busy.size();
      workers[w].run_piece(p);
      busy[w].store(false, std::memory_order_release);
    });
  }
  if (context.faults.any()) return;
  run.join();
  run.finish_steps();
}

}  // namespace cvl::cpu

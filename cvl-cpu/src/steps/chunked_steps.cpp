#include "steps/chunked_steps.h"

#include <algorithm>

#include "base/check.h"
#include "operations/arg_reduce.h"
#include "operations/operations.h"
#include "tuning/kernel_tuning.h"
#include "tuning/streaming_tuning.h"

namespace cvl::cpu {

using kernels::LoopPlan;
using vcode::Kernel;
using vcode::KernelVar;
using vcode::Producer;

ChunkedSteps::ChunkedSteps(const LoopPlan& plan, std::int64_t chunk_items) : plan_(plan), values_(plan.values.size()) {
  for (KernelVar v = 0; v < values_.size(); ++v) values_[v].materialised = plan.values[v].materialised;
  for (const LoopPlan::Step& step : plan.whole.steps)
    if (step.producer == Producer::kScatter)
      for (const KernelVar v : step.step->operands) values_[v].materialised = true;
  assign_buffers();
  chunk_items_ = chunk_items > 0 ? chunk_items : buffers_ == 0 ? kChunkItems / 2 : kStepItems;
  VC_CHECK(chunk_items_ <= kMostItems);
  buffer_bytes_ = (chunk_items_ + kFoldBlock + kScanGroup) * 8;
}

/// Assigns a buffer to each value that is computed chunk by chunk. A buffer is free again after the last use of its
/// value, and already for the result of that use where the loop may overwrite its operand.
void ChunkedSteps::assign_buffers() {
  std::vector<const Kernel::Step*> last(values_.size(), nullptr);
  for (const LoopPlan::Step& s : plan_.whole.steps) {
    const auto& read = s.step->operands;
    ChunkedValue& result = values_[s.step->results[0]];
    result.may_be_uniform = s.step->op == vcode::Op::kDist && !result.materialised;
    const auto may_be_uniform = [&](KernelVar v) { return values_[v].may_be_uniform; };
    const bool reads_vector = s.producer == Producer::kMap && !std::all_of(read.begin(), read.end(), may_be_uniform);
    for (const KernelVar v : read) {
      last[v] = s.step;
      if (!reads_vector) values_[v].may_be_uniform = false;
    }
  }
  std::vector<int> free;
  for (const LoopPlan::Step& s : plan_.whole.steps) {
    const KernelVar result = s.step->results[0];
    const bool overwrites = s.producer == Producer::kMap || s.producer == Producer::kScan;
    const auto release = [&](bool in_place) {
      for (const KernelVar v : s.step->operands)
        if (last[v] == s.step && values_[v].buffer >= 0 && in_place == (overwrites && size_of(v) == size_of(result)) &&
            std::find(free.begin(), free.end(), values_[v].buffer) == free.end())
          free.push_back(values_[v].buffer);
    };
    release(true);
    if (!vcode::is_reduction(s.producer) && s.producer != Producer::kPack && s.producer != Producer::kScatter) {
      if (free.empty()) free.push_back(buffers_++);
      values_[result].buffer = free.back();
      free.pop_back();
    }
    release(false);
    if (last[result] == nullptr && values_[result].buffer >= 0) free.push_back(values_[result].buffer);
  }
}

bool ChunkedSteps::takes(const KernelCall& call, int threads) const {
  return call.elements > 0 && (plan_.scans + plan_.counts == 0 || threads == 1) &&
         IndexSpace(plan_, call, chunk_items_).has_blocks_of_main();
}

/// One run of a kernel: data that all threads read, and the partial results of chunks.
struct StepRun {
  /// Passed from a chunk to the next one.
  struct Carry {
    Slot value = 0;            ///< accumulation of a scan; index of the chunk's first kept element
    std::int64_t kept = 0;     ///< elements that a PACK keeps in the chunk
    std::int64_t counted = 0;  ///< those of the segment that continues after the chunk
  };

  StepRun(Context& c, const ChunkedSteps& s, const KernelCall& k);
  bool allocate();
  void join();
  void finish();

  ElemType type(const LoopPlan::Step& step) const { return plan.values[step.step->operands[0]].type; }
  Monoid monoid(const LoopPlan::Step& step) const { return vcode::info(step.step->op).monoid; }
  const SegmentDescriptor& map_of(const LoopPlan::Step& step) const { return space[step.segmentation]; }
  const SegmentDescriptor& descriptor_of(const Kernel::Step& step, int like) const {
    return call.descriptors[step.operands[static_cast<std::size_t>(descriptor_like(step, like))]];
  }
  Carry& carry(const LoopPlan::Step& step) {
    return carries[static_cast<std::size_t>(step.producer == Producer::kScan ? step.number : plan.scans + step.number)];
  }
  std::size_t index(std::int64_t p, const LoopPlan::Step& step) const {
    return static_cast<std::size_t>(step.number * space.chunks() + p);
  }
  char* fresh(std::int64_t bytes);

  Context& context;
  const ChunkedSteps& steps;
  const LoopPlan& plan = steps.plan_;
  const KernelCall& call;
  const Kernels& kernels = context.kernels;
  const IndexSpace space{plan, call, steps.chunk_items_};
  std::vector<Arena::Scratch<char>> vectors;
  std::vector<void*> memory;         ///< by value: the vector of a materialised value
  std::vector<const void*> uniform;  ///< by value: its only element, if all are known to be equal; or null
  std::vector<Carry> carries;        ///< by number
  BegunRun folds;
};

StepRun::StepRun(Context& c, const ChunkedSteps& s, const KernelCall& k)
    : context(c), steps(s), call(k), memory(plan.values.size()), uniform(plan.values.size()) {
  carries.resize(static_cast<std::size_t>(plan.scans + plan.counts));
  folds.all_chunks = space.chunks();
  folds.edges.resize(static_cast<std::size_t>(space.chunks() * plan.reductions));
  folds.extremes.resize(static_cast<std::size_t>(space.chunks() * plan.arg_reductions));
  const auto most_blocks = static_cast<std::size_t>(steps.chunk_items_ / kFoldBlock + 2);
  folds.blocks.resize(folds.edges.size() * most_blocks);
  for (std::size_t e = 0; e < folds.edges.size(); ++e) folds.edges[e].blocks = &folds.blocks[e * most_blocks];
  for (const LoopPlan::Step& step : plan.whole.steps) {
    if (step.producer == Producer::kScan) carry(step).value = kernels.scan.identity.at(monoid(step), type(step));
    if (steps.values_[step.step->results[0]].may_be_uniform && map_of(step).is_single())
      uniform[step.step->results[0]] = call.operands[step.step->operands[0]].data;
  }
}

/// Memory for the time of the run; null, after a report, if there is none.
char* StepRun::fresh(std::int64_t bytes) {
  vectors.push_back(context.arena.scratch<char>(std::max<std::int64_t>(bytes, 1)));
  if (vectors.back() == nullptr) context.out_of_memory(static_cast<std::size_t>(bytes));
  return vectors.back().get();
}

/// Allocates the vectors of materialised values that are no results. False, after a report, if memory ran out.
bool StepRun::allocate() {
  for (KernelVar v = 0; v < memory.size(); ++v) {
    if (steps.values_[v].buffer < 0 || !steps.values_[v].materialised) continue;
    memory[v] = call.results[v].data != nullptr ? call.results[v].data : fresh(call.elements * steps.size_of(v));
    if (memory[v] == nullptr) return false;
  }
  return true;
}

/// Combines, in order, the partial results of segments that extend over several chunks.
void StepRun::join() {
  for (const LoopPlan::Step& step : plan.whole.steps) {
    const Result& result = call.results[step.step->results[0]];
    if (step.producer == Producer::kReduce)
      kernels.reduce.join.at(monoid(step), type(step))(map_of(step), folds.edges_of(step.number).data(), folds.chunks,
                                                       result.data);
    if (step.producer == Producer::kArgReduce)
      join_extremes(kernels, monoid(step), type(step), map_of(step), folds.extremes_of(step.number), result);
    if (step.counts) call.kept[step.step->results[0]] = static_cast<std::int64_t>(carry(step).value) + carry(step).kept;
  }
}

/// Runs the steps that need whole vectors. A permute without readers is run as well, since it may have a fault.
void StepRun::finish() {
  const auto operand = [&](KernelVar v) {
    if (call.operands[v].data != nullptr) return call.operands[v];
    if (memory[v] != nullptr) return Operand{plan.values[v].type, call.elements, memory[v]};
    return Operand{call.results[v].type, call.results[v].length, call.results[v].data};
  };
  const auto scatter = [&](const Kernel::Step& step) {
    const KernelVar v = step.results[0];
    const SegmentDescriptor& to = descriptor_of(step, -1);
    Result result = call.results[v];
    if (result.data == nullptr) result = {plan.values[v].type, to.elements, fresh(to.elements * steps.size_of(v))};
    if (result.data == nullptr) return;
    Scatter whole{operand(step.operands[0]), operand(step.operands[1]), {}, {}, descriptor_of(step, 0), to, result};
    const auto optional_operand = [&](int k) {
      return k < 0 ? std::nullopt : std::optional(operand(step.operands[static_cast<std::size_t>(k)]));
    };
    whole.flags = optional_operand(vcode::flags_of(step.op));
    whole.defaults = optional_operand(vcode::defaults_of(step.op));
    cpu::run(context, whole);
  };
  for (const LoopPlan::Step& step : plan.whole.steps)
    if (step.producer == Producer::kScatter && !context.faults.any()) scatter(*step.step);
  for (const LoopPlan::Epilogue& epilogue : plan.epilogues) {
    if (context.faults.any()) return;
    const Kernel::Step& step = *epilogue.step;
    Operand operands[vcode::Signature::kMaxRoles];
    std::transform(step.operands.begin(), step.operands.end(), operands, operand);
    cpu::run(context, Elementwise{step.op, std::span(operands, step.operands.size()), call.results[step.results[0]]});
  }
}

/// A thread's buffers and its position in the index space.
class StepWorker {
 public:
  /// `memory`: the buffers.
  StepWorker(StepRun& run, char* memory);
  void run_chunk(std::int64_t p);

 private:
  bool run_step(const LoopPlan::Step& step);
  bool map(const Kernel::Step& step);
  void pack(const LoopPlan::Step& step, const Chunk& chunk);

  /// An address such that element e is at address + e * size; of a buffer, only the elements of the chunk exist.
  char* base(KernelVar v) const { return reinterpret_cast<char*>(origins_[v]); }
  char* at_begin(KernelVar v) const {
    return reinterpret_cast<char*>(origins_[v] + static_cast<std::uintptr_t>(begin_ * steps_.size_of(v)));
  }

  StepRun& run_;
  const ChunkedSteps& steps_ = run_.steps;
  const LoopPlan& plan_ = run_.plan;
  const Kernels& kernels_ = run_.kernels;
  char* memory_;
  std::vector<std::uintptr_t> origins_;
  std::vector<KernelVar> buffered_;  ///< values whose origin moves with the chunk
  std::int64_t p_ = 0;
  std::vector<Chunk> chunks_;  ///< the present chunk, by descriptor
  std::int64_t begin_ = 0, end_ = 0;
};

StepWorker::StepWorker(StepRun& run, char* memory)
    : run_(run), memory_(memory), origins_(run.memory.size()), chunks_(run.space.segmentations()) {
  for (KernelVar v = 0; v < origins_.size(); ++v) {
    const void* const vector = run.call.operands[v].data != nullptr ? run.call.operands[v].data : run.memory[v];
    origins_[v] = reinterpret_cast<std::uintptr_t>(vector);
    if (vector == nullptr && steps_.values_[v].buffer >= 0) buffered_.push_back(v);
  }
}

void StepWorker::run_chunk(std::int64_t p) {
  p_ = p;
  for (std::size_t c = 0; c < chunks_.size(); ++c) chunks_[c] = run_.space.chunk(static_cast<int>(c), p);
  begin_ = chunks_[0].element_begin;
  end_ = chunks_[0].element_end;
  const std::int64_t aligned = begin_ / kScanGroup * kScanGroup;
  for (const KernelVar v : buffered_)
    origins_[v] = reinterpret_cast<std::uintptr_t>(memory_ + steps_.values_[v].buffer * steps_.buffer_bytes_) -
                  static_cast<std::uintptr_t>(aligned * steps_.size_of(v));
  for (const LoopPlan::Step& step : plan_.whole.steps)
    if (!run_step(step)) return;
}

/// False, after a report, if there is a fault.
bool StepWorker::run_step(const LoopPlan::Step& step) {
  const auto& operands = step.step->operands;
  const KernelVar v = step.step->results[0];
  if (step.producer == Producer::kMap) return map(*step.step);
  if (run_.uniform[v] != nullptr) return true;
  const SegmentDescriptor& descriptor = run_.map_of(step);
  const Chunk& chunk = chunks_[static_cast<std::size_t>(step.segmentation)];
  const Result& result = run_.call.results[v];
  const auto input = [&](std::size_t k) -> const Operand& { return run_.call.operands[operands[k]]; };
  const void* const a = base(operands[0]);
  const auto type = static_cast<int>(plan_.values[v].type);
  // Only memory that no step has just written is worth prefetching.
  const std::ptrdiff_t ahead = input(0).data != nullptr ? kAheadBytes : 0;
  switch (step.producer) {
    case Producer::kSpread:
      if (step.step->op == vcode::Op::kSlice)
        return run_.context.faults.check(kernels_.range.slice_like(input(0).type, input(1).type)(
            a, input(0).length, input(1).data, descriptor, chunk, base(v)));
      if (step.step->op == vcode::Op::kDist)
        kernels_.dist.dist[type](a, descriptor, chunk, base(v), false);
      else
        kernels_.dist.index[type](a, input(1).data, descriptor, chunk, base(v), false);
      return true;
    case Producer::kGather: {
      const bool flagged = vcode::has_flags(step.step->op);
      GatherKernels::Gather* run = kernels_.gather.gather[type][static_cast<int>(plan_.values[operands[1]].type)];
      return run_.context.faults.check(run(a, base(operands[1]),
                                           flagged ? reinterpret_cast<const bool*>(base(operands[2])) : nullptr,
                                           run_.descriptor_of(*step.step, 0), descriptor, chunk, base(v)));
    }
    case Producer::kScan: {
      Slot& before = run_.carry(step).value;
      ScanKernels::Chunks* run = kernels_.scan.chunks.at(run_.monoid(step), run_.type(step));
      before = run(a, descriptor, chunk, before, base(v), false, ahead);
      return true;
    }
    case Producer::kReduce:
      kernels_.reduce.chunks.at(run_.monoid(step), run_.type(step))(
          a, descriptor, chunk, result.data, run_.folds.edges[run_.index(p_, step)], false, ahead);
      return true;
    case Producer::kArgReduce: {
      ChunkExtremes& mine = run_.folds.extremes[run_.index(p_, step)] = {chunk, {}};
      arg_reduce_kernel(kernels_, run_.monoid(step), run_.type(step), result.type)(a, descriptor, chunk, result.data,
                                                                                   mine.edges);
      return true;
    }
    case Producer::kScatter:
      return true;  // after all chunks
    default:
      VC_CHECK(step.producer == Producer::kPack);
      pack(step, chunk);
      return true;
  }
}

bool StepWorker::map(const Kernel::Step& step) {
  const void* operands[3] = {};
  int form = 0;
  for (std::size_t k = 0; k < step.operands.size(); ++k) {
    const void* const one = run_.uniform[step.operands[k]];
    operands[k] = one != nullptr ? one : at_begin(step.operands[k]);
    form |= (one != nullptr) << k;
  }
  const KernelVar last = step.operands.back(), result = step.results[0];
  TileKernels::Run* run = kernels_.tile.at(form, step.op, plan_.values[last].type, plan_.values[result].type);
  VC_CHECK(run != nullptr);
  if (!run(operands, at_begin(result), end_ - begin_)) return true;
  run_.context.faults.report(FaultKind::kDivideByZero, begin_, 0);
  return false;
}

void StepWorker::pack(const LoopPlan::Step& step, const Chunk& chunk) {
  StepRun::Carry& carry = run_.carry(step);
  const bool* const flags = reinterpret_cast<const bool*>(base(step.step->operands[1]));
  if (step.counts) {
    const Result& lengths = run_.call.results[step.step->results[1]];
    carry.value += static_cast<Slot>(carry.kept);
    const PackCount found =
        kernels_.pack.count[elem_size(lengths.type) == 8](flags, run_.map_of(step), chunk, lengths.data);
    if (chunk.segment_begin < chunk.segment_end) {
      add_to(lengths, chunk.segment_begin, carry.counted);
      carry.counted = 0;
    }
    carry.counted += found.tail;
    carry.kept = found.kept;
  }
  const std::int64_t size = steps_.size_of(step.step->operands[0]);
  kernels_.pack.pack[size == 1   ? 0
                     : size == 4 ? 1
                                 : 2](base(step.step->operands[0]), flags, begin_, end_,
                                      run_.call.results[step.step->results[0]].data,
                                      static_cast<std::int64_t>(carry.value), carry.kept);
}

std::optional<BegunRun> ChunkedSteps::run(Context& context, const KernelCall& call,
                                          const std::function<bool()>& stop) const {
  context.faults.begin_operation();
  if (!takes(call, context.parallel.threads())) {
    context.faults.report(FaultKind::kDivideByZero, 0, 0);
    return std::nullopt;
  }
  StepRun run(context, *this, call);
  if (!run.allocate()) return std::nullopt;
  const std::int64_t chunks = run.space.chunks();
  const std::int64_t most = std::min<std::int64_t>(chunks, context.parallel.threads());
  std::vector<StepWorker> workers;
  for (std::int64_t w = 0; w < most; ++w) {
    char* const memory = run.fresh(buffers_ * buffer_bytes_);
    if (memory == nullptr) return std::nullopt;
    workers.emplace_back(run, memory);
  }
  // Chunks of compiled loops begin at multiples of kChunkItems.
  VC_CHECK(!stop || kChunkItems % chunk_items_ == 0);
  const std::int64_t round = stop ? kChunkItems / chunk_items_ * kChunksUntilStop * most : chunks;
  for (std::int64_t& done = run.folds.chunks; done < chunks; done = std::min(done + round, chunks)) {
    if (stop && stop()) {
      run.folds.items = done * chunk_items_;
      return std::move(run.folds);
    }
    const std::int64_t n = std::min(round, chunks - done);
    context.parallel.for_each(most, [&](std::int64_t w) {
      for (std::int64_t p = done + w * n / most; p < done + (w + 1) * n / most && !context.faults.any(); ++p)
        workers[static_cast<std::size_t>(w)].run_chunk(p);
    });
    if (context.faults.any()) return std::nullopt;
  }
  run.join();
  run.finish();
  return std::nullopt;
}

}  // namespace cvl::cpu

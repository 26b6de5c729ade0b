#include "kernels/divided_kernel_run.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "cvl/fold_order.h"
#include "cvl/op_dispatch.h"

namespace cvl::mpi {

namespace {

void append(std::vector<Scratch>& to, std::vector<Scratch> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

}  // namespace

DividedKernel::Run::Run(DividedKernel& kernel, const KernelCall& call)
    : kernel_(kernel),
      call_(call),
      group_(kernel.group_),
      part_(group_.part(call.elements)),
      is_single_(kernel.has_single_segments(call)),
      by_blocks_(kernel.any_rounds(call)),
      of_segments_(group_) {}

bool DividedKernel::Run::run() {
  set_descriptors();
  const bool has_operands = set_operands();
  set_results();
  const bool is_good = has_operands && run_part();
  VC_CHECK(is_good || kernel_.can_fault_);
  Scattered scattered{is_good, {}};
  if (!kernel_.scatters_.empty()) scattered = scatter(is_good);
  if (!kernel_.can_fault_ && kernel_.reduced_.empty() && kernel_.packed_.empty() && kernel_.scatters_.empty())
    return true;
  return combine(scattered);
}

/// The members of the call as those of the kernel that runs on the part.
template <class T>
std::vector<T> DividedKernel::Run::members(std::span<const T> of_call) const {
  const std::vector<T> others = kernel_.scatters_.without_results(of_call);
  const std::vector<T> with_slices = kernel_.slices_->with_inputs(std::span<const T>(others));
  return kernel_.inputs_->expand(std::span<const T>(with_slices));
}

/// The number of segments that a part has of a single segment.
std::int64_t DividedKernel::Run::segments_of(Range part) const {
  return by_blocks_ ? (part.size() + kFoldBlock - 1) / kFoldBlock : std::int64_t{part.empty() ? 0 : 1};
}

void DividedKernel::Run::set_descriptors() {
  descriptors_ = members(call_.descriptors);
  if (!is_single_) {
    for (std::size_t v = 0; v < call_.descriptors.size(); ++v) {
      const SegmentDescriptor& descriptor = call_.descriptors[v];
      if (!kernel_.is_read_[v] || descriptor.elements != call_.elements || descriptor.segments == 0) continue;
      const auto cut = cuts_[v] = kernel_.context_.cuts.of(descriptor);
      descriptors_[kernel_.number(v)] = cut->local(cut->elements(), cut->touched());
    }
    return;
  }
  const std::int64_t segments = segments_of(part_);
  SegmentDescriptor local = SegmentDescriptor::single(part_.size());
  if (by_blocks_ && segments > 1) {
    local = {segments, part_.size(), kFoldBlock, nullptr, nullptr};
    if (part_.size() % kFoldBlock != 0) {
      offsets_ = scratch_for(group_, ElemType::kI64, segments + 1);
      for (std::int64_t k = 0; k <= segments; ++k)
        offsets_.as<std::int64_t>()[k] = std::min(k * kFoldBlock, part_.size());
      local.regular_length = -1;
      local.offsets = offsets_.as<std::int64_t>();
    }
  }
  for (SegmentDescriptor& descriptor : descriptors_)
    if (group_.is_divided(descriptor)) descriptor = local;
}

/// False, perhaps on this rank only, if elements of SLICEs do not exist.
bool DividedKernel::Run::set_operands() {
  const std::vector<Operand> originals = kernel_.scatters_.without_results(call_.operands);
  const std::vector<SegmentDescriptor> segments = kernel_.scatters_.without_results(call_.descriptors);
  std::vector<Operand> operands = kernel_.slices_->with_inputs(std::span<const Operand>(originals));
  const std::vector<Operand> with_slices = operands;
  for (Operand& operand : operands)
    if (operand.length == call_.elements) operand = elements_of(operand, part_);
  auto sliced = kernel_.slices_->fetch_for_part(group_, kernel_.context_.cuts,
                                                {call_.elements, originals, segments, {}, {}}, operands);
  append(memory_, std::move(sliced.memory));
  operands_ = kernel_.inputs_->expand(std::span<const Operand>(operands));
  if (is_single_) {
    append(memory_,
           kernel_.inputs_->set_for_part(group_, part_.begin, segments_of(part_), kFoldBlock, with_slices, operands_));
  } else {
    // Numbers of inputs are those of the original kernel.
    const auto cut_of = [&](std::size_t descriptor) -> const SegmentCut& { return *cuts_.at(descriptor); };
    append(memory_, kernel_.inputs_->set_for_segments(group_, cut_of, with_slices, operands_));
  }
  return sliced.is_good;
}

void DividedKernel::Run::set_results() {
  results_ = members(call_.results);
  kept_.resize(results_.size());
  for (Result& result : results_)
    if (result.data != nullptr && group_.is_divided(result.length)) result = elements_of(result, part_);
  for (std::size_t k = 0; k < kernel_.scatters_.computed().size(); ++k) {
    const ElemType type = kernel_.types_of_computed_[k];
    computed_.push_back(scratch_for(group_, type, part_.size()));
    result_of(kernel_.scatters_.computed()[k]) = {type, part_.size(), computed_.back().data()};
  }
  const std::int64_t segments = segments_of(part_);
  if (is_single_) folds_ = scratch_for(group_, ElemType::kI64, std::ssize(kernel_.reduced_) * segments);
  for (std::size_t k = 0; k < kernel_.reduced_.size(); ++k) {
    const Reduced& reduced = kernel_.reduced_[k];
    Result& result = result_of(reduced.value);
    if (is_single_)
      result = {result.type, segments, folds_.as<std::int64_t>() + static_cast<std::int64_t>(k) * segments};
    else
      result = of_segments_.add(reduced.monoid, call_.results[reduced.value], cuts_.at(reduced.descriptor));
  }
  for (const Packed& packed : kernel_.packed_) {
    PartOfPack& pack = packs_.emplace_back();
    Result& elements = result_of(packed.value);
    pack.elements = scratch_for(group_, elements.type, part_.size());
    elements = {elements.type, part_.size(), pack.elements.data()};
    if (!is_first(packed)) continue;
    Result& lengths = result_of(packed.lengths);
    if (is_single_) {
      pack.lengths = scratch_for(group_, lengths.type, segments);
      lengths = {lengths.type, segments, pack.lengths.data()};
    } else {
      lengths = of_segments_.add(Monoid::kSum, call_.results[packed.lengths], cuts_.at(packed.descriptor));
    }
  }
}

/// Runs the kernel on this rank's part. False if there is a fault in the data.
bool DividedKernel::Run::run_part() {
  return part_.empty() ||
         kernel_.run_here(*kernel_.part_plan_, {part_.size(), operands_, descriptors_, results_, kept_});
}

/// Runs the scatters, of which this rank's part of some operands is computed, without sense if it is at fault.
Scattered DividedKernel::Run::scatter(bool is_good) {
  const KernelScatters& scatters = kernel_.scatters_;
  if (!is_good)  // flags are flags, too
    for (std::size_t k = 0; k < computed_.size(); ++k)
      if (!part_.empty()) std::memset(computed_[k].data(), 0, size_of(kernel_.types_of_computed_[k], part_.size()));
  Scattered scattered = scatters.run(kernel_.context_, call_, [&](std::size_t v) -> Operand {
    if (call_.operands[v].data != nullptr) return call_.operands[v];
    const auto found = std::ranges::find(scatters.computed(), v);
    if (found == scatters.computed().end()) return operand_of(call_.results[v]);
    const auto k = static_cast<std::size_t>(found - scatters.computed().begin());
    // As if the elements of other ranks were there, too, which nothing reads.
    const ElemType type = kernel_.types_of_computed_[k];
    return {type, call_.elements, computed_[k].as<std::byte>() - size_of(type, part_.begin)};
  });
  scattered.is_good = scattered.is_good && is_good;
  return scattered;
}

/// Numbers that a rank tells the others: of faults, folds of a single segment or carries of several, and elements kept
/// by each PACK.
std::size_t DividedKernel::Run::entries_of(int rank) const {
  const Range part = group_.distribution.part(call_.elements, rank);
  const std::size_t folds =
      is_single_ ? kernel_.reduced_.size() * static_cast<std::size_t>(segments_of(part)) : of_segments_.count();
  return 1 + folds + kernel_.packed_.size();
}

/// Combines the parts of all ranks. False if some rank has found a fault.
bool DividedKernel::Run::combine(const Scattered& scattered) {
  std::vector<std::int64_t> mine = {scattered.is_good ? 0 : 1};
  if (is_single_)
    mine.insert(mine.end(), folds_.as<std::int64_t>(),
                folds_.as<std::int64_t>() + std::ssize(kernel_.reduced_) * segments_of(part_));
  else
    of_segments_.append_carries(mine);
  for (const Packed& packed : kernel_.packed_) mine.push_back(part_.empty() ? 0 : kept_[kernel_.number(packed.first)]);
  std::vector<std::size_t> bytes;
  std::size_t count = 0;
  for (int r = 0; r < group_.ranks(); ++r) {
    bytes.push_back(entries_of(r) * sizeof(std::int64_t));
    count += entries_of(r);
  }
  VC_CHECK(mine.size() == entries_of(group_.rank()));
  std::vector<std::int64_t> all(count);
  std::vector<GatheredBytes> gathered = {{mine.data(), std::move(bytes), all.data()}};
  for (const PartialResult& result : scattered.replicated) gathered.push_back(result.bytes_to_gather());
  gather_to_all(group_, gathered);
  std::vector<const std::int64_t*> of_ranks;
  const std::int64_t* of_rank = all.data();
  bool is_good = true;
  for (int r = 0; r < group_.ranks(); of_rank += entries_of(r++)) {
    is_good = is_good && of_rank[0] == 0;
    of_ranks.push_back(of_rank + 1);
  }
  if (!is_good) return false;
  if (is_single_)
    combine_folds(of_ranks);
  else
    of_segments_.add_carries([&](int rank) { return of_ranks[static_cast<std::size_t>(rank)]; });
  deliver_results(of_ranks);
  return true;
}

/// Combines the folds of the reductions, each in 8 bytes, in the order of the segments.
void DividedKernel::Run::combine_folds(std::span<const std::int64_t* const> of_ranks) {
  for (std::size_t k = 0; k < kernel_.reduced_.size(); ++k) {
    const Result& result = call_.results[kernel_.reduced_[k].value];
    with_monoid(kernel_.reduced_[k].monoid, result.type, [&]<class M, class T>() {
      T fold = M::template identity<T>();
      for (int r = 0; r < group_.ranks(); ++r) {
        const std::int64_t parts = segments_of(group_.distribution.part(call_.elements, r));
        const auto* const values =
            reinterpret_cast<const T*>(of_ranks[static_cast<std::size_t>(r)] + static_cast<std::int64_t>(k) * parts);
        for (std::int64_t j = 0; j < parts; ++j) fold = M::template combine<T>(values[j], fold);
      }
      *static_cast<T*>(result.data) = fold;
    });
  }
}

/// Brings packed elements, and values of segments, to their places.
void DividedKernel::Run::deliver_results(std::span<const std::int64_t* const> of_ranks) {
  std::vector<Delivery> deliveries;
  of_segments_.append_deliveries(deliveries);
  for (std::size_t k = 0; k < packs_.size(); ++k) {
    const Packed& packed = kernel_.packed_[k];
    Ranges haves;
    std::int64_t kept = 0;
    for (int r = 0; r < group_.ranks(); ++r) {
      // The counts are the last numbers of a rank.
      const std::int64_t of_rank =
          of_ranks[static_cast<std::size_t>(r)][entries_of(r) - 1 - kernel_.packed_.size() + k];
      haves.push_back({kept, kept + of_rank});
      kept += of_rank;
    }
    const Result& whole = call_.results[packed.value];
    call_.kept[packed.value] = kept;
    deliveries.push_back({packs_[k].elements.data(), std::move(haves), {whole.type, kept, whole.data}});
    if (!is_first(packed) || !is_single_) continue;
    const Result& lengths = call_.results[packed.lengths];
    with_int(lengths.type, [&]<class I>() { *static_cast<I*>(lengths.data) = static_cast<I>(kept); });
  }
  deliver(group_, deliveries);
}

}  // namespace cvl::mpi

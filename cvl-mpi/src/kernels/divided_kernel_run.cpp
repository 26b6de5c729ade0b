#include "kernels/divided_kernel_run.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "base/check.h"
#include "cvl/op_dispatch.h"
#include "operations/carries.h"

namespace cvl::mpi {

namespace {

/// Elements as if those of other ranks were there, too, which nothing reads.
Operand as_whole(const Operand& elements, std::int64_t begin, std::int64_t length) {
  return {elements.type, length, static_cast<const std::byte*>(elements.data) - size_of(elements.type, begin)};
}

}  // namespace

DividedKernel::Run::Run(DividedKernel& kernel, const KernelCall& call)
    : kernel_(kernel), call_(call), group_(kernel.group_), of_segments_(group_) {}

bool DividedKernel::Run::is_possible() {
  if (!find_elements() || (is_extended_ && !can_extend()) || !fits_packs()) return false;
  return kernel_.gathers_.fit(group_, call_, longest(elements_)) && kernel_.slices_.are_known(group_, call_);
}

/// Finds the elements that each rank computes, and which descriptors divide them into blocks.
bool DividedKernel::Run::find_elements() {
  elements_ = group_.distribution.parts(call_.elements);
  std::map<std::size_t, std::shared_ptr<SegmentCut>> cuts;
  for (std::size_t v = 0; v < call_.descriptors.size(); ++v) {
    if (!kernel_.is_space_[v]) continue;
    VC_CHECK(call_.descriptors[v].elements == call_.elements);
    cuts[v] = kernel_.context_.cuts.of(call_.descriptors[v]);
    by_blocks_[v] = false;
  }
  // Descriptors that are equal have one cut.
  for (const Reduced& reduced : kernel_.reduced_)
    for (auto& [v, by_blocks] : by_blocks_)
      by_blocks = by_blocks || (reduced.rounds && cuts.at(v) == cuts.at(reduced.descriptor));
  for (const auto& [v, cut] : cuts)
    for (int r = 0; r < group_.ranks() && by_blocks_.at(v); ++r) {
      Range& of_rank = elements_[static_cast<std::size_t>(r)];
      const std::int64_t begin = folded_elements(*cut, true, r).begin;
      is_extended_ = is_extended_ || begin < of_rank.begin;
      of_rank.begin = std::min(of_rank.begin, begin);
    }
  for (const auto& [v, cut] : cuts) segments_[v] = nullptr;
  // Scans over segments that are reduced in blocks have descriptors of their own if the kernel has only one for both.
  return std::ranges::none_of(kernel_.scanned_, [&](const Scanned& scanned) {
    return by_blocks_.at(scanned.descriptor) && std::ranges::none_of(kernel_.reduced_, [&](const Reduced& reduced) {
             return reduced.rounds && reduced.descriptor == scanned.descriptor;
           });
  });
}

/// Whether ranks can compute elements before their parts: nothing counts or moves them twice, and their segments are
/// those of the first element of the part.
bool DividedKernel::Run::can_extend() const {
  if (!kernel_.packed_.empty() || !kernel_.scatters_.empty() || !kernel_.scanned_.empty()) return false;
  for (const Reduced& reduced : kernel_.reduced_)
    if (!by_blocks_.at(reduced.descriptor)) return false;
  for (const auto& [v, by_blocks] : by_blocks_) {
    if (!by_blocks && !call_.descriptors[v].is_single()) return false;
    const auto cut = kernel_.context_.cuts.of(call_.descriptors[v]);
    for (int r = 0; r < group_.ranks() && by_blocks; ++r)
      if (folded_elements(*cut, true, r) != elements_[static_cast<std::size_t>(r)]) return false;
  }
  return true;
}

bool DividedKernel::Run::fits_packs() const {
  std::size_t bytes = 0;
  for (const Packed& packed : kernel_.packed_) bytes += size_of(call_.results[packed.value].type, longest(elements_));
  return bytes <= group_.exchange_bytes;
}

/// Whether the gathers can be steps of the part: every rank has their tables, indices go over single segments, and
/// nothing has to be folded before the part runs.
bool DividedKernel::Run::has_tables() const {
  return kernel_.gathering_plan_ != nullptr && kernel_.scanned_.empty() &&
         std::ranges::all_of(kernel_.tables_, [&](const Table& of) {
           return group_.has_all(call_.operands[of.table]) && !kernel_.is_over_[of.table] && of.from != of.to &&
                  !kernel_.is_space_[of.from] && call_.descriptors[of.from].is_single() &&
                  call_.descriptors[of.to].is_single() && !by_blocks_.at(of.to);
         });
}

bool DividedKernel::Run::run() {
  kernel_.faults_.begin_operation(true);
  const bool gathers_in_part = has_tables();
  set_segments();
  if (is_extended_) fetch_blocks();
  if (!kernel_.slices_.empty()) fetch_slices();
  if (!gathers_in_part && !gather()) return false;
  if (!kernel_.scanned_.empty()) fold_scans();
  set_results();
  PartPlan* const plan = gathers_in_part ? kernel_.gathering_plan_.get() : kernel_.part_plan_.get();
  if (plan != nullptr) run_part(*plan, mine(), segments_, results_);
  Scattered scattered{is_good_, {}};
  if (!kernel_.scatters_.empty()) scattered = scatter();
  // A device may decline its part, and other ranks must know.
  const bool can_fault = group_.staged != nullptr || (is_agreed_ ? kernel_.can_fault_in_part_ : kernel_.can_fault_);
  if (!can_fault && kernel_.reduced_.empty() && kernel_.packed_.empty() && kernel_.scatters_.empty()) return true;
  return combine(scattered);
}

void DividedKernel::Run::set_segments() {
  for (auto& [v, segments] : segments_)
    segments = std::make_shared<LocalSegments>(group_, kernel_.context_.cuts.of(call_.descriptors[v]), mine(),
                                               by_blocks_.at(v));
}

/// Fetches the elements before the parts into their places.
void DividedKernel::Run::fetch_blocks() {
  std::vector<Operand> vectors;
  for (std::size_t v = 0; v < call_.operands.size(); ++v)
    if (kernel_.is_over_[v] && call_.operands[v].length == call_.elements) vectors.push_back(call_.operands[v]);
  fetch_in_place(group_, vectors, elements_);
}

void DividedKernel::Run::fetch_slices() {
  auto fetched = kernel_.slices_.fetch_for(group_, kernel_.context_.cuts, call_, elements_);
  is_good_ = is_good_ && fetched.is_good;
  const std::vector<vcode::KernelVar> results = kernel_.slices_.results();
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Operand elements{kernel_.types_[results[k]], mine().size(), fetched.memory[k].data()};
    given_[results[k]] = {std::move(fetched.memory[k]), elements};
  }
}

/// Gathers level by level. False if some rank has found a fault, as all ranks know.
bool DividedKernel::Run::gather() {
  const KernelGathers& gathers = kernel_.gathers_;
  for (std::size_t level = 0; level < gathers.levels(); ++level) {
    if (PartPlan* const plan = kernel_.index_plans_[level].get(); plan != nullptr) {
      std::vector<Result> results(call_.results.size());
      for (const vcode::KernelVar v : gathers.computed_for(level)) {
        const ElemType type = kernel_.types_[v];
        Scratch memory = scratch_for(group_, type, mine().size());
        results[v] = {type, mine().size(), memory.data()};
        given_[v] = {std::move(memory), operand_of(results[v])};
      }
      run_part(*plan, mine(), segments_, results);
    }
    const auto vector = [&](std::size_t v) {
      const auto found = given_.find(v);
      return found == given_.end() ? call_.operands[v] : as_whole(found->second.elements, mine().begin, call_.elements);
    };
    auto gathered = gathers.gather(kernel_.context_, call_, level, elements_, vector, is_good_);
    is_good_ = is_good_ && !kernel_.faults_.has_own();
    if (gathered.all_good == false) {
      kernel_.faults_.drop_own();
      return false;
    }
    // Faults of gathers that no exchange tells are told in the end.
    is_agreed_ = gathered.all_good.has_value();
    const auto& steps = gathers.of_level(level);
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const vcode::KernelVar v = steps[k].results[0];
      const Operand elements{kernel_.types_[v], mine().size(), gathered.memory[k].data()};
      given_[v] = {std::move(gathered.memory[k]), elements};
    }
  }
  kernel_.faults_.drop_own();
  return true;
}

/// Folds what the scans go over in the last segments of ranks, which continue on later ones. One round of messages if
/// there are any.
void DividedKernel::Run::fold_scans() {
  std::int64_t begin = mine().end;
  bool any_continued = false;
  for (const Scanned& scanned : kernel_.scanned_) {
    const SegmentCut& cut = segments_of(scanned.descriptor).cut();
    any_continued = any_continued || cut.any_continued();
    if (const Range given = given_elements(cut, false, group_.rank()); !given.empty())
      begin = std::min(begin, given.begin);
  }
  carries_.assign(kernel_.scanned_.size(), {});
  if (!any_continued) return;
  const Range tail{begin, mine().end};
  std::map<std::size_t, std::shared_ptr<LocalSegments>> segments;
  for (const auto& [v, whole] : segments_)
    segments[v] = std::make_shared<LocalSegments>(group_, kernel_.context_.cuts.of(call_.descriptors[v]), tail, false);
  std::vector<Result> results(kernel_.with_folds_.values.size());
  std::vector<Scratch> memory;
  for (const Scanned& scanned : kernel_.scanned_) {
    const std::int64_t count = segments.at(scanned.descriptor)->count();
    memory.push_back(scratch_for(group_, scanned.type, count));
    results[scanned.fold] = {scanned.type, count, memory.back().data()};
  }
  run_part(*kernel_.fold_plan_, tail, segments, results);
  std::vector<std::int64_t> mine_folds(kernel_.scanned_.size());
  for (std::size_t k = 0; k < kernel_.scanned_.size(); ++k) {
    const Result& folds = results[kernel_.scanned_[k].fold];
    // Of the last segment, that which continues.
    if (!segments_of(kernel_.scanned_[k].descriptor).cut().has_tail(group_.rank()) || !is_good_) continue;
    const Operand last = operand_of(elements_of(folds, {folds.length - 1, folds.length}));
    group_.before_reading(last);
    std::memcpy(&mine_folds[k], last.data, elem_size(last.type));
  }
  const auto ranks = static_cast<std::size_t>(group_.ranks());
  std::vector<std::int64_t> all(ranks * mine_folds.size());
  group_.messenger.gather_to_all(mine_folds.data(),
                                 std::vector<std::size_t>(ranks, mine_folds.size() * sizeof(std::int64_t)), all.data());
  for (std::size_t k = 0; k < carries_.size(); ++k)
    for (std::size_t r = 0; r < ranks; ++r) carries_[k].push_back(all[r * mine_folds.size() + k]);
}

/// Runs a part of the kernel for some of this rank's elements. Collective.
void DividedKernel::Run::run_part(PartPlan& plan, Range elements,
                                  const std::map<std::size_t, std::shared_ptr<LocalSegments>>& segments,
                                  std::vector<Result>& results) {
  std::vector<Operand> values(call_.operands.begin(), call_.operands.end());
  for (std::size_t v = 0; v < values.size(); ++v)
    if (kernel_.is_over_[v] && values[v].length == call_.elements) values[v] = elements_of(values[v], elements);
  for (const auto& [v, given] : given_)
    if (plan.part().is_input(v))
      values[v] = elements_of(given.elements, {elements.begin - mine().begin, elements.end - mine().begin});
  std::vector<Operand> operands = plan.members(std::span<const Operand>(values));
  std::vector<SegmentDescriptor> descriptors(call_.descriptors.begin(), call_.descriptors.end());
  for (const auto& [v, of_descriptor] : segments) descriptors[v] = of_descriptor->descriptor();
  std::vector<SegmentDescriptor> of_plan = plan.members(std::span<const SegmentDescriptor>(descriptors));

  const std::vector<Operand> originals = plan.part().members(call_.operands);
  std::vector<Operand> spread(plan.spread().kernel().values.size());
  std::vector<Scratch> memory = plan.spread().set_for_pieces(
      group_, [&](std::size_t v) -> const LocalSegments& { return *segments.at(v); }, originals, spread);
  for (std::size_t v = 0; v < spread.size(); ++v)
    if (spread[v].data != nullptr) operands[plan.scans().number(v)] = spread[v];
  std::deque<LocalSegments> own_segments;
  for (std::size_t k = 0; k < plan.scans().carries().size(); ++k) {
    const Scanned& scanned = kernel_.scanned_[k];
    const LocalScans::Carry& inputs = plan.scans().carries()[k];
    const std::shared_ptr<LocalSegments>& of_descriptor = segments.at(scanned.descriptor);
    const bool has_own = inputs.segments != scanned.descriptor;
    const LocalSegments& of_scan =
        has_own ? own_segments.emplace_back(group_, of_descriptor->shared_cut(), elements, false) : *of_descriptor;
    if (has_own) of_plan[inputs.segments] = of_scan.descriptor();
    const SegmentCut& cut = of_scan.cut();
    const Scratch& carries = memory.emplace_back(scratch_for(group_, scanned.type, of_scan.count()));
    with_monoid(scanned.monoid, scanned.type, [&]<class M, class T>() {
      T* const carry = carries.as<T>();
      std::fill_n(carry, of_scan.count(), M::template identity<T>());
      if (of_scan.of_head() == 0) return;
      for (int r = 0; r < group_.rank(); ++r) {
        if (!cut.has_tail(r) || cut.first_segment(r + 1) != cut.first_segment(group_.rank())) continue;
        T fold;
        std::memcpy(&fold, &carries_[k][static_cast<std::size_t>(r)], sizeof fold);
        carry[0] = M::template combine<T>(fold, carry[0]);
      }
    });
    operands[inputs.input] = {scanned.type, of_scan.count(), carries.data()};
  }
  // The part does not fill a result that is its input.
  std::vector<Result> of_part = results;
  for (const auto& [v, given] : given_)
    if (plan.part().is_input(v)) of_part[v].data = nullptr;
  std::vector<Result> filled = plan.members(std::span<const Result>(of_part));
  std::vector<std::int64_t> kept(filled.size());
  if (!elements.empty() && is_good_)
    is_good_ = kernel_.run_here(plan.plan(), {elements.size(), operands, of_plan, filled, kept});
  for (const Packed& packed : kernel_.packed_)
    if (plan.part().number(packed.first) != KernelPart::kNone && !kept_.empty())
      kept_[packed.first] = kept[plan.number(packed.first)];
}

void DividedKernel::Run::set_results() {
  results_.assign(call_.results.begin(), call_.results.end());
  kept_.resize(results_.size());
  for (Result& result : results_)
    if (result.data != nullptr && result.length == call_.elements) result = elements_of(result, mine());
  for (const vcode::KernelVar v : kernel_.scatters_.computed()) {
    computed_.push_back(scratch_for(group_, kernel_.types_[v], mine().size()));
    results_[v] = {kernel_.types_[v], mine().size(), computed_.back().data()};
  }
  for (const auto& [v, given] : given_)
    if (results_[v].data != nullptr && given.elements.length > 0) {
      group_.before_reading(given.elements);
      group_.before_writing({given.elements.type, given.elements.length, results_[v].data});
      std::memcpy(results_[v].data, given.elements.data, size_of(given.elements.type, given.elements.length));
    }
  for (const Reduced& reduced : kernel_.reduced_)
    results_[reduced.value] =
        of_segments_.add(reduced.monoid, call_.results[reduced.value], segments_of(reduced.descriptor));
  for (const Packed& packed : kernel_.packed_) {
    PartOfPack& pack = packs_.emplace_back();
    Result& elements = results_[packed.value];
    pack.elements = scratch_for(group_, elements.type, mine().size());
    elements = {elements.type, mine().size(), pack.elements.data()};
    if (!is_first(packed)) continue;
    const LocalSegments& segments = segments_of(packed.descriptor);
    Result& lengths = results_[packed.lengths];
    if (segments.cut().descriptor().is_single()) {
      // Ranks tell how many they keep.
      pack.lengths = scratch_for(group_, lengths.type, segments.count());
      lengths = {lengths.type, segments.count(), pack.lengths.data()};
    } else {
      lengths = of_segments_.add(Monoid::kSum, call_.results[packed.lengths], segments);
    }
  }
}

/// Runs the scatters, of which this rank's part of some operands is computed, without sense if it is at fault.
Scattered DividedKernel::Run::scatter() {
  const KernelScatters& scatters = kernel_.scatters_;
  if (!is_good_)  // flags are flags, too
    for (std::size_t k = 0; k < computed_.size(); ++k)
      if (const ElemType type = kernel_.types_[scatters.computed()[k]]; !mine().empty()) {
        group_.before_writing({type, mine().size(), computed_[k].data()});
        std::memset(computed_[k].data(), 0, size_of(type, mine().size()));
      }
  Scattered scattered = scatters.run(kernel_.context_, call_, [&](std::size_t v) -> Operand {
    if (call_.operands[v].data != nullptr) return call_.operands[v];
    const auto found = std::ranges::find(scatters.computed(), v);
    if (found == scatters.computed().end()) return operand_of(call_.results[v]);
    const auto k = static_cast<std::size_t>(found - scatters.computed().begin());
    return as_whole({kernel_.types_[v], mine().size(), computed_[k].data()}, mine().begin, call_.elements);
  });
  scattered.is_good = scattered.is_good && is_good_;
  return scattered;
}

/// Combines the parts of all ranks. False if some rank has found a fault.
bool DividedKernel::Run::combine(const Scattered& scattered) {
  std::vector<std::int64_t> mine = {scattered.is_good ? 0 : 1};
  of_segments_.append_given(mine);
  for (const Packed& packed : kernel_.packed_) mine.push_back(kept_[packed.first]);
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
  of_segments_.take_given(of_ranks);
  deliver_results(of_ranks);
  return true;
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
    if (!is_first(packed) || !segments_of(packed.descriptor).cut().descriptor().is_single()) continue;
    const Result& lengths = call_.results[packed.lengths];
    group_.before_writing(lengths);
    with_int(lengths.type, [&]<class I>() { *static_cast<I*>(lengths.data) = static_cast<I>(kept); });
  }
  deliver(group_, deliveries);
}

}  // namespace cvl::mpi

#include "loops/calls/short_calls.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "cvl/fold_order.h"
#include "loops/arguments.h"
#include "operations/operations.h"
#include "steps/index_space.h"
#include "tuning/chunk_tuning.h"
#include "tuning/kernel_tuning.h"

namespace cvl::cpu {

using kernels::Member;
using vcode::KernelVar;
using vcode::Producer;

namespace {

/// Whether nothing is computed around the loop but its results, and epilogues.
bool is_computed_by_loop(const LoopPlan& plan) {
  const auto is_inside = [](const LoopPlan::Step& step) {
    return LoopPlan::is_in_loop(step, Part::kAll) || step.producer == Producer::kSpread ||
           step.producer == Producer::kReduce;
  };
  return plan.scatters == 0 && std::ranges::all_of(plan.whole.steps, is_inside);
}

std::uint64_t word(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

/// Makes the lists.
class ShortCalls::Layout {
 public:
  explicit Layout(ShortCalls& calls) : calls_(calls) {}

  void operand(Member m, KernelVar v) { calls_.operands_.push_back({m.number, v}); }
  void table(Member m, KernelVar v) { calls_.tables_.push_back({m.number, v}); }
  void length(Member m, KernelVar v) { calls_.lengths_.push_back({m.number, v}); }
  void result(Member m, KernelVar v) { calls_.results_.push_back({m.number, v}); }
  void elements(Member m) { calls_.elements_.push_back(m.number); }
  void distance(Member m, KernelVar v) { calls_.distances_.push_back({m.number, v}); }
  void whole(Member m, KernelVar v) {
    calls_.words_[m.number] = 1;
    calls_.wholes_.push_back({m.number, v});
  }
  void starts(Member m, KernelVar v) {
    calls_.words_[m.number] = word(kWhole);
    calls_.table_starts_.push_back({m.number, v});
  }
  void carry(Member m, int scan) { state(m, scan); }
  void identity(Member m, int scan, Monoid monoid, ElemType type) {
    calls_.scans_.push_back({m.number, static_cast<std::uint32_t>(scan), monoid, type});
  }
  void position(Member m, int pack) { state(m, calls_.plan_.scans + pack); }
  /// The accumulations that scans would pass on.
  void last_carry(Member m) { state(m, calls_.plan_.scans + calls_.plan_.packs); }

 private:
  void state(Member m, int number) { calls_.states_.push_back({m.number, static_cast<std::uint32_t>(number)}); }

  ShortCalls& calls_;
};

ShortCalls::ShortCalls(const LoopPlan& plan, const LoopTiles& tiling)
    : plan_(plan),
      loop_(plan.whole.loop),
      form_{Part::kAll, loop_.has_nest() ? Loop::Form::kNest : Loop::Form::kFlat},
      long_segment_(tiling.long_segment),
      folds_(!loop_.folds.empty() || !loop_.scans.empty() || !loop_.packs.empty()),
      words_(loop_.arguments.members().size()) {
  if (!is_computed_by_loop(plan) || words_.size() > kMostMembers ||
      static_cast<std::size_t>(plan.scans + plan.packs) >= kMostState)
    return;
  // Folds must have the same grouping as steps computed one after the other, in one chunk; and there must be elements,
  // as no elements fold to the empty value, which is not the identity element.
  most_elements_ = std::min(plan.by_blocks() ? kFoldBlock : folds_ ? kFewElements : kChunkItems, tiling.chunk_items);
  if (loop_.has_nest()) most_in_segments_ = std::min(most_elements_, kFewElements);
  Layout layout(*this);
  name_sources(plan, loop_, layout);
  for (const Loop::Input& input : loop_.inputs)
    if (!input.is_made()) layout.operand(input.elements, input.value);
  for (const Loop::Output& output : loop_.outputs) layout.result(output.elements, output.value);
  for (const Loop::Pack& pack : loop_.packs) {
    layout.result(pack.result, pack.step->results[0]);
    layout.elements(pack.room);
    if (pack.counts) layout.result(pack.lengths, pack.step->results[1]);
  }
  for (const Loop::Fold& fold : loop_.folds) {
    if (fold.is_carry())
      layout.last_carry(fold.result);
    else
      layout.result(fold.result, fold.step->results[0]);
  }
  layout.elements(loop_.range_end);
}

/// The segments of a call, with memory for starts of segments of equal length.
class ShortCalls::Segments {
 public:
  /// Null if there is no room.
  const std::int64_t* starts(const SegmentDescriptor& descriptor) {
    if (!descriptor.is_regular()) return descriptor.offsets;
    if (used_ + descriptor.segments >= std::ssize(memory_)) return nullptr;
    std::int64_t* const starts = &memory_[static_cast<std::size_t>(used_)];
    for (std::int64_t k = 0; k <= descriptor.segments; ++k) starts[k] = k * descriptor.regular_length;
    used_ += descriptor.segments + 1;
    return starts;
  }

  const SegmentDescriptor* nest = nullptr;  ///< null if all descriptors have one segment

 private:
  std::array<std::int64_t, 2 * (kMostSegments + 1)> memory_;
  std::int64_t used_ = 0;
};

/// Finds the segments of the nest. False if there are many or short ones, or several descriptors differ, or folds go
/// over all elements beside segments.
bool ShortCalls::find_segments(const KernelCall& call, Segments& segments) const {
  for (const KernelVar v : plan_.segmentations) {
    const SegmentDescriptor& descriptor = call.descriptors[v];
    if (descriptor.is_single()) continue;
    if (segments.nest == nullptr)
      segments.nest = &descriptor;
    else if (!are_equal(*segments.nest, descriptor))
      return false;
  }
  if (segments.nest == nullptr) return true;
  const std::int64_t n = segments.nest->segments;
  if (call.elements > most_in_segments_ || n > kMostSegments || call.elements < long_segment_ * n) return false;
  const auto have_several = [&](const auto& parts) {
    return std::ranges::none_of(parts, [&](const auto& part) { return is_single(call, part.segmentation); });
  };
  return have_several(loop_.folds) && (!loop_.scans_by_blocks || have_several(loop_.scans));
}

bool ShortCalls::is_single(const KernelCall& call, int segmentation) const {
  return call.descriptors[plan_.segmentations[static_cast<std::size_t>(segmentation)]].is_single();
}

/// Sets the members that depend on descriptors with several segments. False if there is no room.
bool ShortCalls::set_segments(const KernelCall& call, Segments& segments, std::uint64_t* words) const {
  const std::int64_t* const starts = segments.starts(*segments.nest);
  if (starts == nullptr) return false;
  words[loop_.starts.number] = word(starts);
  for (const auto [member, v] : distances_) words[member] = call.descriptors[v].is_single() ? 0 : 1;
  for (const auto [member, v] : wholes_) words[member] = call.descriptors[v].is_single() ? 1 : 0;
  for (const auto [member, v] : table_starts_) {
    const SegmentDescriptor& descriptor = call.descriptors[v];
    if (descriptor.is_single()) continue;
    const std::int64_t* const of_table = segments.starts(descriptor);
    if (of_table == nullptr) return false;
    words[member] = word(of_table);
  }
  return true;
}

bool ShortCalls::run(Context& context, const KernelCall& call, LoopFunction& loop) const {
  Segments segments;
  if (!find_segments(call, segments)) return false;
  std::array<std::uint64_t, kMostMembers> words;
  std::copy(words_.begin(), words_.end(), words.begin());
  if (segments.nest != nullptr && !set_segments(call, segments, words.data())) return false;
  context.faults.begin_operation();
  if (call.elements == 0) return true;

  const std::array<std::int64_t, 2> whole = {0, call.elements};
  if (segments.nest == nullptr) words[loop_.starts.number] = word(whole.data());
  const Operand* const operands = call.operands.data();
  const Result* const results = call.results.data();
  for (const auto [member, v] : operands_) words[member] = word(operands[v].data);
  for (const auto [member, v] : tables_) words[member] = word(operands[v].length > 0 ? operands[v].data : &kNoElement);
  for (const auto [member, v] : lengths_) words[member] = static_cast<std::uint64_t>(operands[v].length);
  for (const auto [member, v] : results_) words[member] = word(results[v].data);
  for (const std::uint32_t member : elements_) words[member] = static_cast<std::uint64_t>(call.elements);
  std::array<Slot, kMostState> state;
  for (const auto [member, number] : states_) {
    state[number] = 0;
    words[member] = word(&state[number]);
  }
  const ScanKernels& scans = context.kernels.scan;
  for (const auto& [member, number, monoid, type] : scans_) {
    state[number] = scans.identity.at(monoid, type);
    words[member] = word(&scans.identity.at(monoid, type));
  }
  const std::int64_t last = segments.nest != nullptr          ? segments.nest->segments - 1
                            : form_.form == Loop::Form::kNest ? 0
                                                              : call.elements;
  if (loop(words.data(), 0, last)) {
    context.faults.report(FaultKind::kDivideByZero, 0, 0);
    return true;
  }
  for (const Loop::Pack& pack : loop_.packs) {
    if (!pack.counts) continue;
    const Slot kept = state[static_cast<std::size_t>(plan_.scans + pack.number)];
    call.kept[pack.step->results[0]] = static_cast<std::int64_t>(kept);
    // A nest over several segments has left the number of the last one.
    const Result& lengths = call.results[pack.step->results[1]];
    if (is_single(call, pack.segmentation)) std::memcpy(lengths.data, &kept, elem_size(lengths.type));
  }
  if (!plan_.epilogues.empty()) run_epilogues(context, call);
  return true;
}

void ShortCalls::run_epilogues(Context& context, const KernelCall& call) const {
  for (const LoopPlan::Epilogue& epilogue : plan_.epilogues) {
    std::array<Operand, vcode::Signature::kMaxRoles> operands;
    std::ranges::transform(epilogue.step->operands, operands.begin(), [&](KernelVar v) {
      if (call.operands[v].data != nullptr) return call.operands[v];
      return Operand{call.results[v].type, call.results[v].length, call.results[v].data};
    });
    cpu::run(context, Elementwise{epilogue.step->op, std::span(operands.data(), epilogue.step->operands.size()),
                                  call.results[epilogue.step->results[0]]});
    if (context.faults.any()) return;
  }
}

}  // namespace cvl::cpu

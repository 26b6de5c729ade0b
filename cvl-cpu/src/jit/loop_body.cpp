#include "jit/loop_body.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "tuning/kernel_tuning.h"
#include "tuning/streaming_tuning.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;

int lanes_of(const Loop& loop, std::span<const ElemType> types, bool by_segments, const NativeTarget& target) {
  std::size_t size = 8;
  const auto see = [&](KernelVar v) {
    if (elem_size(types[v]) > 1) size = std::min(size, elem_size(types[v]));
  };
  for (const vcode::Kernel::Step* step : loop.steps) see(step->results[0]);
  for (const Loop::Input& input : loop.inputs) see(input.value);
  const auto is_by_lines = [&](const auto& part) { return LlvmText::is_float(types[part.step->operands[0]]); };
  const bool by_lines = (by_segments && std::any_of(loop.folds.begin(), loop.folds.end(), is_by_lines)) ||
                        std::any_of(loop.scans.begin(), loop.scans.end(), is_by_lines);
  if (by_lines) return kLineBytes / static_cast<int>(size);
  // The steps of a loop wait for each other. Several vectors whose steps are computed by turns fill that time.
  int together = 1;
  if (loop.repeated > 0) {
    int registers = 0;  // that the values of one vector take
    for (const Loop::Input& input : loop.inputs)
      registers += std::max(1, static_cast<int>(elem_size(types[input.value]) / size));
    while (together < kMostTogether && 2 * together * registers <= kRegistersTogether) together *= 2;
  }
  return together * target.register_bytes / static_cast<int>(size);
}

bool is_divisor(const Loop& loop, std::span<const ElemType> types, KernelVar v, const NativeTarget& target) {
  return std::any_of(loop.steps.begin(), loop.steps.end(), [&](const vcode::Kernel::Step* step) {
    return step->operands.back() == v && divides_by_reciprocal(step->op, types[v], target);
  });
}

LoopBody::LoopBody(LlvmText& text, const vcode::Kernel& kernel, const Loop& loop, std::span<const ElemType> types,
                   bool by_segments)
    : text_(text),
      kernel_(kernel),
      loop_(loop),
      types_(types),
      by_segments_(by_segments),
      folds_(text, by_segments ? std::span(loop.folds) : std::span<const Loop::Fold>(), types),
      vectors_in_turn_(only_folds() && loop.steps.size() <= kMostStepsInTurn ? folds_.vectors_in_turn() : 1),
      scans_(text, loop, types, !by_segments),
      packs_(text, loop, types, by_segments),
      scatters_(text, loop, types),
      first_carry_(1 + folds_.state_types().size()),
      first_position_(first_carry_ + scans_.state_types().size()),
      first_hash_(first_position_ + packs_.state_types().size()),
      strides_(kernels::lane_strides(loop, types.size())),
      values_(types.size()),
      addresses_(types.size()),
      results_(types.size()) {}

std::vector<std::string> LoopBody::state_types() const {
  std::vector<std::string> types = {text_.type(ElemType::kB8)};
  for (const auto& part : {folds_.state_types(), scans_.state_types(), packs_.state_types(), scatters_.state_types()})
    types.insert(types.end(), part.begin(), part.end());
  return types;
}

LoopBody::State LoopBody::initial_state(const LaneValue& faults, const std::string& begin) {
  State state = {faults};
  for (const auto& part : {folds_.initial(), scans_.initial(begin), packs_.initial(), scatters_.initial()})
    state.insert(state.end(), part.begin(), part.end());
  return state;
}

void LoopBody::end_state(State& state) {
  scans_.end(carries(state));
  packs_.end(positions(state));
  scatters_.end(hashes(state));
}

// Loads of the function's argument.

void LoopBody::load_members() {
  const auto load = [&](KernelVar v, kernels::Member member) {
    text_.line(fmt::format("; {}", kernel_.values[v].name));
    return load_member(text_, loop_.arguments, member);
  };
  for (const Loop::Input& input : loop_.inputs)
    if (!is_made(input)) addresses_[input.value] = load(input.value, input.elements);
  for (const Loop::Output& output : loop_.outputs)
    if (stores(output)) results_[output.value] = load(output.value, output.elements);
  load_tables();
  for (const Loop::Output& output : loop_.outputs)
    if (stores(output) && output.may_stream)
      text_.line(fmt::format("%stream.{} = icmp ne i64 {}, 0", output.value, load(output.value, output.stream)));
  scans_.load_members();
  packs_.load_members();
  scatters_.load_members();
  if (!by_segments_) return;
  for (const Loop::Input& input : loop_.inputs)
    if (is_made(input)) load_made(input);
  for (const Loop::Fold& fold : loop_.folds) sums_.push_back(load_member(text_, loop_.arguments, fold.result));
}

void LoopBody::load_tables() {
  const auto load = [&](kernels::Member member) { return load_member(text_, loop_.arguments, member); };
  if (loop_.gathers.empty()) return;
  const ElemType index = types_[loop_.gathers[0].step->operands[1]];  // all indices are INTs
  for (const Loop::Table& table : loop_.tables) {
    text_.line(fmt::format("; {}, from which elements are gathered", kernel_.values[table.value].name));
    const std::string address = load(table.elements), length = load(table.length);
    const ElemType type = types_[table.value];
    tables_.push_back(gather_table(text_, address, length, index, type));
    if (!by_segments_) continue;
    whole_tables_.push_back({type, index, address, length, tables_.back().bound, load(table.starts), load(table.step)});
    const std::string is_segmented = text_.define(fmt::format("icmp ne i64 {}, 0", whole_tables_.back().step));
    is_segmented_ =
        is_segmented_.empty() ? is_segmented : text_.define(fmt::format("or i1 {}, {}", is_segmented_, is_segmented));
  }
}

/// Loads the members of an input that is made from values per segment.
void LoopBody::load_made(const Loop::Input& input) {
  const auto load = [&](kernels::Member member) { return load_member(text_, loop_.arguments, member); };
  text_.line(fmt::format("; {}", kernel_.values[input.value].name));
  MadeInputWriter::Members members;
  members.segments = load(input.per_segment);
  if (!input.is_constant) members.step = load(input.step);
  if (input.access == Loop::Access::kProgression) members.stride = load(input.strides);
  if (input.access == Loop::Access::kSlice) {
    members.table = load(input.source);
    members.length = load(input.length);
  }
  MadeInputWriter& made = made_.emplace_back(input, types_[input.value], types_[input.segments], std::move(members));
  made.enter_function(text_);
  if (input.is_constant) lower_divisor_of(made);
}

/// Appends what does not depend on the dividend, if the loop divides by a spread value.
void LoopBody::lower_divisor_of(MadeInputWriter& made) {
  if (made.input().access == Loop::Access::kSpread && is_divisor(loop_, types_, made.input().value, text_.target()))
    lower_divisor(text_, made.spread());
}

// Segments of a loop nest.

std::string LoopBody::enter_segment(const std::string& k, const std::string& start, const std::string& begin,
                                    const std::string& end) {
  std::string inside;
  enter_tables(k);
  for (MadeInputWriter& made : made_) {
    text_.line(fmt::format("; {}", kernel_.values[made.input().value].name));
    const std::string here = made.enter_segment(text_, k, start, begin, end);
    if (!made.input().is_constant) lower_divisor_of(made);
    if (!here.empty()) inside = inside.empty() ? here : text_.define(fmt::format("and i1 {}, {}", inside, here));
  }
  return inside;
}

/// Restricts tables to their segment `k`; mostly there is none with several segments, and nothing to do.
void LoopBody::enter_tables(const std::string& k) {
  if (tables_.empty()) return;
  const int number = text_.next_number();
  const std::string before = text_.block();
  text_.line(fmt::format("br i1 {0}, label %restrict.{1}, label %entered.{1}", is_segmented_, number));
  text_.label(fmt::format("restrict.{}", number));
  std::vector<std::pair<GatherTable, std::string>> restricted;
  for (std::size_t t = 0; t < tables_.size(); ++t) restricted.push_back(restrict_table(t, k));
  const std::string after = text_.block();
  text_.line(fmt::format("br label %entered.{}", number));
  text_.label(fmt::format("entered.{}", number));
  const auto either = [&](const std::string& type, const std::string& whole, const std::string& part) {
    return text_.define(fmt::format("phi {} [ {}, %{} ], [ {}, %{} ]", type, whole, before, part, after));
  };
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    WholeTable& whole = whole_tables_[t];
    const auto& [part, length] = restricted[t];
    tables_[t].address = either("ptr", whole.address, part.address);
    tables_[t].bound = either(text_.type(whole.index), whole.bound, part.bound);
    whole.length = either("i64", whole.elements, length);
  }
}

/// The segment `k` of a table, and the number of its elements.
std::pair<GatherTable, std::string> LoopBody::restrict_table(std::size_t table, const std::string& k) {
  const WholeTable& whole = whole_tables_[table];
  const std::string number = text_.define(fmt::format("mul i64 {}, {}", k, whole.step));
  const std::string bound = text_.define(fmt::format("getelementptr i64, ptr {}, i64 {}", whole.starts, number));
  const std::string next = text_.define(fmt::format("getelementptr i64, ptr {}, i64 1", bound));
  const std::string start = text_.define(fmt::format("load i64, ptr {}", bound));
  const std::string stop =
      text_.call("i64", "llvm.smin.i64", "i64, i64",
                 fmt::format("i64 {}, i64 {}", text_.define("load i64, ptr " + next), whole.elements));
  // A lane at fault may read the first element of the segment; if the segment is empty, it reads the first one of the
  // table.
  const std::string first = element_address(text_, whole.type, whole.address, start);
  const std::string some = text_.define(fmt::format("icmp slt i64 {}, {}", start, stop));
  GatherTable part = tables_[table];
  part.address = text_.define(fmt::format("select i1 {}, ptr {}, ptr {}", some, first, whole.address));
  const std::string length = text_.define(fmt::format("sub i64 {}, {}", stop, start));
  part.bound = gather_bound(text_, length, whole.index);
  return {part, length};
}

/// Whether the loop has elementwise steps and folds only, and stores no elements.
bool LoopBody::only_folds() const {
  return loop_.gathers.empty() && loop_.scans.empty() && loop_.packs.empty() && loop_.scatters.empty() &&
         loop_.repeated == 0 && std::ranges::none_of(loop_.outputs, [&](const auto& output) { return stores(output); });
}

const InteriorWriter& LoopBody::enter_interior(const std::string& begin, const std::string& end) {
  std::vector<TableText> tables;
  for (std::size_t t = 0; t < tables_.size(); ++t)
    tables.push_back({whole_tables_[t].type, tables_[t].address, whole_tables_[t].length});
  // Accumulators of folds and stores past the cache need whole vectors; a map may compute elements twice.
  const bool is_map = loop_.folds.empty() && loop_.scans.empty() && loop_.packs.empty() && loop_.scatters.empty();
  std::string whole = is_map ? "false" : "true";
  for (const Loop::Output& output : loop_.outputs)
    if (is_map && stores(output) && output.may_stream)
      whole = text_.define(fmt::format("or i1 {}, %stream.{}", whole, output.value));
  interior_.emplace(text_, *loop_.interior, types_, made_, !has_many_gathers())
      .enter_segment(begin, end, whole, tables);
  return *interior_;
}

void LoopBody::store_nothing(const std::string& k, const std::string& is_empty) {
  packs_.store_counts(k, {});
  for (std::size_t f = 0; f < loop_.folds.size(); ++f) {
    const vcode::Kernel::Step& step = *loop_.folds[f].step;
    const ElemType type = types_[step.operands[0]];
    const vcode::Monoid monoid = vcode::info(step.op).monoid;
    const std::string nothing =
        text_.define(fmt::format("select i1 {0}, {1} {2}, {1} {3}", is_empty, text_.type(type),
                                 empty_value_lanes(monoid, type).text, identity_lanes(monoid, type).text));
    folds_.store(f, {nothing, type}, text_.lanes(), sum_address(f, k));
  }
}

void LoopBody::store_segment(const std::string& k, State& state, const std::string& count) {
  packs_.store_counts(k, positions(state));
  const std::vector<LaneValue> results = folds_.end(std::span(state).subspan(1), vectors_in_turn_ > 1 ? "" : count);
  for (std::size_t f = 0; f < results.size(); ++f) folds_.store(f, results[f], 1, sum_address(f, k));
}

/// Address of the result of a fold for segment `k`.
std::string LoopBody::sum_address(std::size_t fold, const std::string& k) {
  const Loop::Fold& f = loop_.folds[fold];
  if (f.is_carry()) return sums_[fold];
  return text_.define(
      fmt::format("getelementptr {}, ptr {}, i64 {}", LlvmText::stored(types_[f.step->operands[0]]), sums_[fold], k));
}

// Computation of elements.

void LoopBody::compute(std::string_view e, const std::string& mask, State& state, int vector) {
  load_inputs(e, mask);
  if (mask.empty() && hides_what_is_next()) fetch_inputs_ahead(e);
  Rounds rounds;
  if (loop_.repeated > 0) rounds = begin_rounds(state);
  std::size_t gather_number = 0, scan = 0, pack = 0, scatter = 0;
  const auto add_faults = [&](const std::string& faults) { state[0].text = combine("or", state[0].text, faults); };
  for (const vcode::Kernel::Step* step : loop_.steps) {
    const KernelVar result = step->results[0], a = step->operands[0];
    text_.line(fmt::format("; {} = {}", kernel_.values[result].name, vcode::info(step->op).text));
    const vcode::Producer producer = vcode::producer_of(step->op);
    if (producer == vcode::Producer::kScan) {
      values_[result] = scans_.add(scan++, values_[a], carries(state), e, mask);
      continue;
    }
    if (producer == vcode::Producer::kPack) {
      packs_.add(pack++, values_[a], values_[step->operands[1]], positions(state), mask);
      continue;
    }
    if (producer == vcode::Producer::kScatter) {
      std::string written = mask;
      if (const int k = vcode::flags_of(step->op); k >= 0) {
        const std::string& flags = values_[step->operands[static_cast<std::size_t>(k)]].text;
        written = mask.empty() ? flags : combine("and", mask, flags);
      }
      const auto operand = [&](KernelVar v) {
        return ScatterWriter::Operand{values_[v], addresses_[v].empty() ? "" : address(v, e)};
      };
      add_faults(scatters_.add(scatter++, operand(a), operand(step->operands[1]), hashes(state), written));
      continue;
    }
    std::optional<LoweredOperation> lowered = inside_ ? compute_inside(*step, e) : std::nullopt;
    if (producer == vcode::Producer::kGather) {
      const GatherTable& table = tables_[static_cast<std::size_t>(loop_.gathers[gather_number++].table)];
      if (!lowered && (mask.empty() || by_segments_)) fetch_gathered_ahead(*step, table, e);
      if (!lowered) lowered = gather(*step, table, mask);
    }
    if (!lowered) lowered = map(*step);
    values_[result] = lowered->value;
    if (lowered->faults.empty()) continue;
    if (!mask.empty()) lowered->faults = combine("and", lowered->faults, mask);
    add_faults(lowered->faults);
  }
  if (loop_.repeated > 0) end_rounds(rounds, mask, state);
  folds_.add(sums(state), values_, mask, vectors_in_turn_ > 1 ? std::optional(vector) : std::nullopt);
  store_outputs(e, mask);
}

/// Begins a loop over the steps, whose values are those of the kernel's loop.
LoopBody::Rounds LoopBody::begin_rounds(State& state) {
  Rounds rounds{text_.next_number(), 0, text_.block(), {}};
  text_.line(fmt::format("br label %repeat.{}", rounds.number));
  text_.label(fmt::format("repeat.{}", rounds.number));
  rounds.position = text_.body().size();
  for (KernelVar v = 0; v < loop_.repeated; ++v)
    rounds.initial.push_back(std::exchange(values_[v].text, fmt::format("%value.{}.{}", rounds.number, v)));
  rounds.initial.push_back(std::exchange(state[0].text, fmt::format("%faults.{}", rounds.number)));
  return rounds;
}

/// Ends the loop: it goes on while some lane does, but not for so long that an interrupt would wait.
void LoopBody::end_rounds(const Rounds& rounds, const std::string& mask, State& state) {
  const int number = rounds.number;
  const std::string bits = text_.type(ElemType::kB8), after = text_.block();
  std::string goes_on = values_[kernel_.outputs.back()].text;
  if (!mask.empty()) goes_on = combine("and", goes_on, mask);
  const std::string any =
      text_.call("i1", fmt::format("llvm.vector.reduce.or.v{}i1", text_.lanes()), bits, bits + " " + goes_on);
  const std::string next = text_.define(fmt::format("add i32 %round.{}, 1", number));
  const std::string more = text_.define(fmt::format("icmp ult i32 {}, {}", next, kMostRounds));
  text_.line(fmt::format("br i1 {}, label %repeat.{}, label %repeated.{}",
                         text_.define(fmt::format("and i1 {}, {}", any, more)), number, number));
  text_.label(fmt::format("repeated.{}", number));
  const auto insert = [&](const std::string& name, const std::string& type, std::string_view from,
                          const std::string& to) {
    text_.insert(rounds.position,
                 fmt::format("{} = phi {} [ {}, %{} ], [ {}, %{} ]", name, type, from, rounds.before, to, after));
  };
  insert(fmt::format("%faults.{}", number), bits, rounds.initial.back(), state[0].text);
  for (KernelVar v = loop_.repeated; v-- > 0;)
    if (!rounds.initial[v].empty())  // otherwise the steps do not read the value
      insert(fmt::format("%value.{}.{}", number, v), text_.type(types_[v]), rounds.initial[v],
             values_[kernel_.outputs[v]].text);
  insert(fmt::format("%round.{}", number), "i32", "0", next);
}

/// Whether the interior has loads in place of a gather.
bool LoopBody::is_read_inside(KernelVar result) const {
  if (!loop_.interior || (!by_segments_ && !has_many_gathers())) return false;
  return reads(loop_.interior->constants, result) || reads(loop_.interior->runs, result);
}

bool LoopBody::reads(const std::vector<Loop::Interior::Gather>& gathers, KernelVar result) {
  return std::ranges::count(gathers, result, &Loop::Interior::Gather::result) > 0;
}

/// The result of a step for elements of the interior, if the plan says how to get it there.
std::optional<LoweredOperation> LoopBody::compute_inside(const vcode::Kernel::Step& step, std::string_view e) {
  const Loop::Interior& interior = *loop_.interior;
  const KernelVar result = step.results[0];
  const ElemType type = types_[result];
  if (const std::optional<bool> known = interior.known(result))
    return LoweredOperation{LlvmText::splat_int(ElemType::kB8, *known), {}};
  if (std::ranges::count(interior.faultless, result)) return LoweredOperation{values_[step.operands[1]], {}};
  if (vcode::producer_of(step.op) != vcode::Producer::kGather) return {};
  if (const LaneValue* constant = interior_->constant(result))
    return LoweredOperation{text_.from_stored(type, constant->text), {}};
  const LaneValue* const flags = flags_of(step);
  const std::optional<bool> reads = flags != nullptr ? interior.known(step.operands[2]) : true;
  if (reads == false) return LoweredOperation{{"zeroinitializer", type}, {}};
  const auto run = std::ranges::find(interior.runs, result, &Loop::Interior::Gather::result);
  if (run == interior.runs.end()) return {};
  const LaneValue value = interior_->load(static_cast<std::size_t>(run - interior.runs.begin()), e, strided_);
  const std::string mask = reads == true ? "" : flags->text;
  return LoweredOperation{masked(text_, value, mask, {"zeroinitializer", type}), {}};
}

void LoopBody::load_inputs(std::string_view e, const std::string& mask) {
  auto made = made_.begin();
  for (const Loop::Input& input : loop_.inputs) {
    const KernelVar v = input.value;
    if (!is_made(input)) {
      values_[v] = lower_load(text_, types_[v], address(v, e), mask);
      continue;
    }
    if (made->is_loaded()) addresses_[v] = made->address();
    values_[v] = made->is_loaded() ? lower_load(text_, types_[v], address(v, e), mask) : made->elements(text_, e);
    ++made;
  }
}

void LoopBody::store_outputs(std::string_view e, const std::string& mask) {
  for (const Loop::Output& output : loop_.outputs) {
    const KernelVar v = output.value;
    if (!stores(output)) continue;
    const std::string to = element_address(text_, types_[v], results_[v], e);
    if (mask.empty() && output.may_stream)
      lower_stream_or_store(text_, values_[v], to, fmt::format("%stream.{}", v));
    else
      lower_store(text_, values_[v], to, mask);
  }
}

LoweredOperation LoopBody::map(const vcode::Kernel::Step& step) {
  std::array<LaneValue, 3> operands;
  VC_CHECK(step.operands.size() <= operands.size());
  for (std::size_t k = 0; k < step.operands.size(); ++k) operands[k] = values_[step.operands[k]];
  return lower_elementwise(text_, step.op, step.suffix, types_[step.results[0]], operands);
}

/// The flags of a gather; null if it has none.
const LaneValue* LoopBody::flags_of(const vcode::Kernel::Step& gather) const {
  const bool flagged = vcode::has_flags(gather.op);
  return flagged ? &values_[gather.operands[2]] : nullptr;
}

LoweredOperation LoopBody::gather(const vcode::Kernel::Step& step, const GatherTable& table, const std::string& mask) {
  const LaneValue* const flags = flags_of(step);
  // Where neighbours are read, the interior does that. Looking for them elsewhere as well would be much code, unless
  // the border, which may be long, is computed in one place.
  const KernelVar result = step.results[0];
  const bool is_border = is_read_inside(result);
  const bool looks = !is_border || (!has_loop_outside() && reads(loop_.interior->runs, result));
  const auto lower = [&] {
    return lower_gather(text_, table, types_[result], values_[step.operands[1]], flags, mask,
                        looks ? strides_[step.operands[1]] : Strides{});
  };
  if (!is_border || flags == nullptr) return lower();
  return unless_none(mask.empty() ? flags->text : combine("and", flags->text, mask), lower);
}

/// Appends a branch around a gather, for which most flags of a border are false.
template <class Lower>
LoweredOperation LoopBody::unless_none(const std::string& flags, Lower&& lower) {
  const int number = text_.next_number();
  const std::string bits = text_.type(ElemType::kB8), before = text_.block();
  const std::string any = text_.call("i1", fmt::format("llvm.vector.reduce.or.v{}i1", text_.lanes()), bits,
                                     fmt::format("{} {}", bits, flags));
  text_.line(fmt::format("br i1 {0}, label %read.{1}, label %got.{1}", any, number));
  text_.label(fmt::format("read.{}", number));
  LoweredOperation lowered = lower();
  const std::string after = text_.block();
  text_.line(fmt::format("br label %got.{}", number));
  text_.label(fmt::format("got.{}", number));
  const auto or_nothing = [&](const std::string& type, const std::string& found) {
    return text_.define(fmt::format("phi {} [ zeroinitializer, %{} ], [ {}, %{} ]", type, before, found, after));
  };
  lowered.value.text = or_nothing(text_.type(lowered.value.type), lowered.value.text);
  if (!lowered.faults.empty()) lowered.faults = or_nothing(bits, lowered.faults);
  return lowered;
}

std::string LoopBody::combine(std::string_view instruction, const std::string& x, const std::string& y) {
  return text_.define(fmt::format("{} {} {}, {}", instruction, text_.type(ElemType::kB8), x, y));
}

// Prefetching.

/// Prefetches the cache lines of inputs that the loop reads some iterations later.
void LoopBody::fetch_inputs_ahead(std::string_view e) {
  for (const Loop::Input& input : loop_.inputs)  // the elements after a slice are not read next
    if (!is_made(input)) fetch_ahead(text_, types_[input.value], address(input.value, e), kLoopAheadBytes);
}

/// Prefetches the elements that will be gathered at the indices that the loop reads some iterations later.
void LoopBody::fetch_gathered_ahead(const vcode::Kernel::Step& step, const GatherTable& table, std::string_view e) {
  if (loop_.repeated > 0) return;  // indices change
  const KernelVar index = step.operands[1];
  const auto is_index = [&](const Loop::Input& input) { return input.value == index && !is_made(input); };
  if (std::none_of(loop_.inputs.begin(), loop_.inputs.end(), is_index)) return;
  const std::string ahead = text_.define(fmt::format("add i64 {}, {}", e, kFarElements));
  const std::string stop = text_.define(fmt::format("add i64 {}, {}", ahead, text_.lanes()));
  const std::string inside = text_.define(fmt::format("icmp sle i64 {}, {}", stop, range_end_));
  fetch_gathered(text_, table, types_[step.results[0]], types_[index], address(index, ahead), inside);
}

}  // namespace cvl::cpu

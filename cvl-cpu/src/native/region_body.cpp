#include "native/region_body.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "base/check.h"
#include "tuning/streaming_tuning.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;

int region_lanes(const Region& region, std::span<const ElemType> types, bool by_segments, const NativeTarget& target) {
  std::size_t size = 8;
  const auto see = [&](KernelVar v) {
    if (types[v] != ElemType::kB8) size = std::min(size, elem_size(types[v]));
  };
  for (const vcode::Kernel::Step* step : region.steps) see(step->results[0]);
  for (const Region::Input& input : region.inputs) see(input.value);
  const auto is_by_lines = [&](const auto& part) { return LlvmText::is_float(types[part.step->operands[0]]); };
  const bool by_lines = (by_segments && std::any_of(region.folds.begin(), region.folds.end(), is_by_lines)) ||
                        std::any_of(region.scans.begin(), region.scans.end(), is_by_lines);
  return (by_lines ? kLineBytes : target.register_bytes) / static_cast<int>(size);
}

bool is_divisor(const Region& region, std::span<const ElemType> types, KernelVar v) {
  return std::any_of(region.steps.begin(), region.steps.end(), [&](const vcode::Kernel::Step* step) {
    return step->operands.back() == v && divides_by_reciprocal(step->op, types[v]);
  });
}

RegionBody::RegionBody(LlvmText& text, const vcode::Kernel& kernel, const Region& region,
                       std::span<const ElemType> types, bool by_segments)
    : text_(text),
      kernel_(kernel),
      region_(region),
      types_(types),
      by_segments_(by_segments),
      folds_(text, by_segments ? std::span(region.folds) : std::span<const Region::Fold>(), types),
      scans_(text, region, types, !by_segments),
      packs_(text, region, types),
      scatters_(text, region, types),
      first_carry_(1 + folds_.state_types().size()),
      first_position_(first_carry_ + scans_.state_types().size()),
      first_hash_(first_position_ + packs_.state_types().size()),
      strides_(lane_strides(region, types.size())),
      values_(types.size()),
      addresses_(types.size()),
      made_words_(region.first_made_word()) {}

std::vector<std::string> RegionBody::state_types() const {
  std::vector<std::string> types = {text_.type(ElemType::kB8)};
  for (const auto& part : {folds_.state_types(), scans_.state_types(), packs_.state_types(), scatters_.state_types()})
    types.insert(types.end(), part.begin(), part.end());
  return types;
}

RegionBody::State RegionBody::initial_state(const LaneValue& faults) {
  State state = {faults};
  for (const auto& part : {folds_.initial(), scans_.initial(), packs_.initial(), scatters_.initial()})
    state.insert(state.end(), part.begin(), part.end());
  return state;
}

void RegionBody::end_state(State& state) {
  scans_.end(carries(state));
  packs_.end(positions(state));
  scatters_.end(hashes(state));
}

// Loads of the function's argument.

void RegionBody::load_words() {
  for (std::size_t k = 0; k < region_.inputs.size(); ++k)
    if (!is_made(region_.inputs[k])) position(region_.inputs[k].value, k);
  for (std::size_t k = 0; k < region_.outputs.size(); ++k)
    position(region_.outputs[k].value, region_.inputs.size() + k);
  for (std::size_t k = 0; k < region_.tables.size(); ++k) add_table(k);
  find_streamed();
  scans_.load_words();
  packs_.load_words();
  scatters_.load_words();
  if (!by_segments_) return;
  for (const Region::Input& input : region_.inputs)
    if (is_made(input)) add_made(input);
  for (std::size_t k = 0; k < region_.folds.size(); ++k) sums_.push_back(word("ptr", region_.first_fold_word() + k));
}

/// Loads the address of vector k, which is value v.
void RegionBody::position(KernelVar v, std::size_t k) {
  text_.line(fmt::format("; {}", kernel_.values[v].name));
  addresses_[v] = word("ptr", k);
}

/// Loads the words of table k.
void RegionBody::add_table(std::size_t k) {
  const auto is_gather = [](const auto* step) { return vcode::producer_of(step->op) == vcode::Producer::kGather; };
  std::vector<const vcode::Kernel::Step*> gathers;
  std::copy_if(region_.steps.begin(), region_.steps.end(), std::back_inserter(gathers), is_gather);
  text_.line(fmt::format("; {}, from which elements are gathered", kernel_.values[region_.tables[k].value].name));
  const std::size_t first = region_.first_table_word() + 4 * k;
  const std::string address = word("ptr", first), elements = word("i64", first + 1);
  const ElemType index = types_[gathers[k]->operands[1]], type = types_[gathers[k]->results[0]];
  tables_.push_back({address, gather_bound(text_, elements, index), gather_is_far(text_, elements, type)});
  if (by_segments_)
    whole_tables_.push_back({type, index, address, elements, word("ptr", first + 2), word("i64", first + 3)});
}

/// Defines %stream.k for each output k that may be streamed.
void RegionBody::find_streamed() {
  std::string bits;
  for (std::size_t k = 0; k < region_.outputs.size(); ++k) {
    if (!may_stream(k)) continue;
    if (bits.empty()) bits = word("i64", region_.stream_word());
    const std::string bit = text_.define(fmt::format("and i64 {}, {}", bits, std::uint64_t{1} << k));
    text_.line(fmt::format("%stream.{} = icmp ne i64 {}, 0", k, bit));
  }
}

/// Loads the words of an input that is generated per segment; must be called for all such inputs in order.
void RegionBody::add_made(const Region::Input& input) {
  text_.line(fmt::format("; {}", kernel_.values[input.value].name));
  const auto number = static_cast<std::size_t>(&input - region_.inputs.data());
  const std::size_t first = made_words_;
  made_words_ += input.made_words();
  MadeInputWriter::Words words;
  words.segments = word("ptr", number);
  words.step = word("i64", first);
  if (input.made == Region::Generated::kProgression) words.stride = word("ptr", first + 1);
  if (input.made == Region::Generated::kSlice) {
    words.table = word("ptr", first + 1);
    words.length = word("i64", first + 2);
  }
  made_.emplace_back(input, types_[input.value], types_[input.segments], std::move(words));
}

// Segments of a loop nest.

std::string RegionBody::enter_segment(const std::string& k, const std::string& start, const std::string& begin,
                                      const std::string& end) {
  std::string inside;
  enter_tables(k);
  for (MadeInputWriter& made : made_) {
    text_.line(fmt::format("; {}", kernel_.values[made.input().value].name));
    const std::string here = made.enter_segment(text_, k, start, begin, end);
    if (made.input().made == Region::Generated::kSpread && is_divisor(region_, types_, made.input().value))
      lower_divisor(text_, made.spread());
    if (!here.empty()) inside = inside.empty() ? here : text_.define(fmt::format("and i1 {}, {}", inside, here));
  }
  return inside;
}

/// Restricts tables to their segment `k`.
void RegionBody::enter_tables(const std::string& k) {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const WholeTable& whole = whole_tables_[t];
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
    tables_[t].address = text_.define(fmt::format("select i1 {}, ptr {}, ptr {}", some, first, whole.address));
    tables_[t].bound = gather_bound(text_, text_.define(fmt::format("sub i64 {}, {}", stop, start)), whole.index);
  }
}

void RegionBody::store_identity(const std::string& k, const std::string& is_empty) {
  for (std::size_t f = 0; f < region_.folds.size(); ++f) {
    const vcode::Kernel::Step& step = *region_.folds[f].step;
    const ElemType type = types_[step.operands[0]];
    const vcode::Monoid monoid = vcode::info(step.op).monoid;
    const std::string nothing = text_.define(fmt::format("select i1 {0}, {1} {2}, {1} {3}", is_empty, text_.type(type),
                                                         empty_value_lanes(text_, monoid, type).text,
                                                         identity_lanes(text_, monoid, type).text));
    folds_.store(f, {nothing, type}, text_.lanes(), sum_address(f, k));
  }
}

void RegionBody::store_folds(const std::string& k, const State& state, const std::string& count) {
  const std::vector<LaneValue> results = folds_.end(std::span(state).subspan(1), count);
  for (std::size_t f = 0; f < results.size(); ++f) folds_.store(f, results[f], 1, sum_address(f, k));
}

/// Address of the result of a fold for segment `k`.
std::string RegionBody::sum_address(std::size_t fold, const std::string& k) {
  const Region::Fold& f = region_.folds[fold];
  if (f.is_carry()) return sums_[fold];
  return text_.define(
      fmt::format("getelementptr {}, ptr {}, i64 {}", LlvmText::stored(types_[f.step->operands[0]]), sums_[fold], k));
}

// Computation of elements.

void RegionBody::compute(std::string_view e, const std::string& mask, State& state) {
  load_inputs(e, mask);
  if (mask.empty() && hides_what_is_next()) fetch_inputs_ahead(e);
  std::size_t table = 0, scan = 0, pack = 0, scatter = 0;
  const auto add_faults = [&](const std::string& faults) { state[0].text = combine("or", state[0].text, faults); };
  for (const vcode::Kernel::Step* step : region_.steps) {
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
      add_faults(scatters_.add(scatter++, values_[a], values_[step->operands[1]], hashes(state), mask));
      continue;
    }
    const bool gathers = producer == vcode::Producer::kGather;
    if (gathers && (mask.empty() || by_segments_)) fetch_gathered_ahead(*step, tables_[table], e);
    LoweredOperation lowered = gathers ? gather(*step, tables_[table++], mask) : map(*step);
    values_[result] = lowered.value;
    if (lowered.faults.empty()) continue;
    if (!mask.empty()) lowered.faults = combine("and", lowered.faults, mask);
    add_faults(lowered.faults);
  }
  folds_.add(sums(state), values_, mask);
  store_outputs(e, mask);
}

void RegionBody::load_inputs(std::string_view e, const std::string& mask) {
  auto made = made_.begin();
  for (const Region::Input& input : region_.inputs) {
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

void RegionBody::store_outputs(std::string_view e, const std::string& mask) {
  for (std::size_t k = 0; k < region_.outputs.size(); ++k) {
    const Region::Output& output = region_.outputs[k];
    if (by_segments_ && output.folded) continue;
    const std::string to = address(output.value, e);
    if (mask.empty() && may_stream(k))
      lower_stream_or_store(text_, values_[output.value], to, fmt::format("%stream.{}", k));
    else
      lower_store(text_, values_[output.value], to, mask);
  }
}

LoweredOperation RegionBody::map(const vcode::Kernel::Step& step) {
  std::array<LaneValue, 3> operands;
  VC_CHECK(step.operands.size() <= operands.size());
  for (std::size_t k = 0; k < step.operands.size(); ++k) operands[k] = values_[step.operands[k]];
  return lower_elementwise(text_, step.op, step.suffix, types_[step.results[0]], operands);
}

LoweredOperation RegionBody::gather(const vcode::Kernel::Step& step, const GatherTable& table,
                                    const std::string& mask) {
  const bool flagged = vcode::info(step.op).signature.operands[2].type == vcode::RoleType::kBool;
  return lower_gather(text_, table, types_[step.results[0]], values_[step.operands[1]],
                      flagged ? &values_[step.operands[2]] : nullptr, mask, strides_[step.operands[1]]);
}

std::string RegionBody::combine(std::string_view instruction, const std::string& x, const std::string& y) {
  return text_.define(fmt::format("{} {} {}, {}", instruction, text_.type(ElemType::kB8), x, y));
}

// Prefetching.

/// Prefetches the cache lines of inputs that the loop reads some iterations later.
void RegionBody::fetch_inputs_ahead(std::string_view e) {
  for (const Region::Input& input : region_.inputs)  // the elements after a slice are not read next
    if (!is_made(input)) fetch_ahead(text_, types_[input.value], address(input.value, e), kRegionAheadBytes);
}

/// Prefetches the elements that will be gathered at the indices that the loop reads some iterations later.
void RegionBody::fetch_gathered_ahead(const vcode::Kernel::Step& step, const GatherTable& table, std::string_view e) {
  const KernelVar index = step.operands[1];
  const auto is_index = [&](const Region::Input& input) { return input.value == index && !is_made(input); };
  if (std::none_of(region_.inputs.begin(), region_.inputs.end(), is_index)) return;
  const std::string ahead = text_.define(fmt::format("add i64 {}, {}", e, kFarElements));
  const std::string stop = text_.define(fmt::format("add i64 {}, {}", ahead, text_.lanes()));
  const std::string inside = text_.define(fmt::format("icmp sle i64 {}, {}", stop, range_end_));
  fetch_gathered(text_, table, types_[step.results[0]], types_[index], address(index, ahead), inside);
}

}  // namespace cvl::cpu

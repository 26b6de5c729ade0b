#include "native/region_code.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/tuning.h"
#include "native/lower_elementwise.h"
#include "native/lower_gather.h"
#include "vcode/check.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;

bool Region::has_flat_form() const {
  return !folds.empty() || std::any_of(inputs.begin(), inputs.end(),
                                       [](const Input& input) { return input.spread || input.progression; });
}

std::size_t Region::most_words() const {
  const auto progressions =
      std::count_if(inputs.begin(), inputs.end(), [](const Input& input) { return input.progression; });
  return inputs.size() + outputs.size() + 1 + 2 * tables.size() + folds.size() + static_cast<std::size_t>(progressions);
}

namespace {

/// Accumulators of a fold of floats; element e goes to accumulator (e / lanes of a line) mod kSums.
constexpr int kSums = 4;
constexpr int kLineBytes = 64;

int line_lanes(ElemType type) { return kLineBytes / static_cast<int>(elem_size(type)); }

/// The result of INDEX over one segment: element e is start + e * stride.
struct Progression {
  std::string start, stride;  ///< elements
  std::string lanes;          ///< multiples of the stride: 0 in the first lane
};

class RegionWriter {
 public:
  RegionWriter(const vcode::Kernel& kernel, const Region& region, std::span<const ElemType> types, bool is_flat,
               const NativeTarget& target)
      : kernel_(kernel),
        region_(region),
        types_(types),
        is_flat_(is_flat),
        lanes_(lanes(target)),
        text_(target, lanes_) {
    values_.resize(types.size());
    addresses_.resize(types.size());
    if (is_flat) folds_ = region.folds;
  }

  std::string write(const std::string& name) {
    text_.label("entry");
    for (std::size_t k = 0; k < region_.inputs.size(); ++k) place(region_.inputs[k].value, k);
    for (std::size_t k = 0; k < region_.outputs.size(); ++k) place(region_.outputs[k].value, region_.inputs.size() + k);
    for (const Region::Input& input : region_.inputs)
      if (is_uniform(input)) spread(input.value);
    if (is_flat_) add_progressions();
    for (std::size_t k = 0; k < region_.tables.size(); ++k) add_table(k);
    find_streamed();
    const std::vector<LaneValue> start = initial_state();
    const int n = lanes_;
    text_.line(fmt::format("%last = sub i64 %end, {}", n));
    text_.line("%any = icmp sle i64 %begin, %last");
    text_.line("br i1 %any, label %loop, label %rest");

    text_.label("loop");
    const std::size_t place = text_.body().size();
    state_ = named("loop");
    block_ = "loop";
    compute("%e", "");
    text_.line(fmt::format("%next = add i64 %e, {}", n));
    text_.line("%more = icmp sle i64 %next, %last");
    text_.line("br i1 %more, label %loop, label %rest");
    const std::vector<LaneValue> next = state_;
    for (std::size_t k = next.size(); k-- > 0;) text_.insert(place, phi("loop", k, start[k], "entry", next[k], block_));
    text_.insert(place, fmt::format("%e = phi i64 [ %begin, %entry ], [ %next, %{} ]", block_));

    text_.label("rest");
    text_.line(fmt::format("%r = phi i64 [ %begin, %entry ], [ %next, %{} ]", block_));
    for (std::size_t k = 0; k < next.size(); ++k) text_.line(phi("rest", k, start[k], "entry", next[k], block_));
    text_.line("%left = icmp slt i64 %r, %end");
    text_.line("br i1 %left, label %tail, label %done");

    text_.label("tail");
    const std::vector<LaneValue> rest = state_ = named("rest");
    compute("%r", present());
    text_.line("br label %done");

    text_.label("done");
    for (std::size_t k = 0; k < rest.size(); ++k) text_.line(phi("done", k, rest[k], "rest", state_[k], "tail"));
    state_ = named("done");
    const std::string bad =
        text_.call("i1", fmt::format("llvm.vector.reduce.or.v{}i1", n), bits(), bits() + " " + state_[0].text);
    end_folds();
    text_.line(fmt::format("ret i1 {}", bad));
    return fmt::format("define i1 @\"{}\"(ptr %vectors, i64 %begin, i64 %end) #0 {{\n{}}}\n\n", name, text_.body());
  }
  const std::set<std::string>& declarations() const { return text_.declarations(); }

 private:
  /// As many as a register, or a line, has of the narrowest numbers.
  int lanes(const NativeTarget& target) const {
    std::size_t size = 8;
    const auto see = [&](KernelVar v) {
      if (types_[v] != ElemType::kB8) size = std::min(size, elem_size(types_[v]));
    };
    for (const vcode::Kernel::Step* step : region_.steps) see(step->results[0]);
    for (const Region::Input& input : region_.inputs) see(input.value);
    const bool in_order = is_flat_ && std::any_of(region_.folds.begin(), region_.folds.end(), [&](const auto& fold) {
                            return LlvmText::is_float(operand_type(fold));
                          });
    return (in_order ? kLineBytes : target.register_bytes) / static_cast<int>(size);
  }

  ElemType operand_type(const Region::Fold& fold) const { return types_[fold.step->operands[0]]; }
  vcode::Monoid monoid(const Region::Fold& fold) const { return vcode::info(fold.step->op).monoid; }
  /// Accumulators of a fold, and the lanes of each.
  int sums(const Region::Fold& fold) const { return LlvmText::is_float(operand_type(fold)) ? kSums : 1; }
  int sum_lanes(const Region::Fold& fold) const { return sums(fold) > 1 ? line_lanes(operand_type(fold)) : lanes_; }

  /// What passes from one round of the loop to the next before there was any: lanes at fault, then the accumulators.
  std::vector<LaneValue> initial_state() {
    std::vector<LaneValue> state = {{"zeroinitializer", ElemType::kB8}};
    state_types_ = {bits()};
    for (const Region::Fold& fold : folds_) {
      const ElemType type = operand_type(fold);
      state.insert(state.end(), static_cast<std::size_t>(sums(fold)), neutral_lanes(text_, monoid(fold), type));
      state_types_.insert(state_types_.end(), static_cast<std::size_t>(sums(fold)), text_.type(type, sum_lanes(fold)));
    }
    state_ = state;
    return state;
  }
  /// The names of the state at the beginning of a block.
  std::vector<LaneValue> named(std::string_view block) const {
    std::vector<LaneValue> state = state_;
    for (std::size_t k = 0; k < state.size(); ++k) state[k].text = fmt::format("%{}.{}", block, k);
    return state;
  }
  std::string phi(std::string_view block, std::size_t k, const LaneValue& a, std::string_view from, const LaneValue& b,
                  std::string_view other) const {
    return fmt::format("%{}.{} = phi {} [ {}, %{} ], [ {}, %{} ]", block, k, state_types_[k], a.text, from, b.text,
                       other);
  }

  /// Adds the elements that compute() has computed to the accumulators. The accumulator whose turn it is comes first.
  void fold(const std::string& mask) {
    std::size_t first = 1;
    for (const Region::Fold& f : folds_) {
      LaneValue x = values_[f.step->operands[0]];
      const std::string t = text_.type(x.type);
      if (!mask.empty())
        x = text_.define(x.type, fmt::format("select {} {}, {} {}, {} {}", bits(), mask, t, x.text, t,
                                             neutral_lanes(text_, monoid(f), x.type).text));
      const int n = sum_lanes(f), count = sums(f);
      std::vector<LaneValue> parts;
      for (int k = 0; k < lanes_; k += n) parts.push_back(text_.part(x, k, n));
      VC_CHECK(std::ssize(parts) <= count);
      text_.set_lanes(n);
      const auto begin = state_.begin() + static_cast<std::ptrdiff_t>(first);
      for (std::size_t k = 0; k < parts.size(); ++k)
        begin[static_cast<std::ptrdiff_t>(k)] =
            lower_combination(text_, monoid(f), parts[k], begin[static_cast<std::ptrdiff_t>(k)]);
      std::rotate(begin, begin + std::ssize(parts) % count, begin + count);
      text_.set_lanes(lanes_);
      first += static_cast<std::size_t>(count);
    }
  }

  /// Combines accumulators and lanes in the order of fold(), and stores the results.
  void end_folds() {
    std::size_t first = 1;
    for (std::size_t k = 0; k < folds_.size(); ++k) {
      const Region::Fold& f = folds_[k];
      std::vector<LaneValue> sum(state_.begin() + static_cast<std::ptrdiff_t>(first),
                                 state_.begin() + static_cast<std::ptrdiff_t>(first) + sums(f));
      first += sum.size();
      int n = sum_lanes(f);
      text_.set_lanes(n);
      if (sum.size() > 1) {
        turn_back(sum, n);
        const auto join = [&](const LaneValue& a, const LaneValue& b) {
          return lower_combination(text_, monoid(f), a, b);
        };
        sum[0] = join(join(sum[0], sum[1]), join(sum[2], sum[3]));
      }
      for (; n > 1; n /= 2) {
        const LaneValue low = text_.part(sum[0], 0, n / 2), high = text_.part(sum[0], n / 2, n / 2);
        text_.set_lanes(n / 2);
        sum[0] = lower_combination(text_, monoid(f), low, high);
      }
      store_fold(first_table() + 2 * region_.tables.size() + k, sum[0]);
    }
    text_.set_lanes(lanes_);
  }

  /// Puts first the accumulator that was first at the beginning.
  void turn_back(std::vector<LaneValue>& sum, int n) {
    const std::string count = text_.define("sub i64 %end, %begin");
    const std::string rounds = text_.define(
        fmt::format("udiv i64 {}, {}", text_.define(fmt::format("add i64 {}, {}", count, lanes_ - 1)), lanes_));
    const std::string turns = text_.define(fmt::format("mul i64 {}, {}", rounds, lanes_ / n));
    const std::string t = text_.type(sum[0].type);
    for (const int turn : {1, 2}) {
      const std::string bit = text_.define(fmt::format("and i64 {}, {}", turns, turn));
      const std::string turned = text_.define(fmt::format("icmp ne i64 {}, 0", bit));
      const std::vector<LaneValue> before = sum;
      for (int k = 0; k < kSums; ++k) {
        const LaneValue& other = before[static_cast<std::size_t>((k + kSums - turn) % kSums)];
        LaneValue& mine = sum[static_cast<std::size_t>(k)];
        mine.text = text_.define(fmt::format("select i1 {}, {} {}, {} {}", turned, t, other.text, t, mine.text));
      }
    }
  }

  /// Stores the only lane to the Slot whose address is vector k.
  void store_fold(std::size_t k, const LaneValue& lane) {
    std::string value = text_.define(fmt::format("extractelement {} {}, i64 0", text_.type(lane.type), lane.text));
    if (lane.type == ElemType::kB8) value = text_.define(fmt::format("zext i1 {} to i8", value));
    text_.line(fmt::format("store {} {}, ptr {}", LlvmText::stored(lane.type), value, word("ptr", k)));
  }

  std::string bits() const { return text_.type(ElemType::kB8); }
  bool is_uniform(const Region::Input& input) const { return is_flat_ && input.spread; }
  /// Whether an input is computed, not loaded.
  bool is_made(const Region::Input& input) const { return is_flat_ && (input.spread || input.progression); }

  /// Loads the address of vector k.
  void place(KernelVar v, std::size_t k) {
    text_.line(fmt::format("; {}", kernel_.values[v].name));
    addresses_[v] = word("ptr", k);
  }
  /// Loads the k-th of `vectors`.
  std::string word(std::string_view type, std::size_t k) {
    const std::string slot = text_.define(fmt::format("getelementptr ptr, ptr %vectors, i64 {}", k));
    return text_.define(fmt::format("load {}, ptr {}", type, slot));
  }

  /// Loads start and stride of each progression.
  void add_progressions() {
    std::size_t k = first_table() + 2 * region_.tables.size() + region_.folds.size();
    for (const Region::Input& input : region_.inputs) {
      if (!input.progression) continue;
      const std::string_view stored = LlvmText::stored(types_[input.value]);
      const std::string type = text_.type(types_[input.value]);
      const auto load = [&](const std::string& address) {
        return text_.define(fmt::format("load {}, ptr {}", stored, address));
      };
      Progression p{load(addresses_[input.value]), load(word("ptr", k++)), ""};
      std::string numbers;
      for (int lane = 0; lane < lanes_; ++lane) numbers += fmt::format("{}{} {}", lane > 0 ? ", " : "", stored, lane);
      const std::string strides = text_.spread(types_[input.value], p.stride);
      p.lanes = text_.define(fmt::format("mul {} {}, <{}>", type, strides, numbers));
      progressions_.push_back(p);
    }
  }

  /// The elements of a progression from `e` on.
  LaneValue progress(const Progression& p, ElemType type, std::string_view e) {
    const std::string_view stored = LlvmText::stored(type);
    std::string place(e);
    if (type != ElemType::kI64) place = text_.define(fmt::format("trunc i64 {} to {}", e, stored));
    const std::string steps = text_.define(fmt::format("mul {} {}, {}", stored, p.stride, place));
    const std::string first = text_.define(fmt::format("add {} {}, {}", stored, p.start, steps));
    return text_.define(type, fmt::format("add {} {}, {}", text_.type(type), text_.spread(type, first), p.lanes));
  }

  /// The place of the first table in `vectors`: behind the number that tells what is written past the cache.
  std::size_t first_table() const { return region_.inputs.size() + region_.outputs.size() + 1; }
  /// Loads what is known of table k.
  void add_table(std::size_t k) {
    const auto is_gather = [](const auto* step) { return vcode::producer_of(step->op) == vcode::Producer::kGather; };
    std::vector<const vcode::Kernel::Step*> gathers;
    std::copy_if(region_.steps.begin(), region_.steps.end(), std::back_inserter(gathers), is_gather);
    text_.line(fmt::format("; {}, from which elements are gathered", kernel_.values[region_.tables[k].value].name));
    const std::string address = word("ptr", first_table() + 2 * k), elements = word("i64", first_table() + 2 * k + 1);
    tables_.push_back({address, gather_bound(text_, elements, types_[gathers[k]->operands[1]])});
  }

  void spread(KernelVar v) {
    const ElemType type = types_[v];
    const std::string_view stored = LlvmText::stored(type);
    const std::string element = text_.define(fmt::format("load {}, ptr {}", stored, addresses_[v]));
    values_[v] = text_.from_stored(type, text_.spread(type, element));
  }

  std::string element_address(KernelVar v, std::string_view e) {
    return text_.define(fmt::format("getelementptr {}, ptr {}, i64 {}", LlvmText::stored(types_[v]), addresses_[v], e));
  }
  std::string stored_vector(ElemType type) const { return fmt::format("<{} x {}>", lanes_, LlvmText::stored(type)); }

  /// The lanes of the elements before the end, where not all are.
  std::string present() {
    const int n = lanes_;
    std::string numbers;
    for (int k = 0; k < n; ++k) numbers += fmt::format("{}i32 {}", k > 0 ? ", " : "", k);
    const std::string count = text_.define("sub i64 %end, %r");
    const std::string few = text_.define(fmt::format("trunc i64 {} to i32", count));
    const std::string limit = text_.spread(ElemType::kI32, few);
    return text_.define(fmt::format("icmp slt <{} x i32> <{}>, {}", n, numbers, limit));
  }

  LaneValue load(KernelVar v, std::string_view e, const std::string& mask) {
    const ElemType type = types_[v];
    const std::string address = element_address(v, e), vector = stored_vector(type);
    if (mask.empty())
      return text_.from_stored(
          type, text_.define(fmt::format("load {}, ptr {}, align {}", vector, address, elem_size(type))));
    const std::string ones = type == ElemType::kB8 ? "splat (i8 1)" : text_.splat_int(type, 1).text;
    return text_.from_stored(
        type,
        text_.call(vector, fmt::format("llvm.masked.load.{}.p0", text_.stored_overload(type)),
                   fmt::format("ptr, i32, {}, {}", bits(), vector),
                   fmt::format("ptr {}, i32 {}, {} {}, {} {}", address, elem_size(type), bits(), mask, vector, ones)));
  }

  /// Defines %stream.k for each output k that may be streamed.
  void find_streamed() {
    std::string bits;
    for (std::size_t k = 0; k < region_.outputs.size(); ++k) {
      if (!may_stream(k)) continue;
      if (bits.empty()) bits = word("i64", region_.inputs.size() + region_.outputs.size());
      const std::string bit = text_.define(fmt::format("and i64 {}, {}", bits, std::uint64_t{1} << k));
      text_.line(fmt::format("%stream.{} = icmp ne i64 {}, 0", k, bit));
    }
  }
  bool may_stream(std::size_t k) const { return region_.streams(k, types_[region_.outputs[k].value]); }

  /// Stores output k past the cache, if that is asked for, else as ever.
  void stream_or_store(std::size_t k, std::string_view e) {
    const KernelVar v = region_.outputs[k].value;
    const ElemType type = types_[v];
    const std::string vector = stored_vector(type), address = element_address(v, e);
    const std::size_t bytes = static_cast<std::size_t>(lanes_) * elem_size(type);
    text_.line(fmt::format("br i1 %stream.{0}, label %past.{0}, label %near.{0}", k));
    text_.label(fmt::format("past.{}", k));
    text_.line(fmt::format("store {} {}, ptr {}, align {}, !nontemporal !0", vector, values_[v].text, address,
                           std::min<std::size_t>(bytes, kLineBytes)));
    text_.line(fmt::format("br label %stored.{}", k));
    text_.label(fmt::format("near.{}", k));
    text_.line(fmt::format("store {} {}, ptr {}, align {}", vector, values_[v].text, address, elem_size(type)));
    text_.line(fmt::format("br label %stored.{}", k));
    text_.label(fmt::format("stored.{}", k));
    block_ = fmt::format("stored.{}", k);
  }

  void store(KernelVar v, std::string_view e, const std::string& mask) {
    const ElemType type = types_[v];
    const std::string address = element_address(v, e), vector = stored_vector(type);
    std::string value = values_[v].text;
    if (type == ElemType::kB8) value = text_.define(fmt::format("zext {} {} to {}", bits(), value, vector));
    if (mask.empty())
      return text_.line(fmt::format("store {} {}, ptr {}, align {}", vector, value, address, elem_size(type)));
    text_.call("void", fmt::format("llvm.masked.store.{}.p0", text_.stored_overload(type)),
               fmt::format("{}, ptr, i32, {}", vector, bits()),
               fmt::format("{} {}, ptr {}, i32 {}, {} {}", vector, value, address, elem_size(type), bits(), mask));
  }

  /// Has the processor load the lines of inputs that the loop reads some rounds later.
  void fetch_ahead(std::string_view e) {
    for (const Region::Input& input : region_.inputs) {
      if (is_made(input)) continue;
      const std::int64_t bytes = lanes_ * static_cast<std::int64_t>(elem_size(types_[input.value]));
      const std::string address = element_address(input.value, e);
      for (std::int64_t byte = 0; byte < bytes; byte += kLineBytes) {
        const std::string ahead =
            text_.define(fmt::format("getelementptr i8, ptr {}, i64 {}", address, kAheadBytes + byte));
        text_.call("void", "llvm.prefetch.p0", "ptr, i32, i32, i32", fmt::format("ptr {}, i32 0, i32 3, i32 1", ahead));
      }
    }
  }

  LoweredOperation map(const vcode::Kernel::Step& step) {
    std::array<LaneValue, 3> operands;
    VC_CHECK(step.operands.size() <= operands.size());
    for (std::size_t k = 0; k < step.operands.size(); ++k) operands[k] = values_[step.operands[k]];
    return lower_elementwise(text_, step.op, step.suffix, types_[step.results[0]], operands);
  }

  LoweredOperation gather(const vcode::Kernel::Step& step, const GatherTable& table, const std::string& mask) {
    const bool flagged = vcode::info(step.op).signature.operands[2].type == vcode::RoleType::kBool;
    return lower_gather(text_, table, types_[step.results[0]], values_[step.operands[1]],
                        flagged ? &values_[step.operands[2]] : nullptr, mask);
  }

  /// The region for the elements from `e` on; of those in `mask`, if it is not empty.
  void compute(std::string_view e, const std::string& mask) {
    std::size_t progression = 0;
    for (const Region::Input& input : region_.inputs) {
      if (!is_made(input))
        values_[input.value] = load(input.value, e, mask);
      else if (input.progression)
        values_[input.value] = progress(progressions_[progression++], types_[input.value], e);
    }
    if (mask.empty()) fetch_ahead(e);
    std::size_t table = 0;
    for (const vcode::Kernel::Step* step : region_.steps) {
      const KernelVar result = step->results[0];
      text_.line(fmt::format("; {} = {}", kernel_.values[result].name, vcode::info(step->op).text));
      const bool gathers = vcode::producer_of(step->op) == vcode::Producer::kGather;
      LoweredOperation lowered = gathers ? gather(*step, tables_[table++], mask) : map(*step);
      values_[result] = lowered.value;
      if (lowered.faults.empty()) continue;
      if (!mask.empty()) lowered.faults = combine("and", lowered.faults, mask);
      state_[0].text = combine("or", state_[0].text, lowered.faults);
    }
    fold(mask);
    for (std::size_t k = 0; k < region_.outputs.size(); ++k) {
      const Region::Output& output = region_.outputs[k];
      if (is_flat_ && output.folded) continue;
      if (mask.empty() && may_stream(k))
        stream_or_store(k, e);
      else
        store(output.value, e, mask);
    }
  }

  std::string combine(std::string_view instruction, const std::string& x, const std::string& y) {
    return text_.define(fmt::format("{} {} {}, {}", instruction, bits(), x, y));
  }

  const vcode::Kernel& kernel_;
  const Region& region_;
  std::span<const ElemType> types_;
  bool is_flat_;
  int lanes_;  ///< elements that are computed together
  LlvmText text_;
  std::vector<LaneValue> values_;          ///< of the kernel, as far as they are in registers
  std::vector<std::string> addresses_;     ///< of inputs and outputs
  std::vector<GatherTable> tables_;        ///< of the gathers among the steps, in order
  std::vector<Progression> progressions_;  ///< among the inputs, in order
  std::vector<Region::Fold> folds_;        ///< that this function does
  /// What passes from one round of the loop to the next: lanes at fault, then the accumulators of all folds.
  std::vector<LaneValue> state_;
  std::vector<std::string> state_types_;
  std::string block_;  ///< where the loop's instructions are written at the moment
};

}  // namespace

void NativeModule::add(const std::string& name, const vcode::Kernel& kernel, const Region& region,
                       std::span<const ElemType> types, bool is_flat) {
  RegionWriter writer(kernel, region, types, is_flat, target_);
  functions_ += writer.write(name);
  declarations_.insert(writer.declarations().begin(), writer.declarations().end());
}

std::string NativeModule::text() const {
  const int bits = 8 * target_.register_bytes;
  return fmt::format(
      "{}{}\n!0 = !{{i32 1}}\nattributes #0 = {{ nounwind \"target-cpu\"=\"{}\" \"prefer-vector-width\"=\"{}\" "
      "\"min-legal-vector-width\"=\"{}\" }}\n",
      functions_, fmt::join(declarations_, "\n"), target_.cpu, bits, bits);
}

}  // namespace cvl::cpu

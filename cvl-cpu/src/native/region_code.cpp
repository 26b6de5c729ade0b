#include "native/region_code.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/tuning.h"
#include "native/lower_elementwise.h"
#include "native/lower_folds.h"
#include "native/lower_gather.h"
#include "native/lower_made_input.h"
#include "vcode/check.h"

namespace cvl::cpu {

using vcode::KernelVar;

bool Region::goes_by_segments() const {
  return !folds.empty() ||
         std::any_of(inputs.begin(), inputs.end(), [](const Input& input) { return input.made != Made::kNot; });
}

std::size_t Region::Input::made_words() const {
  switch (made) {
    case Made::kNot:
      return 0;
    case Made::kSpread:
      return 1;
    case Made::kProgression:
      return 2;
    case Made::kSlice:
      return 3;
  }
  VC_CHECK(!"one of these");
  return 0;
}

std::size_t Region::bounds_word() const {
  return std::accumulate(inputs.begin(), inputs.end(), first_made_word(),
                         [](std::size_t n, const Input& input) { return n + input.made_words(); });
}

namespace {

/// A name as it is written between quotation marks.
std::string quoted(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\')
      text += c;
    else
      text += fmt::format("\\{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

class RegionWriter {
 public:
  RegionWriter(const vcode::Kernel& kernel, const Region& region, std::span<const ElemType> types, bool by_segments,
               const NativeTarget& target)
      : kernel_(kernel),
        region_(region),
        types_(types),
        by_segments_(by_segments),
        lanes_(lanes(target)),
        text_(target, lanes_),
        folds_(text_, by_segments ? std::span(region.folds) : std::span<const Region::Fold>(), types) {
    values_.resize(types.size());
    addresses_.resize(types.size());
  }

  std::string write(const std::string& name) {
    text_.label("entry");
    for (std::size_t k = 0; k < region_.inputs.size(); ++k)
      if (!is_made(region_.inputs[k])) place(region_.inputs[k].value, k);
    for (std::size_t k = 0; k < region_.outputs.size(); ++k) place(region_.outputs[k].value, region_.inputs.size() + k);
    for (std::size_t k = 0; k < region_.tables.size(); ++k) add_table(k);
    find_streamed();
    state_types_ = folds_.state_types();
    state_types_.insert(state_types_.begin(), bits());
    if (by_segments_) {
      write_segments();
    } else {
      state_ = {no_faults()};
      write_range("entry");
      write_return(state_[0].text);
    }
    return fmt::format("define i1 @\"{}\"(ptr %vectors, i64 %{}, i64 %{}) #0 {{\n{}}}\n\n", quoted(name),
                       by_segments_ ? "first" : "begin", by_segments_ ? "last" : "end", text_.body());
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
    const bool in_order =
        by_segments_ && std::any_of(region_.folds.begin(), region_.folds.end(), [&](const auto& fold) {
          return LlvmText::is_float(types_[fold.step->operands[0]]);
        });
    return (in_order ? kLineBytes : target.register_bytes) / static_cast<int>(size);
  }

  LaneValue no_faults() const { return {"zeroinitializer", ElemType::kB8}; }

  /// Computes the elements from begin_ to end_, in blocks behind that of this name, from the state there is; leaves it
  /// as it is afterwards, in the block %done.
  void write_range(const std::string& before) {
    const std::vector<LaneValue> start = state_;
    const int n = lanes_;
    text_.line(fmt::format("%tail.begin = sub i64 {}, {}", end_, n));
    text_.line(fmt::format("%any = icmp sle i64 {}, %tail.begin", begin_));
    text_.line("br i1 %any, label %loop, label %rest");

    text_.label("loop");
    const std::size_t place = text_.body().size();
    state_ = named("loop");
    compute("%e", "");
    text_.line(fmt::format("%next = add i64 %e, {}", n));
    text_.line("%more = icmp sle i64 %next, %tail.begin");
    text_.line("br i1 %more, label %loop, label %rest");
    const std::vector<LaneValue> next = state_;
    const std::string end_of_loop = text_.block();
    for (std::size_t k = next.size(); k-- > 0;)
      text_.insert(place, phi("loop", k, start[k], before, next[k], end_of_loop));
    text_.insert(place, fmt::format("%e = phi i64 [ {}, %{} ], [ %next, %{} ]", begin_, before, end_of_loop));

    text_.label("rest");
    text_.line(fmt::format("%r = phi i64 [ {}, %{} ], [ %next, %{} ]", begin_, before, end_of_loop));
    for (std::size_t k = 0; k < next.size(); ++k) text_.line(phi("rest", k, start[k], before, next[k], end_of_loop));
    text_.line(fmt::format("%left = icmp slt i64 %r, {}", end_));
    text_.line("br i1 %left, label %tail, label %done");

    text_.label("tail");
    const std::vector<LaneValue> rest = state_ = named("rest");
    compute("%r", present());
    const std::string end_of_tail = text_.block();
    text_.line("br label %done");

    text_.label("done");
    for (std::size_t k = 0; k < rest.size(); ++k) text_.line(phi("done", k, rest[k], "rest", state_[k], end_of_tail));
    state_ = named("done");
  }

  /// Computes segments %first to %last, each from where it begins, or the range begins.
  void write_segments() {
    for (const Region::Input& input : region_.inputs)
      if (is_made(input)) add_made(input);
    std::vector<std::string> sums;
    for (std::size_t k = 0; k < region_.folds.size(); ++k) sums.push_back(word("ptr", region_.first_fold_word() + k));
    const std::size_t bounds = region_.bounds_word();
    const std::string starts = word("ptr", bounds), from = word("i64", bounds + 1), to = word("i64", bounds + 2);
    range_end_ = to;
    text_.line("br label %segment");

    text_.label("segment");
    text_.line("%k = phi i64 [ %first, %entry ], [ %following, %closed ]");
    text_.line(fmt::format("%bad = phi {} [ zeroinitializer, %entry ], [ %bad.so.far, %closed ]", bits()));
    const std::string bound = text_.define(fmt::format("getelementptr i64, ptr {}, i64 %k", starts));
    text_.line(fmt::format("%start = load i64, ptr {}", bound));
    text_.line(
        fmt::format("%stop = load i64, ptr {}", text_.define(fmt::format("getelementptr i64, ptr {}, i64 1", bound))));
    begin_ = text_.call("i64", "llvm.smax.i64", "i64, i64", fmt::format("i64 %start, i64 {}", from));
    end_ = text_.call("i64", "llvm.smin.i64", "i64, i64", fmt::format("i64 %stop, i64 {}", to));
    const auto address_of_sum = [&](std::size_t fold) {
      const Region::Fold& f = region_.folds[fold];
      if (f.is_carry()) return sums[fold];
      return text_.define(
          fmt::format("getelementptr {}, ptr {}, i64 %k", LlvmText::stored(types_[f.step->operands[0]]), sums[fold]));
    };
    text_.line(fmt::format("%some = icmp slt i64 {}, {}", begin_, end_));
    text_.line("br i1 %some, label %open, label %none");

    text_.label("none");
    const std::string empty = text_.define("icmp eq i64 %start, %stop");
    for (std::size_t k = 0; k < region_.folds.size(); ++k) {
      const vcode::Kernel::Step& step = *region_.folds[k].step;
      const ElemType type = types_[step.operands[0]];
      const vcode::Monoid monoid = vcode::info(step.op).monoid;
      const std::string nothing =
          text_.define(fmt::format("select i1 {0}, {1} {2}, {1} {3}", empty, text_.type(type),
                                   identity_lanes(text_, monoid, type).text, neutral_lanes(text_, monoid, type).text));
      folds_.store(k, {nothing, type}, lanes_, address_of_sum(k));
    }
    text_.line("br label %closed");

    text_.label("open");
    std::string before = "open", inside;
    for (MadeInputWriter& made : made_) {
      text_.line(fmt::format("; {}", kernel_.values[made.input().value].name));
      const std::string here = made.enter_segment(text_, "%k", "%start", begin_, end_);
      if (made.input().made == Region::Made::kSpread && is_divisor(made.input().value))
        lower_divisor(text_, made.spread());
      if (!here.empty()) inside = inside.empty() ? here : text_.define(fmt::format("and i1 {}, {}", inside, here));
    }
    if (!inside.empty()) {
      before = "inside";
      text_.line(fmt::format("br i1 {}, label %inside, label %outside", inside));
      text_.label("inside");
    }
    state_ = folds_.initial();
    state_.insert(state_.begin(), {"%bad", ElemType::kB8});
    write_range(before);
    const std::string count = text_.define(fmt::format("sub i64 {}, {}", end_, begin_));
    const std::vector<LaneValue> results = folds_.end(std::span(state_).subspan(1), count);
    for (std::size_t k = 0; k < results.size(); ++k) folds_.store(k, results[k], 1, address_of_sum(k));
    text_.line("br label %closed");

    text_.label("closed");
    text_.line(fmt::format("%bad.so.far = phi {} [ %bad, %none ], [ {}, %done ]", bits(), state_[0].text));
    text_.line("%following = add i64 %k, 1");
    text_.line("%again = icmp sle i64 %following, %last");
    text_.line("br i1 %again, label %segment, label %finish");
    text_.label("finish");
    write_return("%bad.so.far");
    if (inside.empty()) return;
    text_.label("outside");
    text_.line("ret i1 true");
  }

  void write_return(const std::string& faults) {
    const std::string bad = text_.call("i1", fmt::format("llvm.vector.reduce.or.v{}i1", lanes_), bits(),
                                       fmt::format("{} {}", bits(), faults));
    text_.line(fmt::format("ret i1 {}", bad));
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

  std::string bits() const { return text_.type(ElemType::kB8); }
  bool is_made(const Region::Input& input) const { return by_segments_ && input.made != Region::Made::kNot; }

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

  /// Loads what is known of an input that is made from an element for each segment; of all such inputs in order.
  void add_made(const Region::Input& input) {
    text_.line(fmt::format("; {}", kernel_.values[input.value].name));
    const auto number = static_cast<std::size_t>(&input - region_.inputs.data());
    const std::size_t first = made_words_;
    made_words_ += input.made_words();
    MadeInputWriter::Words words;
    words.segments = word("ptr", number);
    words.step = word("i64", first);
    if (input.made == Region::Made::kProgression) words.stride = word("ptr", first + 1);
    if (input.made == Region::Made::kSlice) {
      words.table = word("ptr", first + 1);
      words.length = word("i64", first + 2);
    }
    made_.emplace_back(input, types_[input.value], types_[input.segments], std::move(words));
  }

  /// Loads what is known of table k.
  void add_table(std::size_t k) {
    const auto is_gather = [](const auto* step) { return vcode::producer_of(step->op) == vcode::Producer::kGather; };
    std::vector<const vcode::Kernel::Step*> gathers;
    std::copy_if(region_.steps.begin(), region_.steps.end(), std::back_inserter(gathers), is_gather);
    text_.line(fmt::format("; {}, from which elements are gathered", kernel_.values[region_.tables[k].value].name));
    const std::size_t first = region_.first_table_word() + 2 * k;
    const std::string address = word("ptr", first), elements = word("i64", first + 1);
    const ElemType index = types_[gathers[k]->operands[1]], type = types_[gathers[k]->results[0]];
    tables_.push_back({address, gather_bound(text_, elements, index), gather_is_far(text_, elements, type)});
  }

  /// Whether a step divides integers by this value.
  bool is_divisor(KernelVar v) const {
    return std::any_of(region_.steps.begin(), region_.steps.end(), [&](const vcode::Kernel::Step* step) {
      return step->operands.back() == v && divides_by_reciprocal(step->op, types_[v]);
    });
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
    const std::string count = text_.define(fmt::format("sub i64 {}, %r", end_));
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
      if (bits.empty()) bits = word("i64", region_.stream_word());
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
      if (is_made(input)) continue;  // the elements behind a slice are not the next ones
      const std::int64_t bytes = lanes_ * static_cast<std::int64_t>(elem_size(types_[input.value]));
      const std::string address = element_address(input.value, e);
      for (std::int64_t byte = 0; byte < bytes; byte += kLineBytes) {
        const std::string ahead =
            text_.define(fmt::format("getelementptr i8, ptr {}, i64 {}", address, kAheadBytes + byte));
        text_.call("void", "llvm.prefetch.p0", "ptr, i32, i32, i32", fmt::format("ptr {}, i32 0, i32 3, i32 1", ahead));
      }
    }
  }

  /// The same for what gathers read, at indices that the loop reads some rounds later.
  void fetch_gathered_ahead(const vcode::Kernel::Step& step, const GatherTable& table, std::string_view e) {
    const KernelVar index = step.operands[1];
    const auto is_index = [&](const Region::Input& input) { return input.value == index && !is_made(input); };
    if (std::none_of(region_.inputs.begin(), region_.inputs.end(), is_index)) return;
    const std::string ahead = text_.define(fmt::format("add i64 {}, {}", e, kFarElements));
    const std::string stop = text_.define(fmt::format("add i64 {}, {}", ahead, lanes_));
    const std::string inside = text_.define(fmt::format("icmp sle i64 {}, {}", stop, range_end_));
    fetch_gathered(text_, table, types_[step.results[0]], types_[index], element_address(index, ahead), inside);
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
                        flagged ? &values_[step.operands[2]] : nullptr, mask, may_be_run(step.operands[1]));
  }

  /// Whether indices are likely to follow each other, as those of neighbours in a grid do: sums, differences and what
  /// INDEX makes. To find out took two fifths of the time of a gather at random places (decision 045).
  bool may_be_run(KernelVar index) const {
    const auto makes = [&](const vcode::Kernel::Step* step) {
      return step->results[0] == index && (step->op == vcode::Op::kAdd || step->op == vcode::Op::kSubtract);
    };
    const auto is_progression = [&](const Region::Input& input) {
      return input.value == index && input.made == Region::Made::kProgression;
    };
    return std::any_of(region_.steps.begin(), region_.steps.end(), makes) ||
           std::any_of(region_.inputs.begin(), region_.inputs.end(), is_progression);
  }

  /// The region for the elements from `e` on; of those in `mask`, if it is not empty.
  void compute(std::string_view e, const std::string& mask) {
    auto made = made_.begin();
    for (const Region::Input& input : region_.inputs) {
      const KernelVar v = input.value;
      if (!is_made(input)) {
        values_[v] = load(v, e, mask);
        continue;
      }
      if (made->is_loaded()) addresses_[v] = made->address();
      values_[v] = made->is_loaded() ? load(v, e, mask) : made->elements(text_, e);
      ++made;
    }
    if (mask.empty()) fetch_ahead(e);
    std::size_t table = 0;
    for (const vcode::Kernel::Step* step : region_.steps) {
      const KernelVar result = step->results[0];
      text_.line(fmt::format("; {} = {}", kernel_.values[result].name, vcode::info(step->op).text));
      const bool gathers = vcode::producer_of(step->op) == vcode::Producer::kGather;
      if (gathers && (mask.empty() || by_segments_)) fetch_gathered_ahead(*step, tables_[table], e);
      LoweredOperation lowered = gathers ? gather(*step, tables_[table++], mask) : map(*step);
      values_[result] = lowered.value;
      if (lowered.faults.empty()) continue;
      if (!mask.empty()) lowered.faults = combine("and", lowered.faults, mask);
      state_[0].text = combine("or", state_[0].text, lowered.faults);
    }
    folds_.add(std::span(state_).subspan(1), values_, mask);
    for (std::size_t k = 0; k < region_.outputs.size(); ++k) {
      const Region::Output& output = region_.outputs[k];
      if (by_segments_ && output.folded) continue;
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
  bool by_segments_;
  int lanes_;  ///< elements that are computed together
  LlvmText text_;
  FoldWriter folds_;                    ///< that this function does
  std::vector<LaneValue> values_;       ///< of the kernel, as far as they are in registers
  std::vector<std::string> addresses_;  ///< of inputs and outputs
  std::vector<GatherTable> tables_;     ///< of the gathers among the steps, in order
  std::vector<MadeInputWriter> made_;   ///< of the inputs that are made, in order
  std::size_t made_words_ = region_.first_made_word();
  /// What passes from one round of the loop to the next: lanes at fault, then the accumulators of all folds.
  std::vector<LaneValue> state_;
  std::vector<std::string> state_types_;
  std::string begin_ = "%begin", end_ = "%end";  ///< the elements that write_range() computes
  std::string range_end_ = "%end";               ///< of all elements that the function computes
};

}  // namespace

void NativeModule::add(const std::string& name, const vcode::Kernel& kernel, const Region& region,
                       std::span<const ElemType> types, bool by_segments) {
  RegionWriter writer(kernel, region, types, by_segments, target_);
  functions_ += writer.write(name);
  declarations_.insert(writer.declarations().begin(), writer.declarations().end());
}

std::string NativeModule::text() const {
  std::string attributes = fmt::format("nounwind {}\"target-cpu\"=\"{}\"", can_unwind_ ? "uwtable " : "", target_.cpu);
  if (target_.is_x86())  // or LLVM would not use all of a register
    attributes +=
        fmt::format(" \"prefer-vector-width\"=\"{0}\" \"min-legal-vector-width\"=\"{0}\"", 8 * target_.register_bytes);
  return fmt::format("target triple = \"{}\"\n\n{}{}\n!0 = !{{i32 1}}\nattributes #0 = {{ {} }}\n", target_.triple,
                     functions_, fmt::join(declarations_, "\n"), attributes);
}

}  // namespace cvl::cpu

#include "native/region_code.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/tuning.h"
#include "native/lower_elementwise.h"
#include "native/lower_folds.h"
#include "native/lower_gather.h"
#include "native/lower_made_input.h"
#include "native/lower_pack.h"
#include "native/lower_scan.h"
#include "vcode/check.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;

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
        folds_(text_, by_segments ? std::span(region.folds) : std::span<const Region::Fold>(), types),
        scans_(text_, region, types, !by_segments),
        packs_(text_, region, types) {
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
    scans_.load_words();
    packs_.load_words();
    state_types_ = {bits()};
    const auto add_types = [&](const std::vector<std::string>& types) {
      const std::size_t first = state_types_.size();
      state_types_.insert(state_types_.end(), types.begin(), types.end());
      return first;
    };
    add_types(folds_.state_types());
    first_carry_ = add_types(scans_.state_types());
    first_place_ = add_types(packs_.state_types());
    if (by_segments_) {
      write_segments();
    } else {
      begin_state({"zeroinitializer", ElemType::kB8});
      write_range("entry");
      end_state();
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

  /// Computes the elements from begin_ to end_, in blocks behind that of this name, from the state there is; leaves it
  /// as it is afterwards, in the block %done.
  void write_range(const std::string& before) {
    const std::vector<LaneValue> start = state_;
    const int n = lanes_;
    std::string first = begin_;
    if (is_aligned()) first = text_.define(fmt::format("and i64 {}, {}", begin_, -n));
    text_.line(fmt::format("%tail.begin = sub i64 {}, {}", end_, n));
    text_.line("br label %next");

    text_.label("next");
    const std::size_t head = text_.body().size();
    std::string whole = text_.define("icmp sle i64 %n, %tail.begin");
    if (is_aligned())
      whole =
          text_.define(fmt::format("and i1 {}, {}", whole, text_.define(fmt::format("icmp sge i64 %n, {}", begin_))));
    text_.line(fmt::format("br i1 {}, label %loop, label %rest", whole));

    text_.label("loop");
    const std::size_t place = text_.body().size();
    state_ = named("loop");
    compute("%e", "");
    text_.line(fmt::format("%e.next = add i64 %e, {}", n));
    text_.line("%more = icmp sle i64 %e.next, %tail.begin");
    text_.line("br i1 %more, label %loop, label %rest");
    const std::vector<LaneValue> looped = state_;
    const std::string end_of_loop = text_.block();
    insert_phis(place, "loop", "e", "%n", named("next"), "next", "%e.next", looped, end_of_loop);

    text_.label("rest");
    insert_phis(text_.body().size(), "rest", "r", "%n", named("next"), "next", "%e.next", looped, end_of_loop);
    text_.line(fmt::format("%left = icmp slt i64 %r, {}", end_));
    text_.line("br i1 %left, label %tail, label %done");

    text_.label("tail");
    state_ = named("rest");
    compute("%r", present());
    text_.line(fmt::format("%r.next = add i64 %r, {}", n));
    text_.line("br label %next");
    insert_phis(head, "next", "n", first, start, before, "%r.next", state_, text_.block());

    text_.label("done");
    state_ = named("rest");
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
    enter_tables();
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
    begin_state({"%bad", ElemType::kB8});
    write_range(before);
    end_state();
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
  /// At the beginning of a block, which is this place in the text: the number of an element and the state as they come
  /// from two others.
  void insert_phis(std::size_t place, std::string_view block, std::string_view element, std::string_view a,
                   const std::vector<LaneValue>& state, std::string_view from, std::string_view b,
                   const std::vector<LaneValue>& other_state, std::string_view other) {
    const auto insert = [&](const std::string& name, const std::string& type, std::string_view x, std::string_view y) {
      text_.insert(place, fmt::format("%{} = phi {} [ {}, %{} ], [ {}, %{} ]", name, type, x, from, y, other));
    };
    for (std::size_t k = state.size(); k-- > 0;)
      insert(fmt::format("{}.{}", block, k), state_types_[k], state[k].text, other_state[k].text);
    insert(std::string(element), "i64", a, b);
  }

  /// Whether vectors begin at multiples of the number of lanes. A tile over one segment does.
  bool is_aligned() const { return !by_segments_ && !region_.scans.empty(); }
  /// Makes the state that before there are elements; writes what is left of it behind them to where the words say.
  void begin_state(const LaneValue& faults) {
    state_ = {faults};
    for (const auto& part : {folds_.initial(), scans_.initial(), packs_.initial()})
      state_.insert(state_.end(), part.begin(), part.end());
  }
  void end_state() {
    scans_.end(carries());
    packs_.end(places());
  }
  std::span<LaneValue> carries() { return std::span(state_).subspan(first_carry_, first_place_ - first_carry_); }
  std::span<LaneValue> places() { return std::span(state_).subspan(first_place_); }

  std::string bits() const { return text_.type(ElemType::kB8); }
  bool is_made(const Region::Input& input) const { return by_segments_ && input.made != Region::Made::kNot; }

  /// Loads the address of vector k.
  void place(KernelVar v, std::size_t k) {
    text_.line(fmt::format("; {}", kernel_.values[v].name));
    addresses_[v] = word("ptr", k);
  }
  std::string word(std::string_view type, std::size_t k) { return load_word(text_, type, k); }

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
    const std::size_t first = region_.first_table_word() + 4 * k;
    const std::string address = word("ptr", first), elements = word("i64", first + 1);
    const ElemType index = types_[gathers[k]->operands[1]], type = types_[gathers[k]->results[0]];
    tables_.push_back({address, gather_bound(text_, elements, index), gather_is_far(text_, elements, type)});
    if (by_segments_)
      whole_tables_.push_back({type, index, address, elements, word("ptr", first + 2), word("i64", first + 3)});
  }
  /// Makes tables those of segment %k.
  void enter_tables() {
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      const WholeTable& whole = whole_tables_[t];
      const std::string number = text_.define(fmt::format("mul i64 %k, {}", whole.step));
      const std::string bound = text_.define(fmt::format("getelementptr i64, ptr {}, i64 {}", whole.starts, number));
      const std::string next = text_.define(fmt::format("getelementptr i64, ptr {}, i64 1", bound));
      const std::string start = text_.define(fmt::format("load i64, ptr {}", bound));
      const std::string stop =
          text_.call("i64", "llvm.smin.i64", "i64, i64",
                     fmt::format("i64 {}, i64 {}", text_.define("load i64, ptr " + next), whole.elements));
      // Lanes at fault may read the first element: if there is none, any other one.
      const std::string first = element_address(text_, whole.type, whole.address, start);
      const std::string some = text_.define(fmt::format("icmp slt i64 {}, {}", start, stop));
      tables_[t].address = text_.define(fmt::format("select i1 {}, ptr {}, ptr {}", some, first, whole.address));
      tables_[t].bound = gather_bound(text_, text_.define(fmt::format("sub i64 {}, {}", stop, start)), whole.index);
    }
  }

  /// Whether a step divides integers by this value.
  bool is_divisor(KernelVar v) const {
    return std::any_of(region_.steps.begin(), region_.steps.end(), [&](const vcode::Kernel::Step* step) {
      return step->operands.back() == v && divides_by_reciprocal(step->op, types_[v]);
    });
  }

  std::string address(KernelVar v, std::string_view e) { return element_address(text_, types_[v], addresses_[v], e); }

  /// The lanes of the elements from %r on that are in the range, where not all are.
  std::string present() {
    const auto lanes_to = [&](std::string_view predicate, const std::string& element) {
      return lanes_that(text_, predicate, text_.define(fmt::format("sub i64 {}, %r", element)));
    };
    const std::string before_end = lanes_to("slt", end_);
    return is_aligned() ? combine("and", before_end, lanes_to("sge", begin_)) : before_end;
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

  /// Whether the loop keeps the processor from seeing far enough ahead. Where it does not, prefetching is slower.
  bool hides_what_is_next() const { return !region_.tables.empty() || !region_.scans.empty(); }

  /// Has the processor load the lines of inputs that the loop reads some rounds later.
  void fetch_inputs_ahead(std::string_view e) {
    for (const Region::Input& input : region_.inputs)  // the elements behind a slice are not the next ones
      if (!is_made(input)) fetch_ahead(text_, types_[input.value], address(input.value, e), kRegionAheadBytes);
  }

  /// The same for what gathers read, at indices that the loop reads some rounds later.
  void fetch_gathered_ahead(const vcode::Kernel::Step& step, const GatherTable& table, std::string_view e) {
    const KernelVar index = step.operands[1];
    const auto is_index = [&](const Region::Input& input) { return input.value == index && !is_made(input); };
    if (std::none_of(region_.inputs.begin(), region_.inputs.end(), is_index)) return;
    const std::string ahead = text_.define(fmt::format("add i64 {}, {}", e, kFarElements));
    const std::string stop = text_.define(fmt::format("add i64 {}, {}", ahead, lanes_));
    const std::string inside = text_.define(fmt::format("icmp sle i64 {}, {}", stop, range_end_));
    fetch_gathered(text_, table, types_[step.results[0]], types_[index], address(index, ahead), inside);
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
        values_[v] = lower_load(text_, types_[v], address(v, e), mask);
        continue;
      }
      if (made->is_loaded()) addresses_[v] = made->address();
      values_[v] = made->is_loaded() ? lower_load(text_, types_[v], address(v, e), mask) : made->elements(text_, e);
      ++made;
    }
    if (mask.empty() && hides_what_is_next()) fetch_inputs_ahead(e);
    std::size_t table = 0, scan = 0, pack = 0;
    for (const vcode::Kernel::Step* step : region_.steps) {
      const KernelVar result = step->results[0], a = step->operands[0];
      text_.line(fmt::format("; {} = {}", kernel_.values[result].name, vcode::info(step->op).text));
      const vcode::Producer producer = vcode::producer_of(step->op);
      if (producer == vcode::Producer::kScan) {
        values_[result] = scans_.add(scan++, values_[a], carries(), e, mask);
        continue;
      }
      if (producer == vcode::Producer::kPack) {
        packs_.add(pack++, values_[a], values_[step->operands[1]], places(), mask);
        continue;
      }
      const bool gathers = producer == vcode::Producer::kGather;
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
      const std::string to = address(output.value, e);
      if (mask.empty() && may_stream(k))
        lower_stream_or_store(text_, values_[output.value], to, fmt::format("%stream.{}", k));
      else
        lower_store(text_, values_[output.value], to, mask);
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
  FoldWriter folds_;  ///< that this function does
  ScanWriter scans_;
  PackWriter packs_;
  std::vector<LaneValue> values_;       ///< of the kernel, as far as they are in registers
  std::vector<std::string> addresses_;  ///< of inputs and outputs
  struct WholeTable {
    ElemType type, index;
    std::string address, elements, starts, step;
  };
  std::vector<GatherTable> tables_;  ///< of the gathers among the steps, in order; of the segment, if it goes by these
  std::vector<WholeTable> whole_tables_;  ///< the same with all segments
  std::vector<MadeInputWriter> made_;     ///< of the inputs that are made, in order
  std::size_t made_words_ = region_.first_made_word();
  /// What passes from one round of the loop to the next: lanes at fault, then the accumulators of all folds, those of
  /// scans, and the places of PACKs.
  std::size_t first_carry_ = 0, first_place_ = 0;
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

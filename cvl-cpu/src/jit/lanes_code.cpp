#include "jit/lanes_code.h"

#include <array>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "base/check.h"
#include "jit/loop_body.h"
#include "tuning/kernel_tuning.h"
#include "vcode/kernel_rules.h"

namespace cvl::cpu {

using vcode::KernelVar;

LanesWriter::LanesWriter(const vcode::Kernel& kernel, const Loop& loop, std::span<const ElemType> types,
                         const NativeTarget& target)
    : text_(target, lanes_of(loop, types, true, target)),
      kernel_(kernel),
      loop_(loop),
      types_(types),
      values_(types.size()),
      strides_(kernels::lane_strides(loop, types.size())) {
  VC_CHECK(loop.lanes);
}

std::string LanesWriter::write(const std::string& name) {
  const int n = text_.lanes();
  text_.label("entry");
  load_members();
  const std::string starts = load_member(text_, loop_.arguments, loop_.starts);
  text_.line("%behind = add i64 %last, 1");
  text_.line("br label %group");

  text_.label("group");
  const std::size_t group = text_.body().size();
  present_ = lanes_that(text_, "slt", text_.define("sub i64 %behind, %k"));
  const std::string bound = text_.define(fmt::format("getelementptr i64, ptr {}, i64 %k", starts));
  const LaneValue start = lower_load(text_, ElemType::kI64, bound, present_);
  const LaneValue stop =
      lower_load(text_, ElemType::kI64, text_.define(fmt::format("getelementptr i64, ptr {}, i64 1", bound)), present_);
  const std::string length =
      text_.define(fmt::format("sub {} {}, {}", text_.type(ElemType::kI64), stop.text, start.text));
  const std::string numbers = text_.type(ElemType::kI32);
  lengths_ = text_.define(fmt::format("trunc {} {} to {}", text_.type(ElemType::kI64), length, numbers));
  const std::string longest = text_.call("i32", fmt::format("llvm.vector.reduce.smax.v{}i32", n), numbers,
                                         fmt::format("{} {}", numbers, lengths_));
  std::string inside;
  for (MadeInput& made : made_) {
    const std::string here = enter_segments(made);
    if (!here.empty()) inside = inside.empty() ? here : text_.define(fmt::format("and i1 {}, {}", inside, here));
  }
  std::string before = "group";
  if (!inside.empty()) {
    text_.line(fmt::format("br i1 {}, label %inside, label %outside", inside));
    text_.label("inside");
    before = "inside";
  }
  text_.line("br label %more");
  write_elements(before, longest);

  text_.label("closed");
  for (const Fold& fold : folds_) store_fold(fold, longest);
  for (const Extreme& extreme : extremes_) store_index(extreme);
  text_.line(fmt::format("%following = add i64 %k, {}", n));
  text_.insert(group,
               fmt::format("%bad = phi {} [ zeroinitializer, %entry ], [ {}, %{} ]", bits(), faults_, text_.block()));
  text_.insert(group, fmt::format("%k = phi i64 [ %first, %entry ], [ %following, %{} ]", text_.block()));
  text_.line("%again = icmp sle i64 %following, %last");
  text_.line("br i1 %again, label %group, label %finish");
  text_.label("finish");
  const std::string bad =
      text_.call("i1", fmt::format("llvm.vector.reduce.or.v{}i1", n), bits(), fmt::format("{} {}", bits(), faults_));
  text_.line(fmt::format("ret i1 {}", bad));
  if (!inside.empty()) {
    text_.label("outside");
    text_.line("ret i1 true");
  }
  return fmt::format("define i1 @\"{}\"(ptr %arguments, i64 %first, i64 %last) #0 {{\n{}}}\n\n", name, text_.body());
}

/// The loop-carried values; each is handed to the element in front.
std::vector<LanesWriter::Carried> LanesWriter::carried() {
  std::vector<Carried> all = {{&faults_, bits(), "%bad"}};
  for (Fold& fold : folds_)
    if (!in_order(fold))
      all.push_back({&fold.sum.text, text_.type(fold.sum.type), identity_lanes(monoid(fold), fold.sum.type).text});
  for (Extreme& extreme : extremes_) {
    const vcode::Monoid monoid = vcode::info(extreme.step->op).monoid;
    const ElemType t = extreme.best.type;
    all.push_back({&extreme.best.text, text_.type(t), identity_lanes(monoid, t).text});
    all.push_back({&extreme.position, text_.type(ElemType::kI32), "splat (i32 -1)"});
  }
  return all;
}

/// Writes the loop over elements, from those at `longest` - 1 down to the first ones, so that the first of equal
/// elements is found by one comparison. It is entered from the basic block `before`, and goes on to %closed.
void LanesWriter::write_elements(const std::string& before, const std::string& longest) {
  text_.label("more");
  const std::size_t head = text_.body().size();
  const std::vector<Carried> carried = this->carried();
  std::vector<std::string> here;
  for (const Carried& value : carried) here.push_back(*value.text = fmt::format("%more.{}", here.size()));
  text_.line("%some = icmp sgt i32 %left, 0");
  text_.line("br i1 %some, label %elements, label %closed");

  text_.label("elements");
  text_.line("%e = sub i32 %left, 1");
  compute(text_.define(
      fmt::format("icmp slt {} {}, {}", text_.type(ElemType::kI32), text_.spread(ElemType::kI32, "%e"), lengths_)));
  text_.line("br label %more");
  const auto insert_phi = [&](std::string_view name, std::string_view type, std::string_view first,
                              std::string_view later) {
    text_.insert(head,
                 fmt::format("{} = phi {} [ {}, %{} ], [ {}, %{} ]", name, type, first, before, later, text_.block()));
  };
  for (std::size_t k = 0; k < carried.size(); ++k) {
    insert_phi(here[k], carried[k].type, carried[k].initial, *carried[k].text);
    *carried[k].text = here[k];
  }
  insert_phi("%left", "i32", longest, "%e");
}

void LanesWriter::load_members() {
  const auto load = [&](kernels::Member member) { return load_member(text_, loop_.arguments, member); };
  for (const Loop::Input& input : loop_.inputs) {
    text_.line(fmt::format("; {}", kernel_.values[input.value].name));
    MadeInput& made = made_.emplace_back();
    made.input = &input;
    made.segments = load(input.per_segment);
    if (input.is_constant) {
      made.first = constant(made);
      continue;
    }
    if (input.access == Loop::Access::kSpread)
      made.is_several = text_.define(fmt::format("icmp ne i64 {}, 0", load(input.step)));
    if (input.access == Loop::Access::kProgression) made.stride = load(input.strides);
    if (input.access == Loop::Access::kSlice) {
      made.table = load(input.source);
      made.length = load(input.length);
    }
  }
  load_tables();
  for (const Loop::Fold& of_loop : loop_.folds) {
    Fold& fold = folds_.emplace_back();
    fold.fold = &of_loop;
    fold.sum.type = type(of_loop.step->operands[0]);
    fold.result = load(of_loop.result);
    if (in_order(fold))
      fold.elements = text_.define(
          fmt::format("alloca [{} x {}], align {}", kLongestInLane, text_.type(fold.sum.type), kLineBytes));
  }
  for (const Loop::ArgReduction& reduction : loop_.arg_reductions) {
    Extreme& extreme = extremes_.emplace_back();
    extreme.step = reduction.step;
    extreme.best.type = type(reduction.step->operands[0]);
    extreme.result = load(reduction.result);
  }
}

void LanesWriter::load_tables() {
  for (const Loop::Table& table : loop_.tables) {
    text_.line(fmt::format("; {}, from which elements are gathered", kernel_.values[table.value].name));
    const std::string length = load_member(text_, loop_.arguments, table.length);
    tables_.push_back(gather_table(text_, load_member(text_, loop_.arguments, table.elements), length,
                                   type(loop_.gathers[0].step->operands[1]), type(table.value)));
  }
}

/// Appends the part that does not change within the segments from %k on. For a SLICE, returns whether all slices are
/// within its table; otherwise nothing.
std::string LanesWriter::enter_segments(MadeInput& made) {
  const Loop::Input& input = *made.input;
  if (input.is_constant) return "";
  text_.line(fmt::format("; {}", kernel_.values[input.value].name));
  const auto load = [&](ElemType t, const std::string& vector) {
    return lower_load(text_, t, element_address(text_, t, vector, "%k"), present_);
  };
  if (input.access == Loop::Access::kSpread) {
    made.first = spread(made);
    return "";
  }
  made.first = load(type(input.segments), made.segments);
  if (input.access == Loop::Access::kProgression) made.strides = load(type(input.value), made.stride);
  if (input.access != Loop::Access::kSlice) return "";
  const std::string numbers = text_.type(ElemType::kI64);
  const auto widened = [&](const std::string& lanes) {
    return text_.define(fmt::format("sext {} {} to {}", text_.type(ElemType::kI32), lanes, numbers));
  };
  if (made.first.type == ElemType::kI32) made.first = {widened(made.first.text), ElemType::kI64};
  const auto lanes_that_are = [&](std::string_view predicate, const std::string& a, const std::string& b) {
    return text_.define(fmt::format("icmp {} {} {}, {}", predicate, numbers, a, b));
  };
  const auto either = [&](std::string_view how, const std::string& a, const std::string& b) {
    return text_.define(fmt::format("{} {} {}, {}", how, bits(), a, b));
  };
  const std::string lengths = widened(lengths_);
  const std::string most =
      text_.define(fmt::format("sub {} {}, {}", numbers, text_.spread(ElemType::kI64, made.length), lengths));
  const std::string within = either("and", lanes_that_are("sge", made.first.text, "zeroinitializer"),
                                    lanes_that_are("sle", made.first.text, most));
  made.common = text_.define(fmt::format("extractelement {} {}, i64 0", numbers, made.first.text));
  const std::string common = text_.spread(ElemType::kI64, made.common);
  const std::string absent = either("xor", present_, "splat (i1 true)");
  made.is_common = all_of(either("or", absent, lanes_that_are("eq", made.first.text, common)));
  return all_of(either("or", within, lanes_that_are("eq", lengths, "zeroinitializer")));
}

/// The value of a DIST of a constant.
LaneValue LanesWriter::constant(const MadeInput& made) {
  const ElemType t = type(made.input->value);
  const std::string element = text_.define(fmt::format("load {}, ptr {}", LlvmText::stored(t), made.segments));
  return divisor(*made.input, text_.from_stored(t, text_.spread(t, element)));
}

/// A spread value, with what does not depend on the dividend if the loop divides by it.
LaneValue LanesWriter::divisor(const Loop::Input& input, LaneValue value) {
  if (is_divisor(loop_, types_, input.value, text_.target())) lower_divisor(text_, value);
  return value;
}

/// Values of a DIST: one for each segment, or one for all.
LaneValue LanesWriter::spread(const MadeInput& made) {
  const ElemType t = type(made.input->value);
  std::string first = "i1 true";
  for (int lane = 1; lane < text_.lanes(); ++lane) first += ", i1 false";
  const std::string read =
      text_.define(fmt::format("select i1 {}, {} {}, {} <{}>", made.is_several, bits(), present_, bits(), first));
  const std::string from = text_.define(fmt::format("select i1 {}, i64 %k, i64 0", made.is_several));
  const LaneValue lanes = lower_load(text_, t, element_address(text_, t, made.segments, from), read);
  const std::string vector = text_.type(t);
  const std::string all = text_.define(fmt::format("shufflevector {} {}, {} poison, <{} x i32> zeroinitializer", vector,
                                                   lanes.text, vector, text_.lanes()));
  return divisor(*made.input, text_.define(t, fmt::format("select i1 {}, {} {}, {} {}", made.is_several, vector,
                                                          lanes.text, vector, all)));
}

/// Element %e of each segment; any value in segments without such an element.
LaneValue LanesWriter::element(const MadeInput& made, const std::string& active) {
  const ElemType t = type(made.input->value);
  switch (made.input->access) {
    case Loop::Access::kSpread:
      return made.first;
    case Loop::Access::kProgression: {
      const std::string e = t == ElemType::kI64 ? text_.define("sext i32 %e to i64") : "%e";
      const std::string lanes = text_.type(t);
      const std::string steps =
          text_.define(fmt::format("mul {} {}, {}", lanes, made.strides.text, text_.spread(t, e)));
      return text_.define(t, fmt::format("add {} {}, {}", lanes, made.first.text, steps));
    }
    default:
      VC_CHECK(made.input->access == Loop::Access::kSlice);
      return sliced(made, active);
  }
}

/// Elements of a SLICE: one load if the slices of all lanes are the same.
LaneValue LanesWriter::sliced(const MadeInput& made, const std::string& active) {
  const ElemType t = type(made.input->value);
  const std::string_view stored = LlvmText::stored(t);
  const std::string vector = fmt::format("<{} x {}>", text_.lanes(), stored), numbers = text_.type(ElemType::kI64);
  const int number = text_.next_number();
  const std::string e = text_.define("sext i32 %e to i64");
  text_.line(fmt::format("br i1 {0}, label %one.{1}, label %each.{1}", made.is_common, number));
  text_.label(fmt::format("one.{}", number));
  const std::string at =
      element_address(text_, t, made.table, text_.define(fmt::format("add i64 {}, {}", made.common, e)));
  const std::string one = text_.spread(t, text_.define(fmt::format("load {}, ptr {}", stored, at)));
  text_.line(fmt::format("br label %sliced.{}", number));
  text_.label(fmt::format("each.{}", number));
  const std::string behind =
      text_.define(fmt::format("add {} {}, {}", numbers, made.first.text, text_.spread(ElemType::kI64, e)));
  // Segments without such an element read the first element of the table.
  const std::string positions =
      text_.define(fmt::format("select {} {}, {} {}, {} zeroinitializer", bits(), active, numbers, behind, numbers));
  const std::string addresses =
      text_.define(fmt::format("getelementptr {}, ptr {}, {} {}", stored, made.table, numbers, positions));
  const int n = text_.lanes();
  const std::string each = text_.call(vector, fmt::format("llvm.masked.gather.{}.v{}p0", text_.stored_overload(t), n),
                                      fmt::format("<{} x ptr>, i32, {}, {}", n, bits(), vector),
                                      fmt::format("<{} x ptr> {}, i32 {}, {} splat (i1 true), {} zeroinitializer", n,
                                                  addresses, elem_size(t), bits(), vector));
  text_.line(fmt::format("br label %sliced.{}", number));
  text_.label(fmt::format("sliced.{}", number));
  return text_.from_stored(
      t, text_.define(fmt::format("phi {0} [ {1}, %one.{3} ], [ {2}, %each.{3} ]", vector, one, each, number)));
}

/// Computes element %e of each segment that has one.
void LanesWriter::compute(const std::string& active) {
  for (const MadeInput& made : made_) values_[made.input->value] = element(made, active);
  auto next = loop_.gathers.begin();
  for (const vcode::Kernel::Step* step : loop_.steps) {
    const KernelVar result = step->results[0];
    text_.line(fmt::format("; {} = {}", kernel_.values[result].name, vcode::info(step->op).text));
    LoweredOperation lowered;
    if (vcode::producer_of(step->op) == vcode::Producer::kGather) {
      lowered = gather(*step, tables_[static_cast<std::size_t>((next++)->table)], active);
    } else {
      std::array<LaneValue, 3> operands;
      VC_CHECK(step->operands.size() <= operands.size());
      for (std::size_t k = 0; k < step->operands.size(); ++k) operands[k] = values_[step->operands[k]];
      lowered = lower_elementwise(text_, step->op, step->suffix, type(result), operands);
    }
    values_[result] = lowered.value;
    if (lowered.faults.empty()) continue;
    const std::string here = text_.define(fmt::format("and {} {}, {}", bits(), lowered.faults, active));
    faults_ = text_.define(fmt::format("or {} {}, {}", bits(), faults_, here));
  }
  for (Fold& fold : folds_) take(fold, active);
  for (Extreme& extreme : extremes_) take(extreme, active);
}

/// Elements that all lanes gather at their index. Neighbouring lanes are of different segments, so there are no runs;
/// but segments that go over the same rows read the same elements.
LoweredOperation LanesWriter::gather(const vcode::Kernel::Step& step, const GatherTable& table,
                                     const std::string& active) {
  const bool flagged = vcode::has_flags(step.op);
  const LaneValue* const flags = flagged ? &values_[step.operands[2]] : nullptr;
  const Strides& of_elements = strides_[step.operands[1]];
  return lower_gather(text_, table, type(step.results[0]), values_[step.operands[1]], flags, active,
                      {.same = of_elements.up || of_elements.down});
}

/// Adds element %e to the fold of each segment that has one, of the elements behind it; or keeps it, if the order of
/// additions matters.
void LanesWriter::take(Fold& fold, const std::string& active) {
  const LaneValue x = values_[fold.fold->step->operands[0]];
  const std::string lanes = text_.type(x.type);
  if (in_order(fold)) {
    const std::string at = text_.define(fmt::format("getelementptr {}, ptr {}, i32 %e", lanes, fold.elements));
    text_.line(fmt::format("store {} {}, ptr {}", lanes, x.text, at));
    return;
  }
  const LaneValue both = lower_combination(text_, monoid(fold), fold.sum, x);
  std::string taken = active;
  if (LlvmText::is_float(x.type)) {  // an extreme, which ignores a NaN only as the later of two elements
    const std::string is_number = text_.define(fmt::format("fcmp ord {} {}, {}", lanes, x.text, x.text));
    taken = text_.define(fmt::format("and {} {}, {}", bits(), active, is_number));
  }
  fold.sum.text =
      text_.define(fmt::format("select {} {}, {} {}, {} {}", bits(), taken, lanes, both.text, lanes, fold.sum.text));
}

/// The sums of segments whose elements have been kept, with the grouping of fold_order.h: those of segments of one line
/// of elements, or of several.
LaneValue LanesWriter::sum_in_order(const Fold& fold, const std::string& longest) {
  const int line = kLineBytes / static_cast<int>(elem_size(fold.sum.type)), number = text_.next_number();
  std::string ways;
  const auto sum = [&](std::string_view block, int lines) {
    text_.label(fmt::format("{}.{}", block, number));
    ways += fmt::format("{}[ {}, %{} ]", ways.empty() ? "" : ", ", sum_of_lines(fold, lines).text, text_.block());
    text_.line(fmt::format("br label %summed.{}", number));
  };
  const std::string one = text_.define(fmt::format("icmp sle i32 {}, {}", longest, line));
  text_.line(fmt::format("br i1 {0}, label %line.{1}, label %lines.{1}", one, number));
  sum("line", 1);
  sum("lines", static_cast<int>(kLongestInLane) / line);
  text_.label(fmt::format("summed.{}", number));
  return text_.define(fold.sum.type, fmt::format("phi {} {}", text_.type(fold.sum.type), ways));
}

/// The sums of segments of at most so many lines of elements, a power of two. Lines are the accumulators.
LaneValue LanesWriter::sum_of_lines(const Fold& fold, int lines) {
  const ElemType t = fold.sum.type;
  const std::string lanes = text_.type(t), numbers = text_.type(ElemType::kI32);
  const LaneValue identity = identity_lanes(monoid(fold), t);
  const int line = kLineBytes / static_cast<int>(elem_size(t));
  std::vector<LaneValue> sums;
  for (int e = 0; e < lines * line; ++e) {
    const std::string at = text_.define(fmt::format("getelementptr {}, ptr {}, i32 {}", lanes, fold.elements, e));
    const std::string there =
        text_.define(fmt::format("icmp sgt {} {}, {}", numbers, lengths_, text_.splat_int(ElemType::kI32, e).text));
    const LaneValue kept = text_.define(t, fmt::format("load {}, ptr {}", lanes, at));
    sums.push_back(lower_combination(text_, monoid(fold), masked(text_, kept, there, identity), identity));
  }
  const auto join = [&](std::size_t a, std::size_t b) {
    sums[a] = lower_combination(text_, monoid(fold), sums[a], sums[b]);
  };
  const auto n = static_cast<std::size_t>(line);
  for (std::size_t pair = n; pair < sums.size(); pair *= 2)  // accumulators in pairs
    for (std::size_t a = 0; a < sums.size(); a += 2 * pair)
      for (std::size_t j = 0; j < n; ++j) join(a + j, a + pair + j);
  for (std::size_t half = n / 2; half > 0; half /= 2)
    for (std::size_t j = 0; j < half; ++j) join(j, j + half);
  return sums[0];
}

/// Stores the folds of the segments; the monoid's empty value for those without elements.
void LanesWriter::store_fold(const Fold& fold, const std::string& longest) {
  const ElemType t = fold.sum.type;
  const LaneValue sum = in_order(fold) ? sum_in_order(fold, longest) : fold.sum;
  const std::string some =
      text_.define(fmt::format("icmp sgt {} {}, zeroinitializer", text_.type(ElemType::kI32), lengths_));
  const LaneValue result = masked(text_, sum, some, empty_value_lanes(monoid(fold), t));
  lower_store(text_, result, element_address(text_, t, fold.result, "%k"), present_);
}

/// Takes element %e if it is not worse than those behind it: the same as cvl::Extreme::take() in the other direction. A
/// NaN is never taken; an element that equals the identity is.
void LanesWriter::take(Extreme& extreme, const std::string& active) {
  const LaneValue x = values_[extreme.step->operands[0]];
  const std::string lanes = text_.type(x.type);
  const bool is_float = LlvmText::is_float(x.type), least = vcode::info(extreme.step->op).monoid == vcode::Monoid::kMin;
  const std::string is = text_.define(fmt::format("{} {}{} {} {}, {}", is_float ? "fcmp" : "icmp", is_float ? "o" : "s",
                                                  least ? "le" : "ge", lanes, x.text, extreme.best.text));
  const std::string taken = text_.define(fmt::format("and {} {}, {}", bits(), is, active));
  const auto choose = [&](const std::string& type, const std::string& a, const std::string& b) {
    return text_.define(fmt::format("select {} {}, {} {}, {} {}", bits(), taken, type, a, type, b));
  };
  extreme.best.text = choose(lanes, x.text, extreme.best.text);
  extreme.position = choose(text_.type(ElemType::kI32), text_.spread(ElemType::kI32, "%e"), extreme.position);
}

/// Stores cvl::index_of_extreme() of the segments.
void LanesWriter::store_index(const Extreme& extreme) {
  const ElemType t = type(extreme.step->results[0]);
  const std::string numbers = text_.type(ElemType::kI32), lanes = text_.type(t);
  const auto chosen = [&](const std::string& mask, const std::string& type, const std::string& a,
                          const std::string& b) {
    return text_.define(fmt::format("select {} {}, {} {}, {} {}", bits(), mask, type, a, type, b));
  };
  const std::string is_none = text_.define(fmt::format("icmp slt {} {}, zeroinitializer", numbers, extreme.position));
  std::string index = chosen(is_none, numbers, lengths_, extreme.position);
  if (t == ElemType::kI64) index = text_.define(fmt::format("sext {} {} to {}", numbers, index, lanes));
  const std::int64_t most =
      t == ElemType::kI64 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int32_t>::max();
  const std::string empty = text_.define(fmt::format("icmp eq {} {}, zeroinitializer", numbers, lengths_));
  index = chosen(empty, lanes, LlvmText::splat_int(t, most).text, index);
  lower_store(text_, {index, t}, element_address(text_, t, extreme.result, "%k"), present_);
}

/// Whether the bits of all lanes are set.
std::string LanesWriter::all_of(const std::string& lanes) {
  return text_.call("i1", fmt::format("llvm.vector.reduce.and.v{}i1", text_.lanes()), bits(),
                    fmt::format("{} {}", bits(), lanes));
}

}  // namespace cvl::cpu

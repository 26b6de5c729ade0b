#include "jit/lower_interior.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "base/check.h"

namespace cvl::cpu {

using Relation = Loop::Interior::Relation;

namespace {

/// Fewest vectors of elements whose interior is rounded to whole vectors, so that stores stay aligned: the border then
/// has up to two vectors more.
constexpr int kFewestRounded = 32;
/// The terms of 64 bits that are added up are smaller, so that sums do not overflow.
constexpr std::int64_t kLargestTerm = std::int64_t{1} << 56;

}  // namespace

void InteriorWriter::enter_segment(const std::string& begin, const std::string& end, const std::string& whole,
                                   std::span<const TableText> tables) {
  const int n = text_.lanes(), number = text_.next_number();
  segment_begin_ = begin;
  count_ = define("sub", end, begin);
  const std::string many = text_.define(fmt::format("icmp sge i64 {}, {}", count_, n));
  const std::string before = text_.block();
  text_.line(fmt::format("br i1 {0}, label %look.{1}, label %looked.{1}", many, number));

  text_.label(fmt::format("look.{}", number));
  low_ = std::string("0");
  high_ = count_;
  const auto table_of = [&](const Loop::Interior::Gather& gather) -> const TableText& {
    return tables[static_cast<std::size_t>(gather.table)];
  };
  require_conditions();
  for (const Loop::Interior::Gather& gather : interior_.constants) load_constant(gather, table_of(gather));
  for (const Loop::Interior::Bound& bound : interior_.bounds) restrict_to(bound);
  for (const Loop::Interior::Gather& run : interior_.runs) {
    const int slope = run.index.slope;
    const std::string index = at_begin(run.index);
    require_not_negative(index, slope);
    require_not_negative(define("sub", define("sub", table_of(run).length, "1"), index), -slope);
    std::string origin = index;
    if (slope > 0) origin = define("sub", index, in_values(begin));
    if (slope < 0) origin = define("add", index, in_values(begin));
    origins_.push_back(text_.define(fmt::format("getelementptr {}, ptr {}, i64 {}",
                                                LlvmText::stored(table_of(run).type), table_of(run).address, origin)));
  }
  // Distances can be any numbers where overflows have made the interior empty.
  low_ = limit("smin", low_, count_);
  high_ = limit("smax", high_, "0");
  const std::string is_long = text_.define(fmt::format("icmp sge i64 {}, {}", count_, kFewestRounded * n));
  const std::string rounds = text_.define(fmt::format("or i1 {}, {}", whole, is_long));
  const auto if_whole = [&](const std::string& rounded, const std::string& exact) {
    return text_.define(fmt::format("select i1 {}, i64 {}, i64 {}", rounds, rounded, exact));
  };
  low_ = if_whole(define("and", define("add", low_, std::to_string(n - 1)), std::to_string(-n)), low_);
  high_ = if_whole(define("and", high_, std::to_string(-n)), high_);
  const std::string some = text_.define(fmt::format("icmp sge i64 {}, {}", define("sub", high_, low_), n));
  const auto if_some = [&](const std::string& x) {
    return text_.define(fmt::format("select i1 {}, i64 {}, i64 0", some, x));
  };
  const std::string low = define("add", begin, if_some(low_)), high = define("add", begin, if_some(high_));
  const std::string after = text_.block();
  text_.line(fmt::format("br label %looked.{}", number));

  text_.label(fmt::format("looked.{}", number));
  const auto from_both = [&](const std::string& type, std::string_view nothing, const std::string& found) {
    return text_.define(fmt::format("phi {} [ {}, %{} ], [ {}, %{} ]", type, nothing, before, found, after));
  };
  if (!shift_.empty()) is_strided_ = from_both("i1", "false", is_strided_);
  begin_ = from_both("i64", begin, low);
  end_ = from_both("i64", begin, high);
  for (std::string& origin : origins_) origin = from_both("ptr", "null", origin);
  for (auto& [v, lanes] : constants_)
    lanes.text = from_both(fmt::format("<{} x {}>", n, LlvmText::stored(lanes.type)), "zeroinitializer", lanes.text);
}

/// Requires the values of flags that are inputs, and one stride for all progressions: 1, or 2 if there may be strides.
void InteriorWriter::require_conditions() {
  for (const Loop::Interior::Flag& flag : interior_.conditions) {
    const std::string is_true = text_.define(fmt::format("icmp ne i64 {}, 0", term_at_begin(flag.flag)));
    require(flag.value ? is_true : text_.define(fmt::format("xor i1 {}, true", is_true)));
  }
  const auto is_read = [&](const MadeInputWriter& made) {
    const auto is_term = [&](const Loop::Linear& linear) {
      return std::ranges::count(linear.terms, made.input().value, &Loop::Linear::Term::value) > 0;
    };
    const auto reads = [&](const Loop::Interior::Gather& gather) { return is_term(gather.index); };
    const auto chooses = [&](const Loop::Interior::Choice& choice) {
      return is_term(choice.condition) || is_term(choice.if_true) || is_term(choice.if_false);
    };
    return std::ranges::any_of(interior_.bounds, is_term, &Loop::Interior::Bound::value) ||
           std::ranges::any_of(interior_.choices, chooses) || std::ranges::any_of(interior_.runs, reads) ||
           std::ranges::any_of(interior_.constants, reads);
  };
  for (const MadeInputWriter& made : made_) {
    if (made.input().access != Loop::Access::kProgression || !is_read(made)) continue;
    const std::string_view type = LlvmText::stored(types_[made.input().value]);
    std::string stride = made.stride();
    if (type != "i64") stride = text_.define(fmt::format("sext {} {} to i64", type, stride));
    if (may_be_strided_ && shift_.empty()) {
      is_strided_ = text_.define(fmt::format("icmp eq i64 {}, 2", stride));
      shift_ = text_.define(fmt::format("zext i1 {} to i64", is_strided_));
    }
    require(text_.define(fmt::format("icmp eq i64 {}, {}", stride, shift_.empty() ? "1" : define("add", shift_, "1"))));
  }
}

/// Loads an element that is the same in the segment; any element if its index is not in the table.
void InteriorWriter::load_constant(const Loop::Interior::Gather& gather, const TableText& table) {
  const std::string index = at_begin(gather.index);
  const std::string inside = text_.define(fmt::format("icmp ult i64 {}, {}", index, table.length));
  require(inside);
  const std::string position = text_.define(fmt::format("select i1 {}, i64 {}, i64 0", inside, index));
  const std::string_view stored = LlvmText::stored(table.type);
  const std::string element =
      text_.define(fmt::format("load {}, ptr {}", stored, element_address(text_, table.type, table.address, position)));
  constants_[gather.result] = {text_.spread(table.type, element), table.type};
  if (table.type == ElemType::kI64) terms_[gather.result] = element;
  if (table.type == ElemType::kI32) terms_[gather.result] = text_.define(fmt::format("sext i32 {} to i64", element));
}

/// The value, an i64, for the first element of the segment.
std::string InteriorWriter::at_begin(const Loop::Linear& linear) {
  std::string value = std::to_string(linear.constant);
  for (const Loop::Linear::Term& term : linear.terms)
    value = define("add", value, define("mul", term_at_begin(term.value), std::to_string(term.times)));
  return value;
}

std::string InteriorWriter::term_at_begin(vcode::KernelVar v) {
  if (!terms_.contains(v)) {
    const auto choice = std::ranges::find(interior_.choices, v, &Loop::Interior::Choice::result);
    const auto made = std::ranges::find(made_, v, [](const MadeInputWriter& m) { return m.input().value; });
    VC_CHECK(choice != interior_.choices.end() || made != made_.end());
    terms_[v] = made != made_.end() ? made->element(text_, segment_begin_) : chosen(*choice);
  }
  const std::string& term = terms_[v];
  if (types_[v] == ElemType::kI64 && small_.insert(v).second)
    require(text_.define(
        fmt::format("icmp ult i64 {}, {}", define("add", term, std::to_string(kLargestTerm)), 2 * kLargestTerm)));
  return term;
}

/// The chosen value for the first element; restricts the interior to the longer part.
std::string InteriorWriter::chosen(const Loop::Interior::Choice& choice) {
  const std::string condition = at_begin(choice.condition), a = at_begin(choice.if_true), b = at_begin(choice.if_false);
  const bool goes_up = choice.condition.slope > 0;
  // The first element of the latter part.
  const std::string turn = first_element(condition, goes_up ? 1 : -1);
  const std::string is_latter = text_.define(fmt::format("icmp slt i64 {}, {}", define("shl", turn, "1"), count_));
  const auto choose = [&](const std::string& x, const std::string& y) {
    return text_.define(fmt::format("select i1 {}, i64 {}, i64 {}", is_latter, x, y));
  };
  begin_after(choose(turn, "0"));
  end_before(choose(count_, turn));
  return goes_up ? choose(a, b) : choose(b, a);
}

void InteriorWriter::restrict_to(const Loop::Interior::Bound& bound) {
  const std::string value = at_begin(bound.value);
  const int slope = bound.value.slope;
  switch (bound.relation) {
    case Relation::kNotNegative:
      return require_not_negative(value, slope);
    case Relation::kNotZero:
      return require_not_zero(value, slope);
    case Relation::kIsInt: {
      if (types_[bound.value.terms[0].value] == ElemType::kI64) return;  // see kLargestTerm
      using Int = std::numeric_limits<std::int32_t>;
      require_not_negative(define("sub", value, std::to_string(Int::min())), slope);
      require_not_negative(define("sub", std::to_string(Int::max()), value), -slope);
    }
  }
}

void InteriorWriter::require_not_negative(const std::string& value, int slope) {
  if (slope == 0) require(text_.define(fmt::format("icmp sge i64 {}, 0", value)));
  if (slope > 0) begin_after(first_element(value, slope));
  if (slope < 0) end_before(first_element(value, slope));
}

/// The distance from the segment's begin of the first element for which a value with a slope has another sign than
/// before: it is not negative any more, or negative.
std::string InteriorWriter::first_element(const std::string& value, int slope) {
  if (slope < 0) return define("add", in_strides(value), "1");
  const std::string distance = define("sub", "0", value);
  return shift_.empty() ? distance : in_strides(define("add", distance, shift_));
}

void InteriorWriter::require_not_zero(const std::string& value, int slope) {
  if (slope == 0) return require(text_.define(fmt::format("icmp ne i64 {}, 0", value)));
  // The longer side of the element at which the value is 0.
  const std::string zero = in_strides(slope > 0 ? define("sub", "0", value) : value);
  const std::string inside = text_.define(fmt::format("icmp ult i64 {}, {}", zero, count_));
  const std::string first = text_.define(fmt::format("icmp slt i64 {}, {}", define("shl", zero, "1"), count_));
  const auto choose = [&](const std::string& condition, const std::string& x, const std::string& y) {
    return text_.define(fmt::format("select i1 {}, i64 {}, i64 {}", condition, x, y));
  };
  begin_after(choose(inside, choose(first, define("add", zero, "1"), "0"), "0"));
  end_before(choose(inside, choose(first, count_, zero), count_));
}

void InteriorWriter::require(const std::string& condition) {
  high_ = text_.define(fmt::format("select i1 {}, i64 {}, i64 0", condition, high_));
}

void InteriorWriter::begin_after(const std::string& distance) { low_ = limit("smax", low_, distance); }
void InteriorWriter::end_before(const std::string& distance) { high_ = limit("smin", high_, distance); }

/// A distance of values as a distance of elements, rounded down.
std::string InteriorWriter::in_strides(const std::string& distance) {
  return shift_.empty() ? distance : define("ashr", distance, shift_);
}
/// A distance of elements as one of values.
std::string InteriorWriter::in_values(std::string_view distance) {
  return shift_.empty() ? std::string(distance) : define("shl", distance, shift_);
}

std::string InteriorWriter::define(std::string_view instruction, std::string_view a, std::string_view b) {
  return text_.define(fmt::format("{} i64 {}, {}", instruction, a, b));
}

std::string InteriorWriter::limit(std::string_view which, std::string_view a, std::string_view b) {
  return text_.call("i64", fmt::format("llvm.{}.i64", which), "i64, i64", fmt::format("i64 {}, i64 {}", a, b));
}

const LaneValue* InteriorWriter::constant(vcode::KernelVar result) const {
  const auto found = constants_.find(result);
  return found == constants_.end() ? nullptr : &found->second;
}

LaneValue InteriorWriter::load(std::size_t run, std::string_view e, bool strided) {
  const Loop::Interior::Gather& gather = interior_.runs[run];
  const ElemType type = types_[gather.result];
  const std::string& origin = origins_[run];
  const int n = text_.lanes(), slope = gather.index.slope;
  if (slope == 0) {
    const std::string element = text_.define(fmt::format("load {}, ptr {}", LlvmText::stored(type), origin));
    return text_.from_stored(type, text_.spread(type, element));
  }
  const std::string lowest = slope > 0 ? std::string(e) : define("sub", std::to_string(1 - n), e);
  const std::string address = element_address(text_, type, origin, strided ? define("shl", lowest, "1") : lowest);
  const LaneValue low = lower_load(text_, type, address, "");
  if (!strided && slope > 0) return low;
  // Every second element: from two vectors that overlap by an element, so that none behind the last one is read.
  const std::string high =
      strided ? lower_load(text_, type, element_address(text_, type, address, std::to_string(n - 1)), "").text
              : "poison";
  std::string numbers;
  for (int k = 0; k < n; ++k) {
    const int lane = slope > 0 ? k : n - 1 - k;
    numbers += fmt::format("{}i32 {}", k == 0 ? "" : ", ", !strided ? lane : 2 * lane < n ? 2 * lane : 2 * lane + 1);
  }
  return text_.define(type, fmt::format("shufflevector {0} {1}, {0} {2}, <{3} x i32> <{4}>", text_.type(type), low.text,
                                        high, n, numbers));
}

}  // namespace cvl::cpu

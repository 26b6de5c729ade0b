#include "jit/lower_interior.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "base/check.h"

namespace cvl::cpu {

using Relation = Loop::Interior::Relation;

namespace {

/// Fewest vectors of elements that are looked through for an interior, and fewest vectors of an interior.
constexpr int kFewestVectors = 4, kFewestInside = 2;
/// The terms of 64 bits that are added up are smaller, so that sums do not overflow.
constexpr std::int64_t kLargestTerm = std::int64_t{1} << 56;

}  // namespace

void InteriorWriter::enter_segment(const std::string& begin, const std::string& end, std::span<RunText> runs,
                                   std::span<const ElemType> stored) {
  const int n = text_.lanes(), number = text_.next_number();
  segment_begin_ = begin;
  count_ = define("sub", end, begin);
  const auto label = [&](std::string_view name) { return fmt::format("{}.{}", name, number); };
  const std::string many = text_.define(fmt::format("icmp sge i64 {}, {}", count_, kFewestVectors * n));
  const std::string before = text_.block();
  text_.line(fmt::format("br i1 {}, label %{}, label %{}", many, label("look"), label("looked")));

  text_.label(label("look"));
  low_ = std::string("0");
  high_ = count_;
  for (const MadeInputWriter& made : made_) {
    const vcode::KernelVar v = made.input().value;
    const auto is_term = [&](const Loop::Linear& linear) {
      return std::ranges::any_of(linear.terms, [&](const Loop::Linear::Term& term) { return term.input == v; });
    };
    const bool used =
        std::ranges::any_of(interior_.bounds, [&](const Loop::Interior::Bound& b) { return is_term(b.value); }) ||
        std::ranges::any_of(interior_.runs, [&](const Loop::Interior::Run& run) { return is_term(run.index); });
    if (!used) continue;
    if (made.input().access == Loop::Access::kProgression)
      require(text_.define(fmt::format("icmp eq {} {}, 1", LlvmText::stored(types_[v]), made.stride())));
    if (types_[v] != ElemType::kI64) continue;
    const std::string shifted = define("add", made.element(text_, begin), std::to_string(kLargestTerm));
    require(text_.define(fmt::format("icmp ult i64 {}, {}", shifted, 2 * kLargestTerm)));
  }
  for (const Loop::Interior::Bound& bound : interior_.bounds) restrict_to(bound);
  std::vector<std::string> origins;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const int slope = interior_.runs[k].index.slope;
    const std::string index = at_begin(interior_.runs[k].index);
    require_not_negative(index, slope);
    require_not_negative(define("sub", define("sub", runs[k].length, "1"), index), -slope);
    std::string origin = index;
    if (slope > 0) origin = define("sub", index, begin);
    if (slope < 0) origin = define("add", index, begin);
    origins.push_back(text_.define(
        fmt::format("getelementptr {}, ptr {}, i64 {}", LlvmText::stored(stored[k]), runs[k].table, origin)));
  }
  // Whole vectors from the begin of the segment, since the accumulators of folds depend on the distance from it.
  low_ = define("and", define("add", low_, std::to_string(n - 1)), std::to_string(-n));
  high_ = define("and", high_, std::to_string(-n));
  const std::string some =
      text_.define(fmt::format("icmp sge i64 {}, {}", define("sub", high_, low_), kFewestInside * n));
  const auto if_some = [&](const std::string& x) {
    return text_.define(fmt::format("select i1 {}, i64 {}, i64 0", some, x));
  };
  const std::string low = define("add", begin, if_some(low_)), high = define("add", begin, if_some(high_));
  const std::string after = text_.block();
  text_.line(fmt::format("br label %{}", label("looked")));

  text_.label(label("looked"));
  const auto from_both = [&](std::string_view type, std::string_view nothing, const std::string& found) {
    return text_.define(fmt::format("phi {} [ {}, %{} ], [ {}, %{} ]", type, nothing, before, found, after));
  };
  begin_ = from_both("i64", begin, low);
  end_ = from_both("i64", begin, high);
  for (std::size_t k = 0; k < runs.size(); ++k) runs[k].origin = from_both("ptr", "null", origins[k]);
}

/// The value, an i64, for the first element of the segment.
std::string InteriorWriter::at_begin(const Loop::Linear& linear) {
  std::string value = std::to_string(linear.constant);
  for (const Loop::Linear::Term& term : linear.terms) {
    const auto made = std::ranges::find(made_, term.input, [](const MadeInputWriter& m) { return m.input().value; });
    VC_CHECK(made != made_.end());
    value = define("add", value, define("mul", made->element(text_, segment_begin_), std::to_string(term.times)));
  }
  return value;
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
      if (types_[bound.value.terms[0].input] == ElemType::kI64) return;  // see kLargestTerm
      using Int = std::numeric_limits<std::int32_t>;
      require_not_negative(define("sub", value, std::to_string(Int::min())), slope);
      require_not_negative(define("sub", std::to_string(Int::max()), value), -slope);
    }
  }
}

void InteriorWriter::require_not_negative(const std::string& value, int slope) {
  if (slope == 0) require(text_.define(fmt::format("icmp sge i64 {}, 0", value)));
  if (slope > 0) begin_after(define("sub", "0", value));
  if (slope < 0) end_before(define("add", value, "1"));
}

void InteriorWriter::require_not_zero(const std::string& value, int slope) {
  if (slope == 0) return require(text_.define(fmt::format("icmp ne i64 {}, 0", value)));
  // The longer side of the element at which the value is 0.
  const std::string zero = slope > 0 ? define("sub", "0", value) : value;
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

std::string InteriorWriter::define(std::string_view instruction, std::string_view a, std::string_view b) {
  return text_.define(fmt::format("{} i64 {}, {}", instruction, a, b));
}

std::string InteriorWriter::limit(std::string_view which, std::string_view a, std::string_view b) {
  return text_.call("i64", fmt::format("llvm.{}.i64", which), "i64, i64", fmt::format("i64 {}, i64 {}", a, b));
}

LaneValue InteriorWriter::load(LlvmText& text, const RunText& run, int slope, ElemType type, std::string_view e) {
  const int n = text.lanes();
  if (slope == 0) {
    const std::string_view stored = LlvmText::stored(type);
    return text.from_stored(type, text.spread(type, text.define(fmt::format("load {}, ptr {}", stored, run.origin))));
  }
  if (slope > 0) return lower_load(text, type, element_address(text, type, run.origin, e), "");
  const std::string last = text.define(fmt::format("sub i64 {}, {}", -(n - 1), e));
  const LaneValue lanes = lower_load(text, type, element_address(text, type, run.origin, last), "");
  std::string numbers;
  for (int lane = n - 1; lane >= 0; --lane) numbers += fmt::format("{}i32 {}", numbers.empty() ? "" : ", ", lane);
  return text.define(type, fmt::format("shufflevector {0} {1}, {0} poison, <{2} x i32> <{3}>", text.type(type),
                                       lanes.text, n, numbers));
}

}  // namespace cvl::cpu

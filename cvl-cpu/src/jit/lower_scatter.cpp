#include "jit/lower_scatter.h"

#include <cstdint>

#include <fmt/format.h>

#include "base/position_hash.h"
#include "jit/lower_gather.h"

namespace cvl::cpu {

void ScatterWriter::load_members() {
  for (const Loop::Scatter& scatter : loop_.scatters) {
    const ElemType index = types_[scatter.step->operands[1]];
    const std::string result = load_member(text_, loop_.arguments, scatter.result);
    const std::string bound = gather_bound(text_, load_member(text_, loop_.arguments, scatter.targets), index);
    const bool is_checked = !vcode::has_defaults(scatter.step->op);
    members_.push_back({result, bound, is_checked ? load_member(text_, loop_.arguments, scatter.hashes) : ""});
  }
}

std::vector<std::string> ScatterWriter::state_types() const {
  return std::vector<std::string>(loop_.scatters.size(), sums_type());
}

std::vector<LaneValue> ScatterWriter::initial() const {
  return std::vector<LaneValue>(loop_.scatters.size(), {"zeroinitializer", ElemType::kI64});
}

void ScatterWriter::end(std::span<const LaneValue> sums) {
  for (std::size_t k = 0; k < sums.size(); ++k) {
    if (members_[k].sum.empty()) continue;
    const std::string here = text_.call("i64", fmt::format("llvm.vector.reduce.add.v{}i64", text_.lanes()), sums_type(),
                                        fmt::format("{} {}", sums_type(), sums[k].text));
    const std::string before = text_.define(fmt::format("load i64, ptr {}", members_[k].sum));
    const std::string all = text_.define(fmt::format("add i64 {}, {}", before, here));
    text_.line(fmt::format("store i64 {}, ptr {}", all, members_[k].sum));
  }
}

std::string ScatterWriter::add(std::size_t k, const LaneValue& elements, const LaneValue& index,
                               std::span<LaneValue> sums, const std::string& mask) {
  const Members& members = members_[k];
  const ElemType type = elements.type;
  const int n = text_.lanes();
  const std::string bits = text_.type(ElemType::kB8), indices = text_.type(index.type);
  // Compare as unsigned, so that negative indices are out of range, too.
  std::string faults = text_.define(fmt::format("icmp uge {} {}, {}", indices, index.text, members.bound));
  if (!mask.empty()) faults = text_.define(fmt::format("and {} {}, {}", bits, faults, mask));
  if (!members.sum.empty()) sums[k] = with_hashes(sums[k], index, mask);

  const std::string vector = fmt::format("<{} x {}>", n, LlvmText::stored(type));
  std::string stored = elements.text;
  if (type == ElemType::kB8) stored = text_.define(fmt::format("zext {} {} to {}", bits, stored, vector));
  const auto any = [&](const std::string& lanes) {
    return text_.call("i1", fmt::format("llvm.vector.reduce.or.v{}i1", n), bits, fmt::format("{} {}", bits, lanes));
  };
  std::string skipped = any(faults);
  if (!mask.empty()) {
    const std::string none = text_.define(fmt::format("xor i1 {}, true", any(mask)));
    skipped = text_.define(fmt::format("or i1 {}, {}", skipped, none));
  }
  const int number = text_.next_number();
  text_.line(fmt::format("br i1 {0}, label %scattered.{1}, label %scatter.{1}", skipped, number));
  text_.label(fmt::format("scatter.{}", number));
  if (mask.empty()) {
    store_each({stored, type}, vector, index, members.result);
  } else {
    const std::string to = text_.define(
        fmt::format("getelementptr {}, ptr {}, {} {}", LlvmText::stored(type), members.result, indices, index.text));
    text_.call("void", fmt::format("llvm.masked.scatter.{}.v{}p0", text_.stored_overload(type), n),
               fmt::format("{}, <{} x ptr>, i32, {}", vector, n, bits),
               fmt::format("{} {}, <{} x ptr> {}, i32 {}, {} {}", vector, stored, n, to, elem_size(type), bits, mask));
  }
  text_.line(fmt::format("br label %scattered.{}", number));
  text_.label(fmt::format("scattered.{}", number));
  return faults;
}

/// Stores lane by lane, in order; instructions that scatter are no faster.
void ScatterWriter::store_each(const LaneValue& elements, const std::string& vector, const LaneValue& index,
                               const std::string& result) {
  const std::string_view stored = LlvmText::stored(elements.type);
  for (int lane = 0; lane < text_.lanes(); ++lane) {
    std::string at =
        text_.define(fmt::format("extractelement {} {}, i64 {}", text_.type(index.type), index.text, lane));
    if (index.type == ElemType::kI32) at = text_.define(fmt::format("zext i32 {} to i64", at));
    const std::string to = element_address(text_, elements.type, result, at);
    const std::string element = text_.define(fmt::format("extractelement {} {}, i64 {}", vector, elements.text, lane));
    text_.line(fmt::format("store {} {}, ptr {}", stored, element, to));
  }
}

/// Adds the hashes of targets to a sum.
LaneValue ScatterWriter::with_hashes(const LaneValue& sum, const LaneValue& index, const std::string& mask) {
  const std::string narrow = text_.type(ElemType::kI32), wide = sums_type();
  const auto number = [](std::uint32_t x) { return fmt::format("splat (i32 {})", static_cast<std::int32_t>(x)); };
  std::string position = index.text;
  if (index.type == ElemType::kI64) position = text_.define(fmt::format("trunc {} {} to {}", wide, position, narrow));
  const std::string step = text_.define(fmt::format("add {} {}, {}", narrow, position, number(kPositionStep)));
  const std::string x = text_.define(fmt::format("mul {} {}, {}", narrow, step, number(kPositionFactor)));
  const std::string high = text_.define(fmt::format("lshr {} {}, {}", narrow, x, number(kPositionShift)));
  std::string mixed = text_.define(fmt::format("xor {} {}, {}", narrow, x, high));
  mixed = masked(text_, {mixed, ElemType::kI32}, mask, {"zeroinitializer", ElemType::kI32}).text;
  const std::string widened = text_.define(fmt::format("zext {} {} to {}", narrow, mixed, wide));
  const std::string hash = text_.define(fmt::format("mul {} {}, {}", wide, widened, widened));
  return text_.define(ElemType::kI64, fmt::format("add {} {}, {}", wide, sum.text, hash));
}

}  // namespace cvl::cpu

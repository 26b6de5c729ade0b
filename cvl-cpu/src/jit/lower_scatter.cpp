#include "jit/lower_scatter.h"

#include <algorithm>
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
    const auto first = std::ranges::find_if(loop_.scatters, [&](const Loop::Scatter& other) {
      return !vcode::has_defaults(other.step->op) && vcode::flags_of(other.step->op) < 0 &&
             other.step->operands[1] == scatter.step->operands[1];
    });
    const bool has_flags = vcode::has_flags(scatter.step->op);
    members_.push_back(
        {result, bound, is_checked ? load_member(text_, loop_.arguments, scatter.hashes) : "",
         room(types_[scatter.step->operands[0]]), room(index),
         is_checked && !has_flags ? static_cast<std::size_t>(first - loop_.scatters.begin()) : members_.size()});
  }
}

/// Memory on the stack for lanes of a type, to be reserved in the entry block.
std::string ScatterWriter::room(ElemType type) {
  return text_.define(fmt::format("alloca <{} x {}>, align {}", text_.lanes(), LlvmText::stored(type), kLineBytes));
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

std::string ScatterWriter::add(std::size_t k, const Operand& elements, const Operand& indexed,
                               std::span<LaneValue> sums, const std::string& mask) {
  const Members& members = members_[k];
  const LaneValue& index = indexed.lanes;
  const ElemType type = elements.lanes.type;
  const int n = text_.lanes();
  const std::string bits = text_.type(ElemType::kB8), indices = text_.type(index.type);
  // Compare as unsigned, so that negative indices are out of range, too.
  std::string faults = text_.define(fmt::format("icmp uge {} {}, {}", indices, index.text, members.bound));
  if (!mask.empty()) faults = text_.define(fmt::format("and {} {}, {}", bits, faults, mask));
  if (!members.sum.empty()) sums[k] = members.sum_of < k ? sums[members.sum_of] : with_hashes(sums[k], index, mask);
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
    store_each(members, elements, indexed);
  } else {
    const std::string vector = fmt::format("<{} x {}>", n, LlvmText::stored(type));
    const std::string stored = as_stored(elements.lanes);
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

/// Stores lane by lane, in order; instructions that scatter are no faster. Reading lanes back from memory takes fewer
/// instructions than moving them out of a register.
void ScatterWriter::store_each(const Members& members, const Operand& elements, const Operand& index) {
  const std::string_view stored = LlvmText::stored(elements.lanes.type);
  const std::string from = in_memory(elements, members.elements), places = in_memory(index, members.indices);
  const auto lane_of = [&](ElemType type, const std::string& address, int lane) {
    return text_.define(fmt::format("load {}, ptr {}", LlvmText::stored(type),
                                    element_address(text_, type, address, std::to_string(lane))));
  };
  for (int lane = 0; lane < text_.lanes(); ++lane) {
    std::string at = lane_of(index.lanes.type, places, lane);
    if (index.lanes.type == ElemType::kI32) at = text_.define(fmt::format("zext i32 {} to i64", at));
    const std::string to = element_address(text_, elements.lanes.type, members.result, at);
    text_.line(fmt::format("store {} {}, ptr {}", stored, lane_of(elements.lanes.type, from, lane), to));
  }
}

/// Address of the lanes of an operand, which are stored in the room for them if they are not in memory.
std::string ScatterWriter::in_memory(const Operand& operand, const std::string& room) {
  if (!operand.address.empty()) return operand.address;
  text_.line(fmt::format("store <{} x {}> {}, ptr {}, align {}", text_.lanes(), LlvmText::stored(operand.lanes.type),
                         as_stored(operand.lanes), room, kLineBytes));
  return room;
}

/// The lanes of a value as they are in memory.
std::string ScatterWriter::as_stored(const LaneValue& lanes) {
  if (lanes.type != ElemType::kB8) return lanes.text;
  return text_.define(fmt::format("zext {} {} to <{} x i8>", text_.type(ElemType::kB8), lanes.text, text_.lanes()));
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

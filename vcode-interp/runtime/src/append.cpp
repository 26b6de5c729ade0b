#include "append.h"

#include <cstddef>

namespace runtime {

namespace {

/// APPENDs that have made a vector, from which on the next one gives its result room for as many elements as it has:
/// two in a row are often all there are.
constexpr std::uint8_t kJoinsBeforeRoom = 2;
constexpr std::uint8_t kMostJoins = 255;
/// One in this of the memory limit is the most room that a result gets.
constexpr std::size_t kRoomShare = 8;

/// The operands of an APPEND that have elements, in order.
struct Parts {
  std::array<int, 3> operands{};
  int count = 0;
  int longest = 0;  ///< index in `operands`

  Parts(const Operation& o, int all) {
    for (int k = 0; k < all; ++k) {
      if (o.base[k].length() == 0) continue;
      operands[count] = k;
      if (o.base[k].length() > o.base[operands[longest]].length()) longest = count;
      ++count;
    }
  }
};

/// Elements of a result in front of its longest part, and behind it.
struct Others {
  std::int64_t before = 0, behind = 0;

  Others(const Operation& o, const Parts& parts) {
    for (int p = 0; p < parts.count; ++p) {
      if (p == parts.longest) continue;
      (p < parts.longest ? before : behind) += o.base[parts.operands[p]].length();
    }
  }
};

/// The vector that an append to one segment may extend; null if something else refers to it, or it is not in memory
/// that the backend has given.
VectorObject* extensible(Operation& o, const Parts& parts) {
  const Value& v = o.base[parts.operands[parts.longest]];
  if (o.placement.on_host || !o.placement.at.unified || v.tag() != Value::Tag::kVector || !v.is_unique())
    return nullptr;
  VectorObject* const object = v.vector();
  return object->device_bytes > 0 && object->heap == &o.heap() ? object : nullptr;
}

/// Copies the other parts to their places beside the longest, which has been extended by them.
bool fill_extended(Operation& o, const Parts& parts, VectorObject* extended, const Others& others) {
  ++extended->refs;
  Value value = Value::adopt(extended);
  const std::int64_t kept = extended->length - others.before - others.behind;
  auto* at = static_cast<std::byte*>(extended->device);
  for (int p = 0; p < parts.count; ++p) {
    std::int64_t length = kept;
    if (p != parts.longest) {
      const Operand part = o.operand(parts.operands[p]);
      if (!o.ready()) return false;
      length = part.length;
      const JoinPart none = JoinPart::none(part.type, 1);
      const SegmentDescriptor one = SegmentDescriptor::single(length);
      o.issue(Append{{{JoinPart{part, one}, none, none}, one}, {part.type, length, at}});
    }
    at += static_cast<std::size_t>(length) * elem_size(extended->type);
  }
  return o.checked() && o.finish(std::move(value));
}

/// A result of one segment with room for as many elements as it has, on the side where the longest part gets longer;
/// kNone if it does on both, or memory is scarce.
Value with_room(Operation& o, const Others& others, std::int64_t length) {
  if (others.before > 0 && others.behind > 0) return Value();
  const ElemType type = o.result_type();
  const std::size_t most = o.heap().device().memory_use().limit / kRoomShare / elem_size(type);
  const auto room = static_cast<std::int64_t>(std::min(static_cast<std::size_t>(length), most));
  VectorObject* const object =
      o.heap().make_extensible(type, length, others.before > 0 ? room : 0, others.behind > 0 ? room : 0);
  return object == nullptr ? Value() : Value::adopt(object);
}

}  // namespace

bool run_append(Operation& o, int n) {
  const Value& whole = o.base[2 * n];
  std::array<std::int64_t, 3> lengths;
  for (int k = 0; k < n; ++k) lengths[k] = o.base[k].length();
  const std::int64_t elements = whole.elements();
  if (!o.fill_result("elements", std::span(lengths.data(), static_cast<std::size_t>(n)), elements)) return false;
  const Parts parts(o, n);
  const bool single = whole.segments() == 1;
  if (single && parts.count <= 1) return o.finish(Value(o.base[parts.count == 0 ? 0 : parts.operands[0]]));
  std::int64_t sum = 0;
  for (int p = 0; p < parts.count; ++p) sum = joined_sum(sum, known_sum(o.base[parts.operands[p]]));

  const Others others(o, parts);
  VectorObject* const longest = single ? extensible(o, parts) : nullptr;
  const std::uint8_t joins = longest == nullptr ? std::uint8_t{0} : longest->joins;
  if (longest != nullptr && o.heap().extend(longest, others.before, others.behind)) {
    if (!fill_extended(o, parts, longest, others)) return false;
    note_sum(o.base[0], sum);
    return true;
  }
  const auto part = [&](int p) {
    return p < parts.count ? JoinPart{o.operand(parts.operands[p]), o.descriptor_of_starts(n + parts.operands[p])}
                           : JoinPart::none(o.result_type(), whole.segments());
  };
  // The offsets of all descriptors come first, and then heads: a device makes offsets in one launch.
  Append append{{{part(0), part(1), part(2)}, o.descriptor(2 * n)}, o.later()};
  Value value = joins >= kJoinsBeforeRoom ? with_room(o, others, elements) : Value();
  if (value.tag() == Value::Tag::kNone) value = o.fresh(o.result_type(), elements);
  if (!o.run(append, std::move(value))) return false;
  note_sum(o.base[0], sum);
  if (single && o.base[0].tag() == Value::Tag::kVector && joins < kMostJoins) o.base[0].vector()->joins = joins + 1;
  return true;
}

}  // namespace runtime

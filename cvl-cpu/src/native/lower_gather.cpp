#include "native/lower_gather.h"

#include <cstdint>

#include <fmt/format.h>

namespace cvl::cpu {

std::string gather_bound(LlvmText& text, const std::string& elements, ElemType index) {
  const auto most = std::uint64_t{1} << (8 * elem_size(index) - 1);
  std::string bound = text.call("i64", "llvm.umin.i64", "i64, i64", fmt::format("i64 {}, i64 {}", elements, most));
  const std::string_view type = LlvmText::stored(index);
  if (index != ElemType::kI64) bound = text.define(fmt::format("trunc i64 {} to {}", bound, type));
  return text.spread(index, bound);
}

LoweredOperation lower_gather(LlvmText& text, const GatherTable& table, ElemType result, const LaneValue& index,
                              const LaneValue* flags, const std::string& present) {
  const int n = text.lanes();
  const std::string bits = text.type(ElemType::kB8), indices = text.type(index.type);
  const auto both = [&](const std::string& x, const std::string& y) {
    return text.define(fmt::format("and {} {}, {}", bits, x, y));
  };
  // Taken as unsigned, negative indices are out of range, too.
  LoweredOperation lowered;
  lowered.faults = text.define(fmt::format("icmp uge {} {}, {}", indices, index.text, table.bound));
  std::string read = text.define(fmt::format("icmp ult {} {}, {}", indices, index.text, table.bound));
  if (flags != nullptr) {
    lowered.faults = both(lowered.faults, flags->text);
    read = both(read, flags->text);
  }
  if (!present.empty()) read = both(read, present);

  const bool masked = text.target().gathers_with_mask && result != ElemType::kB8;
  const std::string places = masked ? index.text
                                    : text.define(fmt::format("select {} {}, {} {}, {} zeroinitializer", bits, read,
                                                              indices, index.text, indices));
  const std::string_view stored = LlvmText::stored(result);
  const std::string addresses =
      text.define(fmt::format("getelementptr {}, ptr {}, {} {}", stored, table.address, indices, places));
  const std::string vector = fmt::format("<{} x {}>", n, stored);
  const std::string name = fmt::format("llvm.masked.gather.{}.v{}p0", text.stored_overload(result), n);
  std::string value = text.call(vector, name, fmt::format("<{} x ptr>, i32, {}, {}", n, bits, vector),
                                fmt::format("<{} x ptr> {}, i32 {}, {} {}, {} zeroinitializer", n, addresses,
                                            elem_size(result), bits, masked ? read : "splat (i1 true)", vector));
  lowered.value = text.from_stored(result, value);
  if (flags != nullptr && !masked) {
    const std::string type = text.type(result);
    lowered.value = text.define(result, fmt::format("select {} {}, {} {}, {} zeroinitializer", bits, flags->text, type,
                                                    lowered.value.text, type));
  }
  return lowered;
}

}  // namespace cvl::cpu

#include "native/lower_memory.h"

#include <algorithm>

#include <fmt/format.h>

namespace cvl::cpu {

namespace {

std::string stored_vector(const LlvmText& text, ElemType type) {
  return fmt::format("<{} x {}>", text.lanes(), LlvmText::stored(type));
}

std::int64_t bytes_of_lanes(const LlvmText& text, ElemType type) {
  return text.lanes() * static_cast<std::int64_t>(elem_size(type));
}

}  // namespace

std::string element_address(LlvmText& text, ElemType type, const std::string& vector, std::string_view element) {
  return text.define(fmt::format("getelementptr {}, ptr {}, i64 {}", LlvmText::stored(type), vector, element));
}

LaneValue lower_load(LlvmText& text, ElemType type, const std::string& address, const std::string& mask) {
  const std::string vector = stored_vector(text, type), bits = text.type(ElemType::kB8);
  if (mask.empty())
    return text.from_stored(type,
                            text.define(fmt::format("load {}, ptr {}, align {}", vector, address, elem_size(type))));
  const std::string ones = type == ElemType::kB8 ? "splat (i8 1)" : text.splat_int(type, 1).text;
  return text.from_stored(
      type, text.call(vector, fmt::format("llvm.masked.load.{}.p0", text.stored_overload(type)),
                      fmt::format("ptr, i32, {}, {}", bits, vector),
                      fmt::format("ptr {}, i32 {}, {} {}, {} {}", address, elem_size(type), bits, mask, vector, ones)));
}

void lower_store(LlvmText& text, const LaneValue& value, const std::string& address, const std::string& mask) {
  const ElemType type = value.type;
  const std::string vector = stored_vector(text, type), bits = text.type(ElemType::kB8);
  std::string stored = value.text;
  if (type == ElemType::kB8) stored = text.define(fmt::format("zext {} {} to {}", bits, stored, vector));
  if (mask.empty())
    return text.line(fmt::format("store {} {}, ptr {}, align {}", vector, stored, address, elem_size(type)));
  text.call("void", fmt::format("llvm.masked.store.{}.p0", text.stored_overload(type)),
            fmt::format("{}, ptr, i32, {}", vector, bits),
            fmt::format("{} {}, ptr {}, i32 {}, {} {}", vector, stored, address, elem_size(type), bits, mask));
}

void lower_stream_or_store(LlvmText& text, const LaneValue& value, const std::string& address,
                           const std::string& past) {
  const std::string vector = stored_vector(text, value.type);
  const int number = text.next_number();
  text.line(fmt::format("br i1 {0}, label %past.{1}, label %near.{1}", past, number));
  text.label(fmt::format("past.{}", number));
  text.line(fmt::format("store {} {}, ptr {}, align {}, !nontemporal !0", vector, value.text, address,
                        std::min<std::int64_t>(bytes_of_lanes(text, value.type), kLineBytes)));
  text.line(fmt::format("br label %stored.{}", number));
  text.label(fmt::format("near.{}", number));
  lower_store(text, value, address, "");
  text.line(fmt::format("br label %stored.{}", number));
  text.label(fmt::format("stored.{}", number));
}

void fetch_ahead(LlvmText& text, ElemType type, const std::string& address, std::int64_t distance) {
  for (std::int64_t byte = 0; byte < bytes_of_lanes(text, type); byte += kLineBytes) {
    const std::string ahead = text.define(fmt::format("getelementptr i8, ptr {}, i64 {}", address, distance + byte));
    text.call("void", "llvm.prefetch.p0", "ptr, i32, i32, i32", fmt::format("ptr {}, i32 0, i32 3, i32 1", ahead));
  }
}

}  // namespace cvl::cpu

#include "lanes/llvm_text.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

namespace cvl::cpu {

namespace {

constexpr std::string_view kX86 = "x86_64-unknown-linux-gnu", kArm = "aarch64-unknown-linux-gnu";

constexpr std::pair<std::string_view, NativeTarget> kTargets[] = {
    {"avx512", {kX86, "x86-64-v4", 64, "avx512", true, true, true}},
    {"avx2", {kX86, "x86-64-v3", 32, "avx2", true, false, false}},
    {"sse2", {kX86, "x86-64", 16, "baseline", false, false, false}},
    {"neon", {kArm, "generic", 16, "baseline", false, false, false}},
};

/// Name of the instruction set for which the "baseline" loops are compiled.
constexpr std::string_view kBaseline =
#if defined(__x86_64__)
    "sse2";
#elif defined(__aarch64__)
    "neon";
#else
    "";
#endif

}  // namespace

const NativeTarget* native_target(std::string_view simd) {
  const std::string_view wanted = simd == "baseline" ? kBaseline : simd;
  for (const auto& [name, target] : kTargets)
    if (name == wanted) return &target;
  return nullptr;
}

std::string_view LlvmText::stored(ElemType t) {
  constexpr std::string_view kNames[] = {"i32", "i64", "float", "double", "i8", "i8"};
  return kNames[static_cast<int>(t)];
}

std::string LlvmText::type(ElemType t, int lanes) const {
  return fmt::format("<{} x {}>", lanes, t == ElemType::kB8 ? "i1" : stored(t));
}

std::string LlvmText::overload(ElemType t) const {
  constexpr std::string_view kNames[] = {"i32", "i64", "f32", "f64", "i1", "i8"};
  return fmt::format("v{}{}", lanes_, kNames[static_cast<int>(t)]);
}

std::string LlvmText::stored_overload(ElemType t) const {
  return t == ElemType::kB8 ? fmt::format("v{}i8", lanes_) : overload(t);
}

void LlvmText::line(std::string_view text) { insert(body_.size(), text); }

void LlvmText::insert(std::size_t position, std::string_view text) {
  body_.insert(position, fmt::format("  {}\n", text));
}

void LlvmText::label(std::string_view name) {
  block_ = name;
  body_ += fmt::format("{}:\n", name);
}

std::string LlvmText::define(std::string_view instruction) {
  std::string name = fmt::format("%t{}", values_++);
  line(fmt::format("{} = {}", name, instruction));
  return name;
}

LaneValue LlvmText::part(const LaneValue& value, int first, int n) {
  if (n == lanes_) return value;
  std::string numbers;
  for (int k = 0; k < n; ++k) numbers += fmt::format("{}i32 {}", k > 0 ? ", " : "", first + k);
  const std::string t = type(value.type);
  return define(value.type,
                fmt::format("shufflevector {} {}, {} poison, <{} x i32> <{}>", t, value.text, t, n, numbers));
}

LaneValue LlvmText::joined(std::vector<LaneValue> parts, int n) {
  for (; parts.size() > 1; n *= 2) {
    std::string numbers;
    for (int k = 0; k < 2 * n; ++k) numbers += fmt::format("{}i32 {}", k > 0 ? ", " : "", k);
    for (std::size_t k = 0; k < parts.size() / 2; ++k) {
      const LaneValue &x = parts[2 * k], &y = parts[2 * k + 1];
      const std::string t = type(x.type, n);
      parts[k] = define(
          x.type, fmt::format("shufflevector {} {}, {} {}, <{} x i32> <{}>", t, x.text, t, y.text, 2 * n, numbers));
    }
    parts.resize(parts.size() / 2);
  }
  return parts[0];
}

std::string LlvmText::spread(ElemType t, const std::string& element) {
  const std::string vector = fmt::format("<{} x {}>", lanes_, stored(t));
  const std::string first = define(fmt::format("insertelement {} poison, {} {}, i64 0", vector, stored(t), element));
  return define(
      fmt::format("shufflevector {} {}, {} poison, <{} x i32> zeroinitializer", vector, first, vector, lanes_));
}

LaneValue LlvmText::from_stored(ElemType t, const std::string& vector) {
  if (t != ElemType::kB8) return {vector, t};
  return define(t, fmt::format("icmp ne <{} x i8> {}, zeroinitializer", lanes_, vector));
}

/// LLVM writes a float, of any size, as the bits of a double.
LaneValue LlvmText::splat(ElemType t, double number) {
  return {fmt::format("splat ({} 0x{:016X})", stored(t), std::bit_cast<std::uint64_t>(number)), t};
}

LaneValue LlvmText::splat_int(ElemType t, std::int64_t number) {
  if (is_float(t)) return splat(t, static_cast<double>(number));
  if (t == ElemType::kB8) return {number != 0 ? "splat (i1 true)" : "splat (i1 false)", t};
  return {fmt::format("splat ({} {})", stored(t), number), t};
}

std::string LlvmText::call(const std::string& result, const std::string& function, std::string_view parameters,
                           const std::string& arguments) {
  declarations_.insert(fmt::format("declare {} @{}({})", result, function, parameters));
  if (result == "void") {
    line(fmt::format("call void @{}({})", function, arguments));
    return "";
  }
  return define(fmt::format("call {} @{}({})", result, function, arguments));
}

namespace {

std::string stored_vector(const LlvmText& text, ElemType type) {
  return fmt::format("<{} x {}>", text.lanes(), LlvmText::stored(type));
}

std::int64_t bytes_of_lanes(const LlvmText& text, ElemType type) {
  return text.lanes() * static_cast<std::int64_t>(elem_size(type));
}

}  // namespace

std::string load_member(LlvmText& text, const kernels::ArgumentStruct& arguments, kernels::Member member) {
  const kernels::ArgumentStruct::Entry& entry = arguments[member];
  const std::string address = text.define(fmt::format("getelementptr i64, ptr %arguments, i64 {}", member.number));
  const bool is_address = entry.type == kernels::ArgumentStruct::Type::kAddress;
  return text.define(fmt::format("load {}, ptr {}", is_address ? "ptr" : "i64", address));
}

std::string lanes_that(LlvmText& text, std::string_view predicate, const std::string& number) {
  std::string numbers;
  for (int k = 0; k < text.lanes(); ++k) numbers += fmt::format("{}i32 {}", k > 0 ? ", " : "", k);
  const std::string limit = text.spread(ElemType::kI32, text.define(fmt::format("trunc i64 {} to i32", number)));
  return text.define(fmt::format("icmp {} <{} x i32> <{}>, {}", predicate, text.lanes(), numbers, limit));
}

LaneValue masked(LlvmText& text, const LaneValue& value, const std::string& mask, const LaneValue& other) {
  if (mask.empty()) return value;
  const std::string t = text.type(value.type);
  return text.define(value.type, fmt::format("select {} {}, {} {}, {} {}", text.type(ElemType::kB8), mask, t,
                                             value.text, t, other.text));
}

std::string element_address(LlvmText& text, ElemType type, const std::string& vector, std::string_view element) {
  return text.define(fmt::format("getelementptr {}, ptr {}, i64 {}", LlvmText::stored(type), vector, element));
}

LaneValue lower_load(LlvmText& text, ElemType type, const std::string& address, const std::string& mask) {
  const std::string vector = stored_vector(text, type), bits = text.type(ElemType::kB8);
  if (mask.empty())
    return text.from_stored(type,
                            text.define(fmt::format("load {}, ptr {}, align {}", vector, address, elem_size(type))));
  const std::string ones = type == ElemType::kB8 ? "splat (i8 1)" : LlvmText::splat_int(type, 1).text;
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
    text.call("void", "llvm.prefetch.p0", "ptr, i32, i32, i32", fmt::format("ptr {}, i32 0, i32 2, i32 1", ahead));
  }
}

}  // namespace cvl::cpu

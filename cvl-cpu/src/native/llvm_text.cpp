#include "native/llvm_text.h"

#include <bit>
#include <utility>

#include <fmt/format.h>

namespace cvl::cpu {

namespace {

constexpr std::string_view kX86 = "x86_64-unknown-linux-gnu", kArm = "aarch64-unknown-linux-gnu";

constexpr std::pair<std::string_view, NativeTarget> kTargets[] = {
    {"avx512", {kX86, "x86-64-v4", 64, "_ZGVeN", true, true, true}},
    {"avx2", {kX86, "x86-64-v3", 32, "_ZGVdN", true, false, false}},
    {"sse2", {kX86, "x86-64", 16, "_ZGVbN", false, false, false}},
    {"neon", {kArm, "generic", 16, "", false, false, false}},
};

/// What the loops called "baseline" are compiled for.
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
  constexpr std::string_view kNames[] = {"i32", "i64", "float", "double", "i8"};
  return kNames[static_cast<int>(t)];
}

std::string LlvmText::type(ElemType t, int lanes) const {
  return fmt::format("<{} x {}>", lanes, t == ElemType::kB8 ? "i1" : stored(t));
}

std::string LlvmText::overload(ElemType t) const {
  constexpr std::string_view kNames[] = {"i32", "i64", "f32", "f64", "i1"};
  return fmt::format("v{}{}", lanes_, kNames[static_cast<int>(t)]);
}

std::string LlvmText::stored_overload(ElemType t) const {
  return t == ElemType::kB8 ? fmt::format("v{}i8", lanes_) : overload(t);
}

void LlvmText::line(std::string_view text) { insert(body_.size(), text); }

void LlvmText::insert(std::size_t place, std::string_view text) { body_.insert(place, fmt::format("  {}\n", text)); }

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

/// Floats are written as the bits of a double, whatever their type.
LaneValue LlvmText::splat(ElemType t, double number) const {
  return {fmt::format("splat ({} 0x{:016X})", stored(t), std::bit_cast<std::uint64_t>(number)), t};
}

LaneValue LlvmText::splat_int(ElemType t, std::int64_t number) const {
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

}  // namespace cvl::cpu

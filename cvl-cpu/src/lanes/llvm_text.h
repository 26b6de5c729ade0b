#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/loop.h"
#include "vcode/types.h"

namespace cvl::cpu {

using kernels::Loop;
using vcode::ElemType;

/// Size of a cache line.
inline constexpr int kLineBytes = 64;

/// Processor and vector registers for which functions in LLVM assembly are written.
struct NativeTarget {
  std::string_view triple;  ///< LLVM's name of the kind of machine, written into the assembly
  std::string_view cpu;     ///< LLVM's name of the processor
  int register_bytes = 0;   ///< size of a vector register
  std::string_view simd;    ///< instruction set whose vector functions are called (vector_function_name())
  /// Whether one instruction does a masked load of numbers of 4 or 8 bytes, or of truth values.
  bool loads_numbers_with_mask = false, loads_bytes_with_mask = false;
  /// Whether one instruction does a masked gather of numbers.
  bool gathers_with_mask = false;

  bool is_x86() const { return triple.starts_with("x86_64"); }
};
/// Target for an instruction set: "avx512", "avx2", "sse2" or "neon", on any machine; or "baseline", the name in
/// Kernels::name for the instructions that every machine of this kind has. Null if kernels are not compiled for it.
const NativeTarget* native_target(std::string_view simd);

/// A value of a function in LLVM assembly: a vector with one lane for each of the elements that are computed together.
/// Truth values are lanes of one bit.
struct LaneValue {
  std::string text;
  ElemType type = ElemType::kI32;
  /// Of a divisor that does not change in a loop, computed once (see lower_divisor()), and empty for other values: the
  /// reciprocal; of an INT the sign; of a FLOAT the error of the reciprocal, and a bound of the dividends it serves.
  std::string reciprocal = {}, sign = {}, error = {}, bound = {};
};

/// Writes the body of a function in LLVM assembly.
class LlvmText {
 public:
  LlvmText(const NativeTarget& target, int lanes) : target_(target), lanes_(lanes) {}

  const NativeTarget& target() const { return target_; }
  int lanes() const { return lanes_; }
  /// Sets the number of lanes of the values that are written next.
  void set_lanes(int lanes) { lanes_ = lanes; }
  /// Type of a vector, as "<8 x double>", with lanes() or the given number of lanes.
  std::string type(ElemType t) const { return type(t, lanes_); }
  std::string type(ElemType t, int lanes) const;
  /// Type of a stored element: "i32", "double".
  static std::string_view stored(ElemType t);
  /// The suffix of an intrinsic function for vectors of t: "v8f64".
  std::string overload(ElemType t) const;
  /// The suffix of an intrinsic function for vectors of stored elements: "v8i8" for truth values.
  std::string stored_overload(ElemType t) const;
  static bool is_float(ElemType t) { return t == ElemType::kF32 || t == ElemType::kF64; }

  void line(std::string_view text);
  /// Begins a basic block.
  void label(std::string_view name);
  /// Name of the basic block that is being written.
  const std::string& block() const { return block_; }
  /// A number for names of basic blocks, a new one at each call.
  int next_number() { return numbers_++; }
  /// Defines a new value as the result of an instruction, and returns its name "%…".
  std::string define(std::string_view instruction);
  LaneValue define(ElemType t, std::string_view instruction) { return {define(instruction), t}; }
  /// Loaded elements as lanes: one element in all lanes, or a vector of elements.
  std::string spread(ElemType t, const std::string& element);
  LaneValue from_stored(ElemType t, const std::string& vector);
  /// A number in all lanes.
  static LaneValue splat(ElemType t, double number);
  static LaneValue splat_int(ElemType t, std::int64_t number);
  /// Calls a function of LLVM's or of a library, and declares it at the end of the text.
  std::string call(const std::string& result, const std::string& function, std::string_view parameters,
                   const std::string& arguments);

  /// Adds a declaration or definition at the end of the text.
  void declare(std::string line) { declarations_.insert(std::move(line)); }

  /// Lanes [first, first + n) of a value.
  LaneValue part(const LaneValue& value, int first, int n);
  /// Concatenates the lanes of several values of n lanes each. The number of values must be a power of two.
  LaneValue joined(std::vector<LaneValue> parts, int n);
  /// Inserts a line into the body, at an earlier size of the body.
  void insert(std::size_t position, std::string_view text);

  const std::string& body() const { return body_; }
  const std::set<std::string>& declarations() const { return declarations_; }

 private:
  const NativeTarget& target_;
  int lanes_;
  std::string body_, block_;
  std::set<std::string> declarations_;
  int values_ = 0, numbers_ = 0;
};

/// Appends a load of a member of the function's argument, %arguments.
std::string load_member(LlvmText& text, const kernels::ArgumentStruct& arguments, kernels::Member member);

/// Lanes, as a vector of bits, whose numbers 0, 1, … compare as `predicate` says with `number`, an i64 that fits into
/// an i32.
std::string lanes_that(LlvmText& text, std::string_view predicate, const std::string& number);

/// `value` in the lanes of `mask`, `other` in the rest; `value` everywhere if the mask is empty.
LaneValue masked(LlvmText& text, const LaneValue& value, const std::string& mask, const LaneValue& other);

// Elements in memory: as many as the text has lanes, stored as in vectors of the backend.

/// The address of an element.
std::string element_address(LlvmText& text, ElemType type, const std::string& vector, std::string_view element);

/// Appends a load. If `mask` is not empty, only its lanes are loaded; the others are ones.
LaneValue lower_load(LlvmText& text, ElemType type, const std::string& address, const std::string& mask);

/// Appends a store. If `mask` is not empty, only its lanes are stored.
void lower_store(LlvmText& text, const LaneValue& value, const std::string& address, const std::string& mask);

/// Appends a store of numbers that bypasses the cache if the i1 `past` is true, in which case the address must be a
/// multiple of the size of the vector; otherwise an ordinary store.
void lower_stream_or_store(LlvmText& text, const LaneValue& value, const std::string& address, const std::string& past);

/// Prefetches, into the second-level cache, the cache lines `distance` bytes after the elements. More of these
/// prefetches can be in flight than of those into the first-level cache.
void fetch_ahead(LlvmText& text, ElemType type, const std::string& address, std::int64_t distance);

}  // namespace cvl::cpu

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vcode/types.h"

namespace cvl::cpu {

using vcode::ElemType;

/// Of a line of the caches.
inline constexpr int kLineBytes = 64;

/// The vectors of an instruction set, as functions in LLVM assembly are made for it.
struct NativeTarget {
  std::string_view triple;  ///< LLVM's name of the kind of machine, written to the assembly
  std::string_view cpu;     ///< as LLVM calls it
  int register_bytes = 0;   ///< of a vector register
  std::string_view simd;    ///< the instruction set whose loops have the functions (vector_function_name())
  /// Whether a load of numbers of 4 or 8 bytes, or of truth values, with lanes that read nothing is one instruction.
  bool loads_numbers_with_mask = false, loads_truth_with_mask = false;
  /// Whether a gather of numbers with such lanes is.
  bool gathers_with_mask = false;

  bool is_x86() const { return triple.starts_with("x86_64"); }
};
/// Of an instruction set: "avx512", "avx2", "sse2" or "neon", whatever machine this is; or "baseline", as Kernels::name
/// calls what every machine of this kind has. Null if kernels are not compiled for it.
const NativeTarget* native_target(std::string_view simd);

/// A value of a function in LLVM assembly: a vector with one lane for each element that is computed together. Truth
/// values are lanes of one bit.
struct LaneValue {
  std::string text;
  ElemType type = ElemType::kI32;
  /// Of a divisor that is the same in all lanes and in the whole run, computed once: see lower_divisor(). Empty else.
  std::string reciprocal = {}, sign = {};
};

/// Writes the body of a function in LLVM assembly.
class LlvmText {
 public:
  LlvmText(const NativeTarget& target, int lanes) : target_(target), lanes_(lanes) {}

  const NativeTarget& target() const { return target_; }
  int lanes() const { return lanes_; }
  /// For values with another number of lanes, which are written next.
  void set_lanes(int lanes) { lanes_ = lanes; }
  /// "<8 x double>"; of another number of lanes, if that is given.
  std::string type(ElemType t) const { return type(t, lanes_); }
  std::string type(ElemType t, int lanes) const;
  /// "i32", "double": how an element is stored.
  static std::string_view stored(ElemType t);
  /// The suffix of an intrinsic function: "v8f64".
  std::string overload(ElemType t) const;
  /// The same of a vector of elements as they are stored: "v8i8" for truth values.
  std::string stored_overload(ElemType t) const;
  static bool is_float(ElemType t) { return t == ElemType::kF32 || t == ElemType::kF64; }

  void line(std::string_view text);
  /// Begins a block.
  void label(std::string_view name);
  /// The name of the block that is being written.
  const std::string& block() const { return block_; }
  /// A number for the names of blocks, another one each time.
  int next_number() { return numbers_++; }
  /// A new value "%…" = what the instruction computes.
  std::string define(std::string_view instruction);
  LaneValue define(ElemType t, std::string_view instruction) { return {define(instruction), t}; }
  /// A stored element, in all lanes; a vector of elements that were stored.
  std::string spread(ElemType t, const std::string& element);
  LaneValue from_stored(ElemType t, const std::string& vector);
  /// All lanes the same number.
  LaneValue splat(ElemType t, double number) const;
  LaneValue splat_int(ElemType t, std::int64_t number) const;
  /// Calls a function of LLVM's or of a library, which is declared at the end of the text.
  std::string call(const std::string& result, const std::string& function, std::string_view parameters,
                   const std::string& arguments);

  /// Something that is declared, or defined, at the end of the text.
  void declare(std::string line) { declarations_.insert(std::move(line)); }

  /// Lanes [first, first + n) of a value.
  LaneValue part(const LaneValue& value, int first, int n);
  /// The lanes of several values of n lanes each, one behind the other. The number of values must be a power of two.
  LaneValue joined(std::vector<LaneValue> parts, int n);
  /// Inserts a line at a place in the body: what its size was.
  void insert(std::size_t place, std::string_view text);

  const std::string& body() const { return body_; }
  const std::set<std::string>& declarations() const { return declarations_; }

 private:
  const NativeTarget& target_;
  int lanes_;
  std::string body_, block_;
  std::set<std::string> declarations_;
  int values_ = 0, numbers_ = 0;
};

/// Appends the load of the k-th of the words that a function is handed.
std::string load_word(LlvmText& text, std::string_view type, std::size_t k);

/// Lanes as a vector of bits: those whose numbers compare so with this i64, which is not larger than an i32 can be.
std::string lanes_that(LlvmText& text, std::string_view predicate, const std::string& number);

/// A value with another one in the lanes that are not in `mask`; itself if that is empty.
LaneValue masked(LlvmText& text, const LaneValue& value, const std::string& mask, const LaneValue& other);

// Elements in memory, as many as the text has lanes, stored as vectors of backends are.

/// The address of an element.
std::string element_address(LlvmText& text, ElemType type, const std::string& vector, std::string_view element);

/// Appends a load; with `mask`, unless it is empty, of these lanes only: others are ones.
LaneValue lower_load(LlvmText& text, ElemType type, const std::string& address, const std::string& mask);

/// Appends a store; with `mask`, unless it is empty, of these lanes only.
void lower_store(LlvmText& text, const LaneValue& value, const std::string& address, const std::string& mask);

/// Appends a store of numbers past the cache where the i1 `past` is true, to a multiple of what is stored; else as
/// ever.
void lower_stream_or_store(LlvmText& text, const LaneValue& value, const std::string& address, const std::string& past);

/// Has the processor load the lines that are `distance` bytes behind the elements, into the second-level cache: fewer
/// of them can be under way into the first.
void fetch_ahead(LlvmText& text, ElemType type, const std::string& address, std::int64_t distance);

}  // namespace cvl::cpu

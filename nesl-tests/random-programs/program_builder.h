#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "random_program.h"

namespace property {

using cvl::conformance::Rng;
using vcode::OpInfo;

inline constexpr LengthId kScalar = 0;
/// Limit of the length of vectors in a program, as far as it can be foreseen.
inline constexpr double kMostElements = 400000;
/// Vectors with fewer elements than this may become the lengths of longer segments.
inline constexpr double kFew = 100;

/// Whether a row combines elements by its monoid.
bool combines(const OpInfo& row);

/// Thrown if no value fits as an operand; the computation is dropped.
struct NoOperand {};

/// A random program under construction: its open blocks, and constants and operations appended to the innermost block.
/// Any member may throw NoOperand; operations that were appended before stay.
class ProgramBuilder {
 public:
  ProgramBuilder(Rng& rng, RandomProgram& program) : rng_(rng), program_(program) { program_.lengths = {1}; }

  // ---- Scopes: the block being filled, and the values it may use.

  struct Scope {
    Block* block;
    std::vector<ValueId> visible;
  };
  void enter(Block& block, std::vector<ValueId> visible = {}) { scopes_.push_back({&block, std::move(visible)}); }
  void leave() { scopes_.pop_back(); }
  Scope& scope() { return scopes_.back(); }

  const ValueInfo& info(ValueId v) const { return program_.values[static_cast<std::size_t>(v)]; }
  ValueInfo& info(ValueId v) { return program_.values[static_cast<std::size_t>(v)]; }
  double estimate(LengthId n) const { return program_.lengths[static_cast<std::size_t>(n)]; }
  void set_estimate(LengthId n, double elements) { program_.lengths[static_cast<std::size_t>(n)] = elements; }

  ValueId new_value(const ValueInfo& value);
  LengthId new_length(double guess);
  void append(Node node);

  // ---- Choosing

  /// Picks an element, with a preference for the last ones: recent values make computations deep.
  template <class T>
  const T& pick(const std::vector<T>& from) {
    if (from.empty()) throw NoOperand();
    auto n = static_cast<std::int64_t>(from.size());
    std::int64_t k = rng_.below(n);
    if (rng_.chance(0.5)) k = std::max(k, rng_.below(n));
    return from[static_cast<std::size_t>(k)];
  }
  template <class Accept>
  std::vector<ValueId> visible(Accept accept) {
    std::vector<ValueId> found;
    for (ValueId v : scope().visible)
      if (accept(info(v))) found.push_back(v);
    return found;
  }

  // ---- Constants

  ValueId constant(Kind kind);
  ValueId constant(Kind kind, const std::string& literal, LengthId length = kScalar);
  ValueId constant_int(std::int64_t n) { return constant(Kind::kInt, std::to_string(n)); }
  /// A constant that lengths come from; shrinking a program may reduce it.
  ValueId constant_size(std::int64_t n);
  ValueId constant_vector(Kind kind);

  // ---- Operations

  /// Appends an operation; lengths of results that no operand determines are new. Returns the results.
  std::vector<ValueId> operation(Op op, Suffix suffix, const std::vector<ValueId>& operands);
  ValueId single(Op op, Suffix suffix, const std::vector<ValueId>& operands) {
    return operation(op, suffix, operands)[0];
  }
  /// The descriptor of one segment as long as the vector v.
  ValueId whole(ValueId v);
  /// The INT c, once for each element of v.
  ValueId spread(std::int64_t c, ValueId v);
  ValueId mask(ValueId v, std::int64_t bits) { return single(Op::kAnd, Suffix::kInt, {v, spread(bits, v)}); }
  ValueId with_bit(ValueId v, std::int64_t bit) { return single(Op::kOr, Suffix::kInt, {v, spread(bit, v)}); }

 protected:
  Rng& rng_;

 private:
  ValueId written(Kind kind, std::string text, LengthId length);
  ValueId constant_text(std::int64_t characters, LengthId length);

  RandomProgram& program_;
  std::vector<Scope> scopes_;
};

}  // namespace property

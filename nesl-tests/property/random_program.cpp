#include "random_program.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace property {

using cvl::conformance::Rng;
using vcode::LengthVar;
using vcode::OpClass;
using vcode::OpInfo;
using vcode::Role;
using vcode::RoleType;
using What = Node::What;

namespace {

constexpr LengthId kScalar = 0;
/// The longest vector a program may make, as far as that can be foreseen.
constexpr double kMostElements = 400000;
/// So few segments may be a little longer.
constexpr double kFew = 100;

bool is_scan_or_reduce(const OpInfo& row) { return row.op_class == OpClass::kScan || row.op_class == OpClass::kReduce; }

/// Rows that only move elements, so that a float may be inexact.
bool only_moves(const OpInfo& row) {
  return (row.op_class == OpClass::kVector && row.op != Op::kRankUp && row.op != Op::kRankDown) ||
         row.op == Op::kSelect;
}

/// Rows whose float results may differ between backends in the last bits, or in the sign of a zero.
bool is_inexact(const OpInfo& row) {
  if (is_scan_or_reduce(row)) return row.monoid == vcode::Monoid::kMax || row.monoid == vcode::Monoid::kMin;
  return row.op_class == OpClass::kElementwise && row.signature.operand_count == 1 &&
         row.signature.operands[0].type == RoleType::kFloat && row.signature.results[0].type == RoleType::kFloat &&
         row.op != Op::kSqrt;
}

/// Nothing fits an operand here; the computation is given up.
struct NoOperand {};

class Generator {
 public:
  Generator(Rng& rng, RandomProgram& program) : rng_(rng), program_(program) {}

  void run(int nodes) {
    program_.lengths = {1};
    enter(program_.main);
    for (int k = 0; k < nodes; ++k) {
      try {
        step();
      } catch (const NoOperand&) {
        // What was computed on the way stays.
      }
    }
    program_.main.results = choose_results();
    leave();
  }

 private:
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

  ValueId new_value(const ValueInfo& value) {
    program_.values.push_back(value);
    return static_cast<ValueId>(program_.values.size()) - 1;
  }
  LengthId new_length(double guess) {
    if (guess > kMostElements) throw NoOperand();
    program_.lengths.push_back(guess);
    return static_cast<LengthId>(program_.lengths.size()) - 1;
  }
  void append(Node node) {
    scope().visible.insert(scope().visible.end(), node.results.begin(), node.results.end());
    scope().block->nodes.push_back(std::move(node));
  }

  // ---- Choosing

  template <class T>
  const T& pick(const std::vector<T>& from) {
    if (from.empty()) throw NoOperand();
    // Recent values are preferred, so that computations become deep.
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

  // ---- Computations

  ValueId constant(Kind kind) {
    switch (kind) {
      case Kind::kInt:
        if (rng_.chance(0.15)) return constant_text(1, kScalar);
        return constant_int(rng_.chance(0.1) ? static_cast<std::int32_t>(rng_.next()) : rng_.below(20) - 5);
      case Kind::kBool:
        return constant(kind, rng_.chance(0.5) ? "T" : "F");
      default:
        return constant(kind, fmt::format("{:.2f}", static_cast<double>(rng_.below(4000) - 2000) / 4));
    }
  }
  ValueId constant(Kind kind, const std::string& literal, LengthId length = kScalar) {
    // A scalar may be written as a vector of one.
    const bool bracketed = length == kScalar && rng_.chance(0.1);
    return written(kind,
                   fmt::format("CONST {} {}", vcode::suffix_name(vcode::suffix_of(kind)),
                               bracketed ? "(" + literal + ")" : literal),
                   length);
  }
  ValueId written(Kind kind, std::string text, LengthId length) {
    ValueId v = new_value({kind, length});
    append({What::kConst, {}, {}, std::move(text), -1, 0, {}, {v}});
    return v;
  }
  ValueId constant_text(std::int64_t characters, LengthId length) {
    static constexpr std::string_view kCharacters = "Qabz 019.,;(){}\\'\n";
    std::string text;
    for (std::int64_t k = 0; k < characters; ++k)
      text += kCharacters[static_cast<std::size_t>(rng_.below(std::ssize(kCharacters)))];
    return written(Kind::kInt, "CONST CHAR \"" + text + "\"", length);
  }
  ValueId constant_int(std::int64_t n) { return constant(Kind::kInt, std::to_string(n)); }
  ValueId constant_size(std::int64_t n) {
    ValueId v = constant_int(n);
    scope().block->nodes.back().size = n;
    return v;
  }
  ValueId constant_vector(Kind kind) {
    std::int64_t n = rng_.below(12);
    if (kind == Kind::kInt && rng_.chance(0.3)) return constant_text(n, new_length(static_cast<double>(n)));
    std::string text = "(";
    for (std::int64_t k = 0; k < n; ++k)
      text += kind == Kind::kBool  ? (rng_.chance(0.5) ? "T " : "F ")
              : kind == Kind::kInt ? fmt::format("{} ", rng_.below(100) - 30)
                                   : fmt::format("{:.2f} ", static_cast<double>(rng_.below(4000) - 2000) / 4);
    return constant(kind, text + ")", new_length(static_cast<double>(n)));
  }

  /// Appends an operation; lengths of results that no operand determines are new. Returns the results.
  std::vector<ValueId> operation(Op op, Suffix suffix, const std::vector<ValueId>& operands) {
    const OpInfo& row = vcode::info(op);
    std::map<LengthVar, LengthId> bound{{vcode::kScalarLength, kScalar}};
    bool exact = true;
    double longest = 0;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const Role& role = row.signature.operands[k];
      const ValueInfo& operand = info(operands[k]);
      bound[role.length] = operand.length;
      if (role.type == RoleType::kSegdes) bound[role.segments] = operand.segments;
      if (operand.kind == Kind::kFloat) exact = exact && operand.exact;
      longest = std::max(longest, estimate(operand.length));
    }
    Node node{What::kOp, op, suffix};
    node.operands = operands;
    for (int k = 0; k < row.signature.result_count; ++k) {
      const Role& role = row.signature.results[k];
      // Lengths come from small numbers (see small_lengths).
      double guess = op != Op::kMakeSegdes ? longest : longest < kFew ? 16 * longest + 8 : 4 * longest;
      for (LengthVar var : {role.length, role.segments})
        if (!bound.contains(var)) bound[var] = new_length(guess);
      ValueInfo result{vcode::Signature::kind(role, suffix), bound[role.length], bound[role.segments]};
      if (result.kind == Kind::kFloat) result.exact = exact && !is_inexact(row);
      node.results.push_back(new_value(result));
    }
    append(node);
    return node.results;
  }
  ValueId single(Op op, Suffix suffix, const std::vector<ValueId>& operands) {
    return operation(op, suffix, operands)[0];
  }

  /// The descriptor of one segment as long as the vector v.
  ValueId whole(ValueId v) {
    ValueId length = single(Op::kLength, vcode::suffix_of(info(v).kind), {v});
    ValueId segdes = single(Op::kMakeSegdes, Suffix::kNone, {length});
    info(segdes).length = info(v).length;
    return segdes;
  }
  /// The INT c, once for each element of v.
  ValueId spread(std::int64_t c, ValueId v) {
    ValueId scalar = constant_int(c);
    return info(v).length == kScalar ? scalar : single(Op::kDist, Suffix::kInt, {scalar, whole(v)});
  }
  ValueId mask(ValueId v, std::int64_t bits) { return single(Op::kAnd, Suffix::kInt, {v, spread(bits, v)}); }
  ValueId with_bit(ValueId v, std::int64_t bit) { return single(Op::kOr, Suffix::kInt, {v, spread(bit, v)}); }

  /// Integers of a length that some visible vector or descriptor has.
  ValueId ints_of_length(LengthId length) {
    if (length == kScalar) return constant(Kind::kInt);
    auto vectors = visible([&](const ValueInfo& v) {
      return v.length == length && (v.kind == Kind::kInt || v.kind == Kind::kBool || v.kind == Kind::kFloat);
    });
    if (!vectors.empty() && rng_.chance(0.8)) {
      ValueId v = pick(vectors);
      if (info(v).kind == Kind::kInt) return v;
      if (info(v).kind == Kind::kBool) return single(Op::kBoolToInt, Suffix::kNone, {v});
      return single(Op::kIndex, Suffix::kNone,
                    {constant_int(rng_.below(9) - 4), constant_int(rng_.below(9) - 4), whole(v)});
    }
    auto descriptors = visible([&](const ValueInfo& v) { return v.kind == Kind::kSegdes && v.length == length; });
    if (!descriptors.empty()) {
      ValueId s = pick(descriptors);
      ValueId lengths = single(Op::kLengths, Suffix::kNone, {s});
      return single(Op::kIndex, Suffix::kNone, {lengths, lengths, s});
    }
    if (!vectors.empty()) {
      ValueId v = pick(vectors);
      return single(Op::kIndex, Suffix::kNone, {constant_int(1), constant_int(3), whole(v)});
    }
    // The lengths of a descriptor have the length of its segments.
    auto outer = visible([&](const ValueInfo& v) { return v.kind == Kind::kSegdes && v.segments == length; });
    return single(Op::kLengths, Suffix::kNone, {pick(outer)});
  }

  ValueId random_ints(LengthId length) {
    ValueId v = ints_of_length(length);
    if (rng_.chance(0.5)) return v;
    return single(Op::kRandom, Suffix::kNone, {with_bit(v, rng_.chance(0.5) ? 1 : 1023)});
  }

  /// A vector of a kind and length: one there is, or a new one.
  ValueId vector(Kind kind, LengthId length, bool must_be_exact = true) {
    auto there = visible(
        [&](const ValueInfo& v) { return v.kind == kind && v.length == length && (v.exact || !must_be_exact); });
    if (!there.empty() && rng_.chance(0.85)) return pick(there);
    if (length == kScalar && rng_.chance(0.7)) return constant(kind);
    if (kind == Kind::kInt) return random_ints(length);
    if (kind == Kind::kBool) {
      ValueId v = random_ints(length);
      return rng_.chance(0.5) ? single(Op::kIntToBool, Suffix::kNone, {mask(v, 1)})
                              : single(Op::kLess, Suffix::kInt, {v, spread(5, v)});
    }
    return single(Op::kIntToFloat, Suffix::kNone, {random_ints(length)});
  }

  /// Integers that serve as segment lengths.
  ValueId small_lengths(LengthId length, bool no_empty) {
    ValueId v = mask(random_ints(length), estimate(length) < kFew && rng_.chance(0.3) ? 31 : 7);
    return no_empty ? with_bit(v, 1) : v;
  }

  ValueId new_descriptor(LengthId segments, bool no_empty) {
    if (estimate(segments) * 8 > kMostElements) throw NoOperand();
    ValueId s = single(Op::kMakeSegdes, Suffix::kNone, {small_lengths(segments, no_empty)});
    info(s).no_empty_segment = no_empty;
    return s;
  }

  /// A descriptor of one segment of a length that the program chooses.
  ValueId new_single() {
    std::int64_t n = rng_.chance(0.06)  ? 1000 + rng_.below(rng_.chance(0.3) ? 100000 : 9000)
                     : rng_.chance(0.1) ? rng_.below(3)
                                        : rng_.below(200);
    ValueId s = single(Op::kMakeSegdes, Suffix::kNone, {constant_size(n)});
    program_.lengths[static_cast<std::size_t>(info(s).length)] = static_cast<double>(n);
    // A shrunk program may use other sizes.
    info(s).no_empty_segment = n > 0;
    return s;
  }

  /// A descriptor with the given segments and elements, -1 being any.
  ValueId descriptor(LengthId segments, LengthId elements, bool no_empty) {
    auto there = visible([&](const ValueInfo& v) {
      return v.kind == Kind::kSegdes && (segments < 0 || v.segments == segments) &&
             (elements < 0 || v.length == elements) && (v.no_empty_segment || !no_empty);
    });
    if (!there.empty() && rng_.chance(0.8)) return pick(there);
    if (elements < 0) {
      if (segments == kScalar || (segments < 0 && rng_.chance(0.4))) return new_single();
      return new_descriptor(segments >= 0 ? segments : some_length(), no_empty);
    }
    if (segments > 0 || no_empty) return pick(there);
    auto vectors = visible(
        [&](const ValueInfo& v) { return v.length == elements && v.kind != Kind::kSegdes && v.kind != Kind::kPair; });
    return whole(pick(vectors));
  }

  /// The length of some visible vector.
  LengthId some_length() {
    auto vectors = visible([&](const ValueInfo& v) { return v.kind != Kind::kSegdes && v.kind != Kind::kPair; });
    return vectors.empty() ? kScalar : info(pick(vectors)).length;
  }

  /// Indices, one for each element of `indexing`, into the segments of `indexed`.
  ValueId indices(ValueId indexing, ValueId indexed) {
    ValueId lengths = single(Op::kLengths, Suffix::kNone, {indexed});
    ValueId limits = single(Op::kDist, Suffix::kInt, {lengths, indexing});
    ValueId v = mask(random_ints(info(indexing).length), 0x7FFFFFFF);
    return single(Op::kRemainder, Suffix::kNone, {v, limits});
  }
  /// Indices, one for each segment of s.
  ValueId segment_indices(ValueId s) {
    ValueId v = mask(random_ints(info(s).segments), 0x7FFFFFFF);
    return single(Op::kRemainder, Suffix::kNone, {v, single(Op::kLengths, Suffix::kNone, {s})});
  }

  /// Floats whose sums and products are exact in any order of association.
  ValueId associative_floats(vcode::Monoid monoid, LengthId length) {
    ValueId v = random_ints(length);
    if (monoid == vcode::Monoid::kSum)
      return single(Op::kIntToFloat, Suffix::kNone, {mask(v, estimate(length) > 10000 ? 63 : 1023)});
    // 1 or -1.
    ValueId bit = mask(v, 1);
    return single(Op::kIntToFloat, Suffix::kNone,
                  {single(Op::kSubtract, Suffix::kInt, {single(Op::kAdd, Suffix::kInt, {bit, bit}), spread(1, v)})});
  }
  /// Floats of small magnitude, with halves and quarters.
  ValueId small_floats(LengthId length) {
    ValueId v = mask(random_ints(length), 0xFFFF);
    ValueId f = single(Op::kIntToFloat, Suffix::kNone, {single(Op::kSubtract, Suffix::kInt, {v, spread(30000, v)})});
    ValueId quarter = constant(Kind::kFloat, "0.25");
    if (length != kScalar) quarter = single(Op::kDist, Suffix::kFloat, {quarter, whole(f)});
    return single(Op::kMultiply, Suffix::kFloat, {f, quarter});
  }

  /// What an operand must be so that its operation does not fault, for the rows that are choosy. Without
  /// an entry, operands are any of their type.
  std::optional<ValueId> careful_operand(const OpInfo& row, Suffix suffix, const Role& role, LengthId length,
                                         const std::map<std::string_view, ValueId>& named) {
    if (row.op == Op::kMakeSegdes) return small_lengths(length, rng_.chance(0.3));
    if (rng_.chance(0.01)) return std::nullopt;  // faults are compared, too
    const bool is_int = suffix != Suffix::kFloat;
    if (row.op_class == OpClass::kElementwise) {
      if ((row.op == Op::kDivide || row.op == Op::kRemainder) && is_int && role.name == "b")
        return with_bit(mask(vector(Kind::kInt, length), 7), 1);
      if ((row.op == Op::kShiftLeft || row.op == Op::kShiftRight) && role.name == "b")
        return mask(vector(Kind::kInt, length), 31);
      if (role.type == RoleType::kFloat && row.signature.results[0].type == RoleType::kInt) return small_floats(length);
      return std::nullopt;
    }
    if (is_scan_or_reduce(row) && !is_int && role.name == "a" &&
        (row.monoid == vcode::Monoid::kSum || row.monoid == vcode::Monoid::kProduct))
      return associative_floats(row.monoid, length);
    if (row.op == Op::kRandom) return with_bit(vector(Kind::kInt, length), 1);
    if (role.name != "i") return std::nullopt;
    switch (row.op) {
      case Op::kPermute:
        return single(Op::kRankUp, Suffix::kInt, {random_ints(length), named.at("s")});
      case Op::kFpermute:
        return single(Op::kRankUp, Suffix::kInt, {random_ints(length), named.at("s1")});
      case Op::kExtract:
      case Op::kReplace:
        return segment_indices(named.at("s"));
      case Op::kBpermute:
      case Op::kBfpermute:
        return indices(named.at("s2"), named.at("s1"));
      default:
        return indices(named.at("s1"), named.at("s2"));
    }
  }

  /// Whether the segments of a descriptor are indexed, so that empty ones are better avoided.
  static bool is_indexed(const OpInfo& row, const Role& role) {
    switch (row.op) {
      case Op::kExtract:
      case Op::kReplace:
        return role.name == "s";
      case Op::kBpermute:
      case Op::kBfpermute:
        return role.name == "s1";
      case Op::kDpermute:
      case Op::kDfpermute:
        return role.name == "s2";
      default:
        return false;
    }
  }

  /// A row of the table with operands found or made for it.
  void random_operation() {
    static const std::vector<OpInfo> kRows = [] {
      std::vector<OpInfo> rows;
      for (const OpInfo& row : vcode::all_ops())
        if (row.op_class != OpClass::kSystem) rows.push_back(row);
      return rows;
    }();
    const OpInfo& row = kRows[static_cast<std::size_t>(rng_.below(static_cast<std::int64_t>(kRows.size())))];
    std::vector<Suffix> suffixes;
    for (int s = 0; s < vcode::kSuffixes; ++s)
      if (row.takes(static_cast<Suffix>(s))) suffixes.push_back(static_cast<Suffix>(s));
    const Suffix suffix = pick(suffixes);
    const vcode::Signature& signature = row.signature;

    std::map<LengthVar, LengthId> bound{{vcode::kScalarLength, kScalar}};
    std::map<std::string_view, ValueId> named;
    auto bound_or = [&](LengthVar var, LengthId otherwise) {
      auto known = bound.find(var);
      return known == bound.end() ? otherwise : known->second;
    };
    // Descriptors first: they determine the lengths of everything else.
    for (int k = 0; k < signature.operand_count; ++k) {
      const Role& role = signature.operands[k];
      if (role.type != RoleType::kSegdes) continue;
      ValueId s;
      if (row.op == Op::kFpermute && role.name == "s2") {
        // Room for every element whose flag may be true.
        ValueId lengths = single(Op::kLengths, Suffix::kNone, {named.at("s1")});
        ValueId more = mask(random_ints(info(named.at("s1")).segments), 3);
        s = single(Op::kMakeSegdes, Suffix::kNone, {single(Op::kAdd, Suffix::kInt, {lengths, more})});
        const ValueInfo& from = info(named.at("s1"));
        program_.lengths[static_cast<std::size_t>(info(s).length)] =
            estimate(from.length) + 3 * estimate(from.segments);
      } else {
        s = descriptor(bound_or(role.segments, -1), bound_or(role.length, -1), is_indexed(row, role));
      }
      bound[role.segments] = info(s).segments;
      bound[role.length] = info(s).length;
      named[role.name] = s;
    }
    std::vector<ValueId> operands;
    for (int k = 0; k < signature.operand_count; ++k) {
      const Role& role = signature.operands[k];
      if (role.type == RoleType::kSegdes) {
        operands.push_back(named.at(role.name));
        continue;
      }
      if (!bound.contains(role.length)) bound[role.length] = some_length();
      const LengthId length = bound[role.length];
      std::optional<ValueId> careful = careful_operand(row, suffix, role, length, named);
      Kind kind = role.type == RoleType::kVector ? vcode::suffix_kind(suffix) : vcode::Signature::kind(role, suffix);
      if (rng_.chance(0.002)) {  // of any length: what is found out too late is compared, too
        operands.push_back(
            pick(visible([&](const ValueInfo& v) { return v.kind == kind && (v.exact || only_moves(row)); })));
        continue;
      }
      operands.push_back(careful ? *careful : vector(kind, length, !only_moves(row)));
    }
    operation(row.op, suffix, operands);
  }

  /// A few operations, then a value of the given kind and length.
  ValueId random_result(Kind kind, LengthId length) {
    for (std::int64_t k = 1 + rng_.below(3); k > 0; --k) step();
    return vector(kind, length);
  }

  ValueId visible_vector() {
    return pick(visible([](const ValueInfo& v) { return v.kind != Kind::kSegdes && v.kind != Kind::kPair; }));
  }

  void random_if() {
    const ValueId like = visible_vector();
    Node node{What::kIf};
    // The first of several elements decides.
    const auto conditions = visible([](const ValueInfo& v) { return v.kind == Kind::kBool; });
    node.operands = {rng_.chance(0.1) && !conditions.empty() ? pick(conditions) : vector(Kind::kBool, kScalar)};
    ValueInfo result = info(like);
    result.exact = true;
    for (int branch = 0; branch < 2; ++branch) {
      Block block;
      enter(block, scope().visible);
      ++depth_;
      try {
        ValueId v = random_result(result.kind, result.length);
        result.exact = result.exact && info(v).exact;
        block.results = {v};
      } catch (...) {
        --depth_;
        leave();
        throw;
      }
      --depth_;
      leave();
      node.blocks.push_back(std::move(block));
    }
    node.results = {new_value(result)};
    append(std::move(node));
  }

  /// The operands of a call, and values like them for its function.
  std::vector<ValueId> parameters(const std::vector<ValueId>& operands) {
    std::vector<ValueId> params;
    for (ValueId v : operands) params.push_back(new_value(ValueInfo(info(v))));
    return params;
  }
  std::vector<ValueId> random_operands() {
    std::vector<ValueId> operands;
    for (std::int64_t k = 1 + rng_.below(4); k > 0; --k) operands.push_back(pick(scope().visible));
    return operands;
  }

  void random_call() {
    Node node{What::kCall};
    node.operands = random_operands();
    Block block;
    block.params = parameters(node.operands);
    enter(block, block.params);
    ++depth_;
    auto done = [&] {
      --depth_;
      leave();
    };
    try {
      for (std::int64_t k = 1 + rng_.below(5); k > 0; --k) step();
      for (std::int64_t k = rng_.below(3) + 1; k > 0; --k) block.results.push_back(pick(scope().visible));
    } catch (...) {
      done();
      throw;
    }
    done();
    for (ValueId v : block.results) node.results.push_back(new_value(ValueInfo(info(v))));
    node.blocks.push_back(std::move(block));
    append(std::move(node));
  }

  void random_repeat() {
    Node node{What::kRepeat};
    node.operands = random_operands();
    node.operands.push_back(visible_vector());
    node.count = rng_.below(4);
    // What the block returns is its next accumulator, so it must not rely on more than it promises.
    Block block;
    block.params = parameters(node.operands);
    const ValueId accumulator = block.params.back();
    if (!info(accumulator).exact) throw NoOperand();
    enter(block, block.params);
    ++depth_;
    auto done = [&] {
      --depth_;
      leave();
    };
    try {
      ValueId v = random_result(info(accumulator).kind, info(accumulator).length);
      block.results = {v};
    } catch (...) {
      done();
      throw;
    }
    done();
    node.results = {new_value(ValueInfo(info(accumulator)))};
    node.blocks.push_back(std::move(block));
    append(std::move(node));
  }

  void random_pair() {
    auto pairs = visible([](const ValueInfo& v) { return v.kind == Kind::kPair; });
    if (!pairs.empty() && rng_.chance(0.6)) {
      ValueId p = pick(pairs);
      Node node{What::kUnpair};
      node.operands = {p};
      for (ValueId part : {info(p).first, info(p).second}) node.results.push_back(new_value(ValueInfo(info(part))));
      append(std::move(node));
      return;
    }
    Node node{What::kPair};
    node.operands = {pick(scope().visible), pick(scope().visible)};
    ValueInfo pair{Kind::kPair};
    pair.first = node.operands[0];
    pair.second = node.operands[1];
    node.results = {new_value(pair)};
    append(std::move(node));
  }

  void step() {
    if (scope().visible.empty()) {
      new_single();
      constant(Kind::kInt);
      return;
    }
    const double choice = rng_.unit();
    const bool may_nest = depth_ < 2;
    if (choice < 0.05) {
      constexpr Kind kKinds[] = {Kind::kInt, Kind::kBool, Kind::kFloat};
      constant_vector(kKinds[rng_.below(3)]);
    } else if (choice < 0.12) {
      if (rng_.chance(0.5))
        new_single();
      else
        new_descriptor(some_length(), rng_.chance(0.5));
    } else if (choice < 0.15) {
      random_pair();
    } else if (choice < 0.19 && may_nest) {
      random_if();
    } else if (choice < 0.23 && may_nest) {
      random_call();
    } else if (choice < 0.26 && may_nest) {
      random_repeat();
    } else {
      random_operation();
    }
  }

  /// Values to print: the last ones and some others, few of them long.
  std::vector<ValueId> choose_results() {
    std::vector<ValueId> results;
    int long_ones = 0;
    std::vector<ValueId> candidates = scope().visible;
    std::reverse(candidates.begin(), candidates.end());
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      if (k >= 5 && !rng_.chance(0.2)) continue;
      const bool is_long = info(candidates[k]).kind != Kind::kPair && estimate(info(candidates[k]).length) > 1000;
      if (is_long && ++long_ones > 3) continue;
      results.push_back(candidates[k]);
    }
    return results;
  }

  Rng& rng_;
  RandomProgram& program_;
  std::vector<Scope> scopes_;
  int depth_ = 0;
};

/// The values a node takes from outside, those its branches use included.
void add_used(const Node& node, std::set<ValueId>& used) {
  used.insert(node.operands.begin(), node.operands.end());
  if (node.what != What::kIf) return;
  for (const Block& block : node.blocks) {
    for (const Node& inner : block.nodes) add_used(inner, used);
    used.insert(block.results.begin(), block.results.end());
  }
}

}  // namespace

RandomProgram make_program(Rng& rng, int nodes) {
  RandomProgram program;
  Generator(rng, program).run(nodes);
  return program;
}

RandomProgram slice(const RandomProgram& program, const std::vector<ValueId>& results) {
  RandomProgram sliced = program;
  sliced.main.results = results;
  sliced.main.nodes.clear();
  std::set<ValueId> used(results.begin(), results.end());
  for (auto node = program.main.nodes.rbegin(); node != program.main.nodes.rend(); ++node) {
    bool needed = std::any_of(node->results.begin(), node->results.end(), [&](ValueId v) { return used.contains(v); });
    if (!needed) continue;
    add_used(*node, used);
    sliced.main.nodes.push_back(*node);
  }
  std::reverse(sliced.main.nodes.begin(), sliced.main.nodes.end());
  return sliced;
}

std::vector<ValueId> main_values(const RandomProgram& program) {
  std::vector<ValueId> values;
  for (const Node& node : program.main.nodes) values.insert(values.end(), node.results.begin(), node.results.end());
  return values;
}

namespace {

/// Turns blocks into stack code, keeping track of what lies where.
class StackWriter {
 public:
  StackWriter(const RandomProgram& program, std::uint64_t style) : program_(program), rng_(style) {}

  std::string write() {
    std::string main = function("MAIN", program_.main);
    for (const std::string& f : functions_) main += "\n" + f;
    return main;
  }

 private:
  using Stack = std::vector<ValueId>;
  static constexpr ValueId kCounter = -2;    ///< on the stack of a repetition
  static constexpr ValueId kCondition = -3;  ///< of an IF whose second branch runs before it

  std::string function(const std::string& name, const Block& block) {
    std::string text = fmt::format("FUNC {}\n", name);
    Stack stack = block.params;
    body(block, stack, 0, text);
    return text + "RET\n";
  }

  /// A block on top of a stack of which the lowest `base` values must stay. Leaves its results above them.
  void body(const Block& block, Stack& stack, std::size_t base, std::string& text) {
    std::map<ValueId, std::size_t> last_use;
    for (std::size_t k = 0; k < block.nodes.size(); ++k) {
      std::set<ValueId> used;
      add_used(block.nodes[k], used);
      for (ValueId v : used) last_use[v] = k;
    }
    for (ValueId v : block.results) last_use[v] = block.nodes.size();
    for (std::size_t k = 0; k < block.nodes.size(); ++k) {
      node(block.nodes[k], stack, base, text, [&](ValueId v) { return last_use[v] <= k; });
      drop_dead(stack, base, text, [&](ValueId v) { return !last_use.contains(v) || last_use[v] <= k; });
      if (rng_.chance(0.1)) shuffle(stack, base, text);
      if (rng_.chance(0.02)) check(text);
    }
    fetch(block.results, stack, base, text, [](ValueId) { return true; });
    const std::size_t count = block.results.size();
    const std::size_t rest = stack.size() - base - count;
    if (rest > 0) text += fmt::format("POP {} {}\n", rest, count);
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(base),
                stack.begin() + static_cast<std::ptrdiff_t>(base + rest));
  }

  /// Brings values to the top, in order; those that `dies` and may be moved are moved.
  template <class Dies>
  void fetch(const std::vector<ValueId>& values, Stack& stack, std::size_t base, std::string& text, Dies dies) {
    std::size_t fetched = 0;
    // Values that lie on top already, in order, and are not needed any more, can stay.
    const bool in_place =
        stack.size() - base >= values.size() &&
        std::equal(values.begin(), values.end(), stack.end() - static_cast<std::ptrdiff_t>(values.size())) &&
        std::set<ValueId>(values.begin(), values.end()).size() == values.size() &&
        std::all_of(values.begin(), values.end(), dies);
    if (in_place) return;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const ValueId v = values[k];
      // The topmost copy below what was fetched already.
      auto below = stack.end() - static_cast<std::ptrdiff_t>(fetched);
      auto found = std::find(std::make_reverse_iterator(below), stack.rend(), v);
      const auto depth = static_cast<std::size_t>(found - stack.rbegin());
      const bool again =
          std::find(values.begin() + static_cast<std::ptrdiff_t>(k) + 1, values.end(), v) != values.end();
      const bool move = dies(v) && !again && stack.size() - 1 - depth >= base && rng_.chance(0.9);
      text += fmt::format("{} 1 {}\n", move ? "CPOP" : "COPY", depth);
      if (move) stack.erase(stack.end() - 1 - static_cast<std::ptrdiff_t>(depth));
      stack.push_back(v);
      ++fetched;
    }
  }

  template <class Dead>
  void drop_dead(Stack& stack, std::size_t base, std::string& text, Dead dead) {
    for (std::size_t at = stack.size(); at-- > base;) {
      if (!dead(stack[at]) || !rng_.chance(0.6)) continue;
      text += fmt::format("POP 1 {}\n", stack.size() - 1 - at);
      stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }

  /// Moves some values to the top.
  void shuffle(Stack& stack, std::size_t base, std::string& text) {
    const auto size = static_cast<std::int64_t>(stack.size() - base);
    if (size < 2) return;
    const std::int64_t depth = rng_.below(size), count = rng_.below(size - depth) + 1;
    text += fmt::format("CPOP {} {}\n", count, depth);
    std::rotate(stack.end() - depth - count, stack.end() - depth, stack.end());
  }

  /// A check that fails now and then, as compilers write them.
  static void check(std::string& text) {
    text +=
        "CONST INT 50\nRAND\nCONST INT 49\n!= INT\nIF\nELSE\nCONST CHAR \"ERROR\"\nWRITE CHAR\nPOP 2 0\nCONST INT 0\n"
        "EXIT\nPOP 1 0\nENDIF\n";
  }

  /// The second branch before the IF, which then has no ELSE.
  void if_without_else(const Node& n, const Stack& stack, std::string& text) {
    Stack then = stack, otherwise = stack;
    otherwise.push_back(kCondition);
    body(n.blocks[1], otherwise, otherwise.size(), text);
    text += "CPOP 1 1\nIF\nPOP 1 0\n";
    body(n.blocks[0], then, then.size(), text);
    text += "ENDIF\n";
  }

  template <class Dies>
  void node(const Node& n, Stack& stack, std::size_t base, std::string& text, Dies dies) {
    // The condition of an IF may be used in its branches again.
    fetch(n.operands, stack, base, text, [&](ValueId v) { return n.what != What::kIf && dies(v); });
    stack.resize(stack.size() - n.operands.size());
    switch (n.what) {
      case What::kConst:
        text += n.text + "\n";
        break;
      case What::kOp:
        text += vcode::info(n.op).text;
        if (n.suffix != Suffix::kNone) text += fmt::format(" {}", vcode::suffix_name(n.suffix));
        text += "\n";
        break;
      case What::kPair:
        text += "PAIR\n";
        break;
      case What::kUnpair:
        text += "UNPAIR\n";
        break;
      case What::kIf: {
        if (rng_.chance(0.3)) {
          if_without_else(n, stack, text);
          break;
        }
        text += "IF\n";
        Stack then = stack, otherwise = stack;
        body(n.blocks[0], then, stack.size(), text);
        text += "ELSE\n";
        body(n.blocks[1], otherwise, stack.size(), text);
        text += "ENDIF\n";
        break;
      }
      case What::kCall: {
        const std::string name = fmt::format("F{}", functions_.size());
        functions_.emplace_back();
        functions_[std::stoul(name.substr(1))] = function(name, n.blocks[0]);
        text += fmt::format("CALL {}\n", name);
        break;
      }
      case What::kRepeat:
        repeat(n, text);
        break;
    }
    stack.insert(stack.end(), n.results.begin(), n.results.end());
  }

  void repeat(const Node& n, std::string& text) {
    const std::size_t number = functions_.size();
    functions_.emplace_back();
    const std::size_t invariants = n.operands.size() - 1;
    // Stack: invariants, accumulator, counter.
    std::string f = fmt::format("FUNC F{}\nCOPY 1 0\nCONST INT 0\n> INT\nIF\nCONST INT 1\n- INT\n", number);
    Stack stack = n.blocks[0].params;
    stack.push_back(kCounter);
    body(n.blocks[0], stack, stack.size(), f);
    f += fmt::format("POP 1 2\nCPOP 1 1\nCALL F{}\nENDIF\nRET\n", number);
    functions_[number] = std::move(f);
    text += fmt::format("CONST INT {}\nCALL F{}\nPOP 1 0\n", n.count, number);
    if (invariants > 0) text += fmt::format("POP {} 1\n", invariants);
  }

  const RandomProgram& program_;
  Rng rng_;
  std::vector<std::string> functions_;
};

}  // namespace

std::string print_program(const RandomProgram& program, std::uint64_t style) {
  return StackWriter(program, style).write();
}

}  // namespace property

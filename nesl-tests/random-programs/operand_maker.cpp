#include "operand_maker.h"

namespace property {

using vcode::OpClass;
using vcode::Role;
using vcode::RoleType;

/// Integers whose number is the length of some visible vector or descriptor.
ValueId OperandMaker::ints_of_length(LengthId length) {
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

ValueId OperandMaker::random_ints(LengthId length) {
  ValueId v = ints_of_length(length);
  if (rng_.chance(0.5)) return v;
  return single(Op::kRandom, Suffix::kNone, {with_bit(v, rng_.chance(0.5) ? 1 : 1023)});
}

ValueId OperandMaker::vector(Kind kind, LengthId length, bool must_be_exact) {
  auto there =
      visible([&](const ValueInfo& v) { return v.kind == kind && v.length == length && (v.exact || !must_be_exact); });
  if (!there.empty() && rng_.chance(0.85)) return pick(there);
  if (length == kScalar && rng_.chance(0.7)) return constant(kind);
  if (kind == Kind::kInt) return random_ints(length);
  if (kind == Kind::kBool) {
    ValueId v = random_ints(length);
    return rng_.chance(0.5) ? single(Op::kIntToBool, Suffix::kNone, {mask(v, 1)})
                            : single(Op::kLess, Suffix::kInt, {v, spread(5, v)});
  }
  return single(kind == Kind::kByte ? Op::kIntToByte : Op::kIntToFloat, Suffix::kNone, {random_ints(length)});
}

ValueId OperandMaker::small_lengths(LengthId length, bool no_empty) {
  // Separate statements: in arguments of one call the order, and so the program of a seed, would depend on the
  // compiler.
  const std::int64_t largest = estimate(length) < kFew && rng_.chance(0.3) ? 31 : 7;
  ValueId v = mask(random_ints(length), largest);
  return no_empty ? with_bit(v, 1) : v;
}

ValueId OperandMaker::new_descriptor(LengthId segments, bool no_empty) {
  if (estimate(segments) * 8 > kMostElements) throw NoOperand();
  ValueId s = single(Op::kMakeSegdes, Suffix::kNone, {small_lengths(segments, no_empty)});
  info(s).no_empty_segment = no_empty;
  return s;
}

ValueId OperandMaker::new_single() {
  std::int64_t n = rng_.chance(0.06)  ? 1000 + rng_.below(rng_.chance(0.3) ? 100000 : 9000)
                   : rng_.chance(0.1) ? rng_.below(3)
                                      : rng_.below(200);
  ValueId s = single(Op::kMakeSegdes, Suffix::kNone, {constant_size(n)});
  set_estimate(info(s).length, static_cast<double>(n));
  // A shrunk program may use other sizes.
  info(s).no_empty_segment = n > 0;
  return s;
}

ValueId OperandMaker::descriptor(LengthId segments, LengthId elements, bool no_empty) {
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

ValueId OperandMaker::visible_vector() {
  return pick(visible([](const ValueInfo& v) { return v.kind != Kind::kSegdes && v.kind != Kind::kPair; }));
}

LengthId OperandMaker::some_length() {
  auto vectors = visible([&](const ValueInfo& v) { return v.kind != Kind::kSegdes && v.kind != Kind::kPair; });
  return vectors.empty() ? kScalar : info(pick(vectors)).length;
}

/// Indices, one for each element of `indexing`, into the segments of `indexed`.
ValueId OperandMaker::indices(ValueId indexing, ValueId indexed) {
  ValueId lengths = single(Op::kLengths, Suffix::kNone, {indexed});
  ValueId limits = single(Op::kDist, Suffix::kInt, {lengths, indexing});
  ValueId v = mask(random_ints(info(indexing).length), 0x7FFFFFFF);
  return single(Op::kRemainder, Suffix::kNone, {v, limits});
}

/// Indices, one for each segment of s.
ValueId OperandMaker::segment_indices(ValueId s) {
  ValueId v = mask(random_ints(info(s).segments), 0x7FFFFFFF);
  return single(Op::kRemainder, Suffix::kNone, {v, single(Op::kLengths, Suffix::kNone, {s})});
}

std::vector<ValueId> OperandMaker::slice_operands(Kind kind) {
  const ValueId s = descriptor(-1, -1, false);
  // A vector as long as all slices together, with room for each.
  const ValueId a = vector(kind, info(s).length, false);
  const ValueId lengths = single(Op::kLengths, Suffix::kNone, {s});
  const Suffix suffix = vcode::suffix_of(kind);
  const ValueId total = single(Op::kLength, suffix, {a});
  const ValueId everywhere =
      info(s).segments == kScalar ? total : single(Op::kDist, Suffix::kInt, {total, whole(lengths)});
  const ValueId room = single(Op::kSubtract, Suffix::kInt, {everywhere, lengths});
  const ValueId more = single(Op::kAdd, Suffix::kInt, {room, spread(rng_.chance(0.02) ? 2 : 1, room)});
  const ValueId v = mask(random_ints(info(s).segments), 0x7FFFFFFF);
  return {a, single(Op::kRemainder, Suffix::kNone, {v, more}), s};
}

std::vector<ValueId> OperandMaker::append_operands(Kind kind, int parts) {
  std::vector<ValueId> vectors, descriptors;
  ValueId lengths = 0;
  double elements = 0;
  for (int k = 0; k < parts; ++k) {
    const ValueId part = descriptor(k == 0 ? -1 : info(descriptors[0]).segments, -1, false);
    const ValueId of_part = single(Op::kLengths, Suffix::kNone, {part});
    lengths = k == 0 ? of_part : single(Op::kAdd, Suffix::kInt, {lengths, of_part});
    elements += estimate(info(part).length);
    descriptors.push_back(part);
  }
  descriptors.push_back(single(Op::kMakeSegdes, Suffix::kNone, {lengths}));
  set_estimate(info(descriptors.back()).length, elements);
  for (int k = 0; k < parts; ++k)
    vectors.push_back(vector(kind, info(descriptors[static_cast<std::size_t>(k)]).length, false));
  vectors.insert(vectors.end(), descriptors.begin(), descriptors.end());
  return vectors;
}

std::vector<ValueId> OperandMaker::merge_operands(Kind kind, Suffix suffix) {
  const ValueId flags = vector(Kind::kBool, some_length());
  const ValueId others = single(Op::kNot, Suffix::kBool, {flags}), all = whole(flags);
  const ValueId x = vector(kind, info(flags).length, false), y = vector(kind, info(flags).length, false);
  const auto mapped = [&](ValueId v) {
    if (rng_.below(2) == 0 || kind == Kind::kByte) return v;
    return kind == Kind::kBool ? single(Op::kNot, suffix, {v}) : single(Op::kAdd, suffix, {v, v});
  };
  const ValueId a = mapped(operation(Op::kPack, suffix, {x, flags, all})[0]);
  return {flags, a, mapped(operation(Op::kPack, suffix, {y, others, all})[0])};
}

std::vector<ValueId> OperandMaker::merge_segments_operands(Kind kind) {
  const ValueId to = descriptor(-1, -1, false);
  const ValueId flags = vector(Kind::kBool, info(to).segments);
  const ValueId lengths = single(Op::kLengths, Suffix::kNone, {to});
  const std::vector<ValueId> parts = [&] {
    const ValueId others = single(Op::kNot, Suffix::kBool, {flags}), all = whole(flags);
    const ValueId first = operation(Op::kPack, Suffix::kInt, {lengths, flags, all})[0];
    return std::vector<ValueId>{first, operation(Op::kPack, Suffix::kInt, {lengths, others, all})[0]};
  }();
  const ValueId of_a = single(Op::kMakeSegdes, Suffix::kNone, {parts[0]});
  const ValueId of_b = single(Op::kMakeSegdes, Suffix::kNone, {parts[1]});
  for (ValueId part : {of_a, of_b}) set_estimate(info(part).length, estimate(info(to).length));
  const ValueId a = vector(kind, info(of_a).length, false);
  return {flags, a, vector(kind, info(of_b).length, false), of_a, of_b, to};
}

/// Floats whose sums and products are exact in any order of association.
ValueId OperandMaker::associative_floats(vcode::Monoid monoid, LengthId length) {
  ValueId v = random_ints(length);
  if (monoid == vcode::Monoid::kSum)
    return single(Op::kIntToFloat, Suffix::kNone, {mask(v, estimate(length) > 10000 ? 63 : 1023)});
  // 1 or -1.
  ValueId bit = mask(v, 1);
  return single(Op::kIntToFloat, Suffix::kNone,
                {single(Op::kSubtract, Suffix::kInt, {single(Op::kAdd, Suffix::kInt, {bit, bit}), spread(1, v)})});
}

/// Floats of small magnitude, with halves and quarters.
ValueId OperandMaker::small_floats(LengthId length) {
  ValueId v = mask(random_ints(length), 0xFFFF);
  ValueId f = single(Op::kIntToFloat, Suffix::kNone, {single(Op::kSubtract, Suffix::kInt, {v, spread(30000, v)})});
  ValueId quarter = constant(Kind::kFloat, "0.25");
  if (length != kScalar) quarter = single(Op::kDist, Suffix::kFloat, {quarter, whole(f)});
  return single(Op::kMultiply, Suffix::kFloat, {f, quarter});
}

std::optional<ValueId> OperandMaker::careful_operand(const OpInfo& row, Suffix suffix, const Role& role,
                                                     LengthId length,
                                                     const std::map<std::string_view, ValueId>& named) {
  if (row.op == Op::kMakeSegdes) return small_lengths(length, rng_.chance(0.3));
  if (rng_.chance(0.01)) return std::nullopt;  // faults are compared, too
  const bool is_int = suffix != Suffix::kFloat;
  if (row.op_class == OpClass::kElementwise) {
    if ((row.op == Op::kDivide || row.op == Op::kRemainder) && is_int && role.name == "b")
      return with_bit(mask(vector(Kind::kInt, length), 7), 1);
    if ((row.op == Op::kShiftLeft || row.op == Op::kShiftRight) && role.name == "b")
      return mask(vector(Kind::kInt, length), 31);
    if (role.type == RoleType::kBool && row.checks()) {
      const ValueId v = mask(vector(Kind::kInt, length), 7);
      return single(Op::kGreaterEqual, Suffix::kInt, {v, spread(0, v)});
    }
    if (row.op == Op::kBound)
      return role.name == "a" ? with_bit(mask(vector(Kind::kInt, length), 127), 64)
                              : mask(vector(Kind::kInt, length), 63);
    if (role.type == RoleType::kFloat && row.signature.results[0].type == RoleType::kInt) return small_floats(length);
    return std::nullopt;
  }
  const bool rounds = row.monoid == vcode::Monoid::kSum || row.monoid == vcode::Monoid::kProduct;
  if (combines(row) && rounds && !is_int && role.type == RoleType::kSuffix)
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

}  // namespace property

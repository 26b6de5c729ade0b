#include "vector_identities.h"

#include "ir/fold_constants.h"

namespace vcode::letform {

/// Whether all elements of an INT, or of a BOOL (1 is true), are this number.
bool VectorIdentities::is_uniform(Var v, std::int64_t number) const {
  const Constant* constant = definitions_.uniform(v, pool_);
  if (!constant) return false;
  return (constant->type == Suffix::kInt && constant->ints[0] == number) ||
         (constant->type == Suffix::kBool && constant->bools[0] == number);
}

/// Whether a value is the sums of the INTs before each element.
bool VectorIdentities::adds_up(const Definitions::Definition& made) {
  return (made.op == Op::kSumScan && made.suffix == Suffix::kInt) || made.op == Op::kOffsets;
}

/// Whether an index vector is 0 1 2 … in each segment of a descriptor.
bool VectorIdentities::counts_up(Var index, Var descriptor) const {
  if (!definitions_.is_op(index, Op::kIndex)) return false;
  const auto& operands = definitions_.of(index).operands;
  return is_uniform(operands[0], 0) && is_uniform(operands[1], 1) && shapes_.same_descriptor(operands[2], descriptor);
}

std::vector<Var> VectorIdentities::known_results(const Binding& operation) const {
  auto operand = [&](std::size_t k) { return operation.operands[k]; };
  switch (operation.op) {
    case Op::kDist:
      if (shapes_.has_single_elements(operand(1))) return {operand(0)};
      break;
    case Op::kBpermute:
      if (shapes_.same_descriptor(operand(2), operand(3)) && counts_up(operand(1), operand(3))) return {operand(0)};
      break;
    case Op::kPermute:
      if (counts_up(operand(1), operand(2))) return {operand(0)};
      break;
    case Op::kPack:
      return known_pack(operation);
    case Op::kSumScan:
      if (operation.suffix == Suffix::kInt && shapes_.is_single(operand(0)))
        return {make_constant_({.type = Suffix::kInt, .ints = {0}})};
      break;
    case Op::kSlice:
      if (is_uniform(operand(1), 0) && shapes_.is_single(operand(2)) && shapes_.same_elements(operand(0), operand(2)))
        return {operand(0)};
      break;
    case Op::kOffsets:
      if (shapes_.is_single(operand(0))) return {make_constant_({.type = Suffix::kInt, .ints = {0}})};
      break;
    case Op::kExtract:
      return known_extract(operation);
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kGreater:
    case Op::kGreaterEqual:
      return known_comparison(operation);
    default:
      if (info(operation.op).op_class == OpClass::kReduce) return known_reduction(operation);
      break;
  }
  return {};
}

/// Result of a comparison of one number of elements that exist, which is not negative, with 0.
std::vector<Var> VectorIdentities::known_comparison(const Binding& operation) const {
  for (const std::size_t zero : {0, 1}) {
    const Var count = operation.operands[1 - zero];
    const auto& made = definitions_.of(count);
    if (made.form != Binding::Form::kOp || !info(made.op).counts() || !shapes_.is_single(count)) continue;
    if (!is_uniform(operation.operands[zero], 0)) continue;
    const bool holds = operation.op == (zero == 0 ? Op::kLessEqual : Op::kGreaterEqual);
    if (holds || operation.op == (zero == 0 ? Op::kGreater : Op::kLess))
      return {make_constant_({.type = Suffix::kBool, .bools = {holds}})};
  }
  return {};
}

/// Result of a PACK with uniform flags: all elements of a vector, or none of a single segment.
std::vector<Var> VectorIdentities::known_pack(const Binding& operation) const {
  const Var flags = operation.operands[1], descriptor = operation.operands[2];
  if (is_uniform(flags, 1)) return {operation.operands[0], descriptor};
  if (!is_uniform(flags, 0) || !shapes_.is_single(descriptor)) return {};
  return {make_constant_({.type = operation.suffix, .bracketed = true}),
          make_constant_({.type = Suffix::kSegdes, .bracketed = true, .ints = {0}})};
}

/// Result of a reduction over segments of one element, except of FLOATs, where 0.0 + -0.0 is not -0.0; or over one
/// segment of identity elements.
std::vector<Var> VectorIdentities::known_reduction(const Binding& operation) const {
  const Var data = operation.operands[0], descriptor = operation.operands[1];
  if (operation.suffix != Suffix::kFloat && shapes_.has_single_elements(descriptor)) return {data};
  const Constant* constant = definitions_.uniform(data, pool_);
  if (!constant || !shapes_.is_single(descriptor)) return {};
  if (!is_identity(operation.op, operation.suffix, *constant)) return {};
  return {make_constant_(*constant)};
}

/// Value of an index of one element, if it is known to be in range of a vector of one segment; else -1.
std::int64_t VectorIdentities::known_position(Var index, Var data) const {
  const Constant* position = definitions_.constant(index, pool_);
  if (!position || position->size() != 1 || position->ints[0] < 0 || position->ints[0] > INT32_MAX) return -1;
  return position->ints[0] < shapes_.element_count(data) ? position->ints[0] : -1;
}

/// Result of EXTRACT with an index known to be in range: from a uniform vector, from a vector of one element, of the
/// element that REPLACE has written, or of the first element of a +_SCAN or of OFFSETS.
std::vector<Var> VectorIdentities::known_extract(const Binding& operation) const {
  const Var data = operation.operands[0], index = operation.operands[1], descriptor = operation.operands[2];
  if (is_uniform(index, 0) && shapes_.has_single_elements(descriptor)) return {data};
  if (!shapes_.is_single(descriptor)) return {};
  const std::int64_t position = known_position(index, data);
  const auto& made = definitions_.of(data);
  if (position < 0 || made.form != Binding::Form::kOp) return {};
  if (made.op == Op::kDist && shapes_.is_single(made.operands[0])) return {made.operands[0]};
  if (made.op == Op::kReplace && known_position(made.operands[1], data) == position) return {made.operands[2]};
  if (adds_up(made) && position == 0) return {make_constant_({.type = Suffix::kInt, .ints = {0}})};
  return {};
}

bool VectorIdentities::make_cheaper(Binding& operation) const {
  switch (operation.op) {
    case Op::kSelect:
      if (!definitions_.is_op(operation.operands[0], Op::kNot)) return false;
      operation.operands[0] = definitions_.of(operation.operands[0]).operands[0];
      std::swap(operation.operands[1], operation.operands[2]);
      return true;
    case Op::kDist:
      return distribute_once(operation);
    case Op::kExtract:
      return extract_earlier(operation);
    default:
      return add_two(operation) || count_instead_of_adding(operation);
  }
}

/// Rewrites EXTRACT to read an earlier vector: the one before a REPLACE at another index, or the operand of a +_SCAN or
/// the lengths that OFFSETS adds up, whose second element is the first one of its operand.
bool VectorIdentities::extract_earlier(Binding& operation) const {
  const Var data = operation.operands[0];
  const auto& made = definitions_.of(data);
  if (made.form != Binding::Form::kOp || !shapes_.is_single(operation.operands[2])) return false;
  const std::int64_t position = known_position(operation.operands[1], data);
  if (made.op == Op::kReplace && position >= 0) {
    const std::int64_t changed = known_position(made.operands[1], data);
    if (changed < 0 || changed == position) return false;
    operation.operands[0] = made.operands[0];
    return true;
  }
  if (!adds_up(made) || position != 1) return false;
  Var numbers = made.operands[0];
  if (made.op == Op::kOffsets)
    numbers = definitions_.is_op(numbers, Op::kMakeSegdes) ? definitions_.of(numbers).operands[0]
                                                           : shapes_.lengths_of(numbers);
  if (numbers == kNoVar) return false;
  operation.operands = {numbers, make_constant_({.type = Suffix::kInt, .ints = {0}}), operation.operands[2]};
  return true;
}

/// Rewrites the sum of an INT vector of two elements as an addition, if REPLACE has written one element into a uniform
/// vector.
bool VectorIdentities::add_two(Binding& operation) const {
  if (operation.op != Op::kSumReduce || operation.suffix != Suffix::kInt) return false;
  const Var data = operation.operands[0];
  if (!definitions_.is_op(data, Op::kReplace) || !shapes_.is_single(operation.operands[1])) return false;
  const auto& put = definitions_.of(data).operands;
  if (shapes_.element_count(data) != 2 || known_position(put[1], data) < 0) return false;
  if (!definitions_.is_op(put[0], Op::kDist)) return false;
  const Var other = definitions_.of(put[0]).operands[0];
  if (!shapes_.is_single(other)) return false;
  operation.op = Op::kAdd;
  operation.operands = {other, put[2]};
  return true;
}

/// Rewrites DIST (DIST x s) t as DIST x u, with u a single segment of as many elements as t has.
bool VectorIdentities::distribute_once(Binding& operation) const {
  const Var inner = operation.operands[0], descriptor = operation.operands[1];
  if (!definitions_.is_op(inner, Op::kDist) || shapes_.is_single(descriptor)) return false;
  const Var value = definitions_.of(inner).operands[0], single = shapes_.single_descriptor(descriptor);
  if (single == kNoVar || !shapes_.is_single(value)) return false;
  operation.operands = {value, single};
  return true;
}

/// Rewrites a sum of ones as LENGTHS, and a +_SCAN of a distributed INT as INDEX.
bool VectorIdentities::count_instead_of_adding(Binding& operation) const {
  const OpInfo& row = info(operation.op);
  if (operation.suffix != Suffix::kInt || row.monoid != Monoid::kSum) return false;
  if (row.op_class == OpClass::kReduce && is_uniform(operation.operands[0], 1)) {
    operation.op = Op::kLengths;
    operation.suffix = Suffix::kNone;
    operation.operands = {operation.operands[1]};
    return true;
  }
  if (row.op_class != OpClass::kScan || !definitions_.is_op(operation.operands[0], Op::kDist)) return false;
  const Var value = definitions_.of(operation.operands[0]).operands[0], descriptor = operation.operands[1];
  if (!shapes_.is_single(value) || !shapes_.is_single(descriptor)) return false;
  operation.op = Op::kIndex;
  operation.suffix = Suffix::kNone;
  operation.operands = {make_constant_({.type = Suffix::kInt, .ints = {0}}), value, descriptor};
  return true;
}

}  // namespace vcode::letform

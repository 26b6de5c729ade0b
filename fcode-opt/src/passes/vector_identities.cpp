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
    case Op::kExtract:
      return known_extract(operation);
    default:
      if (info(operation.op).op_class == OpClass::kReduce) return known_reduction(operation);
      break;
  }
  return {};
}

/// PACK with uniform flags: all elements of a vector, or none of a single segment.
std::vector<Var> VectorIdentities::known_pack(const Binding& operation) const {
  const Var flags = operation.operands[1], descriptor = operation.operands[2];
  if (is_uniform(flags, 1)) return {operation.operands[0], descriptor};
  if (!is_uniform(flags, 0) || !shapes_.is_single(descriptor)) return {};
  return {make_constant_({.type = operation.suffix, .bracketed = true}),
          make_constant_({.type = Suffix::kSegdes, .bracketed = true, .ints = {0}})};
}

/// A reduction of segments of one element, except of FLOATs, where 0.0 + -0.0 is not -0.0; or of one segment of
/// identity elements.
std::vector<Var> VectorIdentities::known_reduction(const Binding& operation) const {
  const Var data = operation.operands[0], descriptor = operation.operands[1];
  if (operation.suffix != Suffix::kFloat && shapes_.has_single_elements(descriptor)) return {data};
  const Constant* constant = definitions_.uniform(data, pool_);
  if (!constant || !shapes_.is_single(descriptor)) return {};
  if (!is_identity(operation.op, operation.suffix, *constant)) return {};
  return {make_constant_(*constant)};
}

/// EXTRACT from a uniform vector, or of the only element, with an index known to be in range.
std::vector<Var> VectorIdentities::known_extract(const Binding& operation) const {
  const Var data = operation.operands[0], index = operation.operands[1], descriptor = operation.operands[2];
  if (is_uniform(index, 0) && shapes_.has_single_elements(descriptor)) return {data};
  if (!definitions_.is_op(data, Op::kDist) || !shapes_.is_single(descriptor)) return {};
  const Var value = definitions_.of(data).operands[0];
  const Constant* place = definitions_.constant(index, pool_);
  if (!place || place->size() != 1 || place->ints[0] < 0 || place->ints[0] > INT32_MAX) return {};
  if (!shapes_.is_single(value)) return {};
  return place->ints[0] < shapes_.element_count(data) ? std::vector{value} : std::vector<Var>{};
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
    default:
      return count_instead_of_adding(operation);
  }
}

/// DIST (DIST x s) t is DIST x u, with u a single segment of as many elements as t has.
bool VectorIdentities::distribute_once(Binding& operation) const {
  const Var inner = operation.operands[0], descriptor = operation.operands[1];
  if (!definitions_.is_op(inner, Op::kDist) || shapes_.is_single(descriptor)) return false;
  const Var value = definitions_.of(inner).operands[0], single = shapes_.single_descriptor(descriptor);
  if (single == kNoVar || !shapes_.is_single(value)) return false;
  operation.operands = {value, single};
  return true;
}

/// A sum of ones is LENGTHS, and a +_SCAN of a distributed INT is an INDEX.
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

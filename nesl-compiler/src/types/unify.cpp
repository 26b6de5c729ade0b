#include "unify.h"

namespace nesl {

std::optional<Mismatch> Unifier::unify(Type* left, Type* right) {
  changed_.clear();
  steps_ = 0;
  if (merge(left, right)) return std::nullopt;
  for (auto at = changed_.rbegin(); at != changed_.rend(); ++at) {
    at->first->link = nullptr;
    at->first->type_class = at->second;
  }
  return mismatch_;
}

// Counts steps up to a limit: types share parts, so a walk can take exponential time in the number of nodes.
bool Unifier::spend(std::uint32_t steps) {
  steps_ += steps;
  if (steps_ <= 2 * kMaxTypeSize) return true;
  mismatch_ = {Mismatch::Kind::kTooLarge};
  return false;
}

bool Unifier::merge(Type* left, Type* right) {
  left = resolve(left);
  right = resolve(right);
  if (left == right) return true;
  if (!spend(1)) return false;
  bool left_variable = left->kind == Type::Kind::kVariable;
  if (left_variable && right->kind == Type::Kind::kVariable) {
    if (left->id < right->id) std::swap(left, right);  // link the younger variable, so that chains stay short
    remember(left);
    TypeClass one = left->type_class;
    TypeClass other = right->type_class;
    if (is_within(one, other)) {
      remember(right);
      right->type_class = one;
    } else if (!is_within(other, one)) {
      remember(right);
      right->link = types_.int_;
    }
    left->link = right;
    return true;
  }
  if (left_variable) return bind(left, right);
  if (right->kind == Type::Kind::kVariable) return bind(right, left);
  if (left->kind != right->kind || left->datatype != right->datatype) {
    mismatch_ = {Mismatch::Kind::kShape, left, right};
    return false;
  }
  for (std::size_t i = 0; i < left->arguments.size(); ++i)
    if (!merge(left->arguments[i], right->arguments[i])) return false;
  return true;
}

bool Unifier::restrict_to_ordinal(Type* type) {
  type = resolve(type);
  if (!spend(1)) return false;
  switch (type->kind) {
    case Type::Kind::kVariable:
      if (is_within(type->type_class, TypeClass::kOrdinal)) return true;
      remember(type);
      if (is_within(TypeClass::kOrdinal, type->type_class))
        type->type_class = TypeClass::kOrdinal;
      else
        type->link = types_.int_;
      return true;
    case Type::Kind::kData:
      if (!has_ordinal_contents(*type)) return false;
      break;
    case Type::Kind::kSequence:
    case Type::Kind::kPair:
      break;
    default:
      return is_member(type, TypeClass::kOrdinal);
  }
  for (Type* argument : type->arguments)
    if (!restrict_to_ordinal(argument)) return false;
  return true;
}

bool Unifier::bind(Type* variable, Type* type) {
  const bool fits =
      variable->type_class == TypeClass::kOrdinal ? restrict_to_ordinal(type) : is_member(type, variable->type_class);
  if (!fits) {
    if (steps_ > 2 * kMaxTypeSize) return false;
    mismatch_ = {Mismatch::Kind::kClass, type, variable, variable->type_class};
    return false;
  }
  if (occurs(variable, type)) return false;
  remember(variable);
  variable->link = type;
  return true;
}

bool Unifier::occurs(Type* variable, Type* type) {
  type = resolve(type);
  if (type->ground) {
    return type->size > kMaxTypeSize && !spend(3 * kMaxTypeSize);
  }
  if (type == variable) {
    mismatch_ = {Mismatch::Kind::kInfinite, variable, nullptr};
    return true;
  }
  if (!spend(1)) return true;
  for (Type* argument : type->arguments)
    if (occurs(variable, argument)) return true;
  return false;
}

}  // namespace nesl

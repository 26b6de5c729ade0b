// Mutually recursive functions, merged into one.
#include "merged_functions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"

namespace nesl {

/// Members of the definition's group with the same result type, if there are several. Excludes polymorphic functions,
/// which are compiled separately for each type.
std::vector<const Definition*> MergedFunctions::members_of(const Definition& definition) {
  auto suits = [&](const Definition& member) {
    return member.kind == Definition::Kind::kFunction && member.body != nullptr && member.specializations.empty() &&
           member.prelude == definition.prelude && member.scheme.quantified.empty() &&
           !has_function(resolve(member.scheme.type)->arguments[0]);
  };
  std::vector<const Definition*> members;
  if (!suits(definition)) return members;
  auto result = [](const Definition& member) {
    std::string key;
    append_key(resolve(member.scheme.type)->arguments[1], key);
    return key;
  };
  for (const Definition* member : context_.facts().group(definition))
    if (suits(*member) && result(*member) == result(definition)) members.push_back(member);
  if (members.size() < 2) members.clear();
  return members;
}

const FunctionGroup& MergedFunctions::group_of(const std::vector<const Definition*>& members) {
  auto at = groups_.find(members[0]);
  if (at == groups_.end()) {
    at = groups_.emplace(members[0], make_group(members, context_.types())).first;
    const FunctionGroup& group = at->second;
    for (std::size_t k = 0; k < group.members.size(); ++k) origins_[group.bodies[k]] = group.members[k];
  }
  return at->second;
}

const FunctionGroup* MergedFunctions::find_group(const Definition* definition) const {
  const auto at = std::find_if(groups_.begin(), groups_.end(),
                               [&](const auto& entry) { return entry.second.definition.get() == definition; });
  return at == groups_.end() ? nullptr : &at->second;
}

std::vector<ValuePtr> MergedFunctions::argument_of_group(const FunctionGroup& group, const Definition& member,
                                                         const ValuePtr& argument) {
  const auto number =
      static_cast<std::size_t>(std::find(group.members.begin(), group.members.end(), &member) - group.members.begin());
  VC_CHECK(number < group.members.size());
  std::vector<ValuePtr> parts(group.types.size());
  for (std::size_t bit = 0; bit < group.bits; ++bit)
    parts[bit] = scalar_value(emit().boolean((number >> (group.bits - bit - 1) & 1) != 0), 0);
  const std::size_t* position = group.positions[number].data();
  auto take = [&](auto& self, const Pattern* pattern, const ValuePtr& value, Type* type) -> void {
    type = resolve(type);
    if (type->kind == Type::Kind::kPair && (pattern == nullptr || pattern->kind != Pattern::Kind::kData)) {
      const bool split = pattern != nullptr && pattern->kind == Pattern::Kind::kPair;
      self(self, split ? pattern->parts[0].get() : nullptr, value->parts[0], type->arguments[0]);
      return self(self, split ? pattern->parts[1].get() : nullptr, value->parts[1], type->arguments[1]);
    }
    parts[*position++] = value;
  };
  take(take, member.parameter.get(), argument, resolve(member.scheme.type)->arguments[0]);
  return parts;
}

MergedFunctions::Origin::Origin(MergedFunctions& merged, const Expr& expr) {
  if (merged.origins_.empty()) return;
  const auto at = merged.origins_.find(&expr);
  if (at == merged.origins_.end()) return;
  frame_ = &merged.context_.frame();
  definition_ = std::exchange(frame_->definition, at->second);
  source_ = std::exchange(frame_->source, at->second->source);
}

MergedFunctions::Origin::~Origin() {
  if (frame_ == nullptr) return;
  frame_->definition = definition_;
  frame_->source = source_;
}

}  // namespace nesl

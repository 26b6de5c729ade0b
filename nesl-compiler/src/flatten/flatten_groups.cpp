// Functions that call each other, as the states of an automaton do: where the branches of a conditional call several of
// them, one call of a function is made that is all of them. Otherwise the calls of each would be made one after the
// other, for ever fewer instances, and two functions that both call both would make twice as many at each depth.
//
//   function a(s, i) = … b(s, i + 1) …
//   function b(s, i) = … a(s, i + 1) …
//
//   function a_or_b(is_a, s, i) = if is_a then (a's body) else (b's body)
//
// Parameters of the same type, and of the same name if there are, are one. What a call does not give, since its own
// function has no such parameter, is whatever other calls give; so sequences that all pass on stay shared.
#include <algorithm>

#include <fmt/format.h>

#include "flattener.h"
#include "syntax/clone_inferred.h"
#include "vcode/check.h"

namespace nesl {

namespace {

/// The parts of a tuple that a function takes: their types, and the names of their variables, as far as there are.
void append_slots(const Pattern* pattern, Type* type, std::vector<std::pair<Type*, std::string>>& slots) {
  type = resolve(type);
  const bool is_tuple = pattern == nullptr || pattern->kind == Pattern::Kind::kPair;
  if (type->kind == Type::Kind::kPair && is_tuple) {
    append_slots(pattern == nullptr ? nullptr : pattern->parts[0].get(), type->arguments[0], slots);
    append_slots(pattern == nullptr ? nullptr : pattern->parts[1].get(), type->arguments[1], slots);
    return;
  }
  slots.emplace_back(type, pattern != nullptr && pattern->kind == Pattern::Kind::kVariable ? pattern->name : "");
}

std::string key_of(Type* type) {
  std::string key;
  append_key(type, key);
  return key;
}

ExprPtr local_name(std::uint32_t local, Type* type, Span span) {
  auto expr = std::make_unique<Expr>();
  expr->span = span;
  Name name;
  name.local = local;
  expr->node = std::move(name);
  expr->type = type;
  return expr;
}

ExprPtr pair_of(ExprPtr first, ExprPtr rest, Type* type) {
  auto expr = std::make_unique<Expr>();
  expr->span = first->span;
  expr->node = Pair{std::move(first), std::move(rest)};
  expr->type = type;
  return expr;
}

}  // namespace

/// Those of one group that have the same type of results, if there are several. Polymorphic ones stay alone: each is
/// compiled for types of its own.
std::vector<const Definition*> Flattener::members_of(const Definition& definition) {
  auto suits = [&](const Definition& member) {
    return member.kind == Definition::Kind::kFunction && member.body != nullptr && member.specializations.empty() &&
           member.prelude == definition.prelude && member.scheme.quantified.empty() &&
           !has_function(resolve(member.scheme.type)->arguments[0]);
  };
  std::vector<const Definition*> members;
  if (!suits(definition)) return members;
  auto result = [](const Definition& member) { return key_of(resolve(member.scheme.type)->arguments[1]); };
  for (const Definition* member : facts_.group(definition))
    if (suits(*member) && result(*member) == result(definition)) members.push_back(member);
  if (members.size() < 2) members.clear();
  return members;
}

const Flattener::Group& Flattener::group_of(const std::vector<const Definition*>& members) {
  auto [entry, is_new] = groups_.try_emplace(members[0]);
  Group& group = entry->second;
  if (!is_new) return group;
  group.members = members;
  while ((std::size_t{1} << group.bits) < members.size()) ++group.bits;

  // Slots: those of flags come first.
  std::vector<std::pair<Type*, std::string>> slots(group.bits, {types_.bool_, ""});
  for (const Definition* member : members) {
    std::vector<std::pair<Type*, std::string>> own;
    append_slots(member->parameter.get(), resolve(member->scheme.type)->arguments[0], own);
    std::vector<std::size_t> places(own.size(), SIZE_MAX);
    auto place = [&](bool by_name) {
      for (std::size_t k = 0; k < own.size(); ++k)
        for (std::size_t s = group.bits; s < slots.size() && places[k] == SIZE_MAX; ++s)
          if (std::find(places.begin(), places.end(), s) == places.end() &&
              key_of(slots[s].first) == key_of(own[k].first) && (!by_name || slots[s].second == own[k].second))
            places[k] = s;
    };
    place(true);
    place(false);
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (places[k] != SIZE_MAX) continue;
      places[k] = slots.size();
      slots.push_back(own[k]);
    }
    group.places.push_back(std::move(places));
  }

  group.definition = std::make_unique<Definition>();
  Definition& definition = *group.definition;
  definition.kind = Definition::Kind::kFunction;
  for (const Definition* member : members) definition.name += (definition.name.empty() ? "" : "_or_") + member->name;
  definition.source = members[0]->source;
  definition.span = members[0]->span;
  definition.prelude = members[0]->prelude;
  definition.recursive = true;
  Type* const result = resolve(members[0]->scheme.type)->arguments[1];
  std::vector<PatternPtr> variables;
  for (const auto& [type, name] : slots) {
    auto variable = std::make_unique<Pattern>();
    variable->span = definition.span;
    variable->name = name;
    variable->type = type;
    variable->local = definition.locals++;
    variables.push_back(std::move(variable));
    group.types.push_back(type);
  }
  definition.parameter = nest_pairs(std::move(variables), [&](PatternPtr first, PatternPtr rest) {
    auto pair = std::make_unique<Pattern>();
    pair->kind = Pattern::Kind::kPair;
    pair->span = definition.span;
    pair->type = types_.pair(first->type, rest->type);
    pair->parts.push_back(std::move(first));
    pair->parts.push_back(std::move(rest));
    return pair;
  });
  definition.scheme.type = types_.function(definition.parameter->type, result);

  auto body_of = [&](std::size_t number) {
    const Definition& member = *members[number];
    const std::uint32_t first = definition.locals;
    definition.locals += member.locals;
    std::size_t next = 0;
    auto argument = [&](auto& self, const Pattern* pattern, Type* type) -> ExprPtr {
      type = resolve(type);
      if (type->kind == Type::Kind::kPair && (pattern == nullptr || pattern->kind == Pattern::Kind::kPair)) {
        ExprPtr part = self(self, pattern == nullptr ? nullptr : pattern->parts[0].get(), type->arguments[0]);
        ExprPtr rest = self(self, pattern == nullptr ? nullptr : pattern->parts[1].get(), type->arguments[1]);
        return pair_of(std::move(part), std::move(rest), type);
      }
      const std::size_t slot = group.places[number][next++];
      return local_name(static_cast<std::uint32_t>(slot), type, member.span);
    };
    auto let = std::make_unique<Expr>();
    let->span = member.body->span;
    let->type = result;
    Let node;
    node.bindings.emplace_back(
        clone_inferred(*member.parameter, first),
        argument(argument, member.parameter.get(), resolve(member.scheme.type)->arguments[0]));
    node.body = clone_inferred(*member.body, first);
    let->node = std::move(node);
    origins_[let.get()] = &member;
    return let;
  };
  auto choose = [&](auto& self, std::size_t begin, std::size_t bit) -> ExprPtr {
    if (bit == group.bits) return body_of(std::min(begin, members.size() - 1));
    const std::size_t half = std::size_t{1} << (group.bits - bit - 1);
    if (begin + half >= members.size()) return self(self, begin, bit + 1);
    auto expr = std::make_unique<Expr>();
    expr->span = definition.span;
    expr->type = result;
    ExprPtr condition = local_name(static_cast<std::uint32_t>(bit), types_.bool_, definition.span);
    ExprPtr upper = self(self, begin + half, bit + 1);
    expr->node = If{std::move(condition), std::move(upper), self(self, begin, bit + 1)};
    return expr;
  };
  definition.body = choose(choose, 0, 0);
  return group;
}

const Flattener::Group* Flattener::find_group(const Definition* definition) const {
  const auto at = std::find_if(groups_.begin(), groups_.end(),
                               [&](const auto& entry) { return entry.second.definition.get() == definition; });
  return at == groups_.end() ? nullptr : &at->second;
}

std::vector<ValuePtr> Flattener::argument_of_group(const Group& group, const Definition& member,
                                                   const ValuePtr& argument) {
  const auto number = static_cast<std::size_t>(std::find(group.members.begin(), group.members.end(), &member) -
                                               group.members.begin());
  VC_CHECK(number < group.members.size());
  std::vector<ValuePtr> parts(group.types.size());
  for (std::size_t bit = 0; bit < group.bits; ++bit)
    parts[bit] = scalar_value(emit().boolean((number >> (group.bits - bit - 1) & 1) != 0), 0);
  std::size_t next = 0;
  auto take = [&](auto& self, const Pattern* pattern, const ValuePtr& value, Type* type) -> void {
    type = resolve(type);
    if (type->kind == Type::Kind::kPair && (pattern == nullptr || pattern->kind == Pattern::Kind::kPair)) {
      self(self, pattern == nullptr ? nullptr : pattern->parts[0].get(), value->parts[0], type->arguments[0]);
      return self(self, pattern == nullptr ? nullptr : pattern->parts[1].get(), value->parts[1], type->arguments[1]);
    }
    parts[group.places[number][next++]] = value;
  };
  take(take, member.parameter.get(), argument, resolve(member.scheme.type)->arguments[0]);
  return parts;
}

Flattener::Origin::Origin(const Flattener& flattener, const Expr& expr) {
  if (flattener.origins_.empty()) return;
  const auto at = flattener.origins_.find(&expr);
  if (at == flattener.origins_.end()) return;
  frame_ = flattener.frame_;
  definition_ = std::exchange(frame_->definition, at->second);
  source_ = std::exchange(frame_->source, at->second->source);
}

Flattener::Origin::~Origin() {
  if (frame_ == nullptr) return;
  frame_->definition = definition_;
  frame_->source = source_;
}

}  // namespace nesl

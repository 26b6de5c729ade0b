// Functions that call each other, as the states of an automaton do, merged into one. If the branches of a conditional
// call several members, one call of the merged function serves all of them. Separate calls would be made one after the
// other, for ever fewer instances, and two functions that both call both would make twice as many calls at each depth.
//
//   function a(s, i) = … b(s, i + 1) …
//   function b(s, i) = … a(s, i + 1) …
//
//   function a_or_b(is_a, s, i) = if is_a then (a's body) else (b's body)
//
// Parameters of the same type are merged, preferably those of the same name. A parameter that the called member lacks
// takes the value that other calls pass, so that sequences passed on by all calls stay shared.
#include "function_group.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "syntax/clone.h"

namespace nesl {

namespace {

/// A parameter of the merged function. The name is empty if the member's parameter is not a variable.
struct Slot {
  Type* type;
  std::string name;
};

std::string key_of(Type* type) {
  std::string key;
  append_key(type, key);
  return key;
}

ExprPtr make(Expr::Node node, Type* type, Span span) {
  return std::make_unique<Expr>(Expr{span, std::move(node), type});
}

ExprPtr local_name(std::size_t local, Type* type, Span span) {
  Name name;
  name.local = static_cast<std::uint32_t>(local);
  return make(std::move(name), type, span);
}

/// Assigns a slot to each parameter of a member, and appends slots for parameters that fit none.
std::vector<std::size_t> match_parameters(const Definition& member, std::size_t first, std::vector<Slot>& slots) {
  std::vector<Slot> own;
  for_each_parameter(member.parameter.get(), resolve(member.scheme.type)->arguments[0],
                     [&](const Pattern* pattern, Type* type) {
                       const bool named = pattern != nullptr && pattern->kind == Pattern::Kind::kVariable;
                       own.push_back({type, named ? pattern->name : ""});
                     });
  std::vector<std::size_t> positions(own.size(), SIZE_MAX);
  for (const bool by_name : {true, false})
    for (std::size_t k = 0; k < own.size(); ++k)
      for (std::size_t s = first; s < slots.size() && positions[k] == SIZE_MAX; ++s)
        if (std::find(positions.begin(), positions.end(), s) == positions.end() &&
            key_of(slots[s].type) == key_of(own[k].type) && (!by_name || slots[s].name == own[k].name))
          positions[k] = s;
  for (std::size_t k = 0; k < own.size(); ++k) {
    if (positions[k] != SIZE_MAX) continue;
    positions[k] = slots.size();
    slots.push_back(own[k]);
  }
  return positions;
}

/// Builds the argument tuple of a member from the variables of its slots.
ExprPtr argument_of(const Definition& member, const Pattern* pattern, Type* type, const std::size_t*& position) {
  type = resolve(type);
  if (type->kind == Type::Kind::kPair && (pattern == nullptr || pattern->kind != Pattern::Kind::kData)) {
    const bool split = pattern != nullptr && pattern->kind == Pattern::Kind::kPair;
    ExprPtr first = argument_of(member, split ? pattern->parts[0].get() : nullptr, type->arguments[0], position);
    ExprPtr rest = argument_of(member, split ? pattern->parts[1].get() : nullptr, type->arguments[1], position);
    return make(Pair{std::move(first), std::move(rest)}, type, member.span);
  }
  return local_name(*position++, type, member.span);
}

}  // namespace

FunctionGroup make_group(std::vector<const Definition*> members, TypeStore& types) {
  FunctionGroup group;
  group.members = std::move(members);
  const Definition& first = *group.members[0];
  while ((std::size_t{1} << group.bits) < group.members.size()) ++group.bits;
  std::vector<Slot> slots(group.bits, {types.bool_, ""});
  for (const Definition* member : group.members)
    group.positions.push_back(match_parameters(*member, group.bits, slots));

  group.definition = std::make_unique<Definition>();
  Definition& definition = *group.definition;
  definition.kind = Definition::Kind::kFunction;
  for (const Definition* member : group.members)
    definition.name += (definition.name.empty() ? "" : "_or_") + member->name;
  definition.source = first.source;
  definition.span = first.span;
  definition.prelude = first.prelude;
  definition.recursive = true;
  Type* const result = resolve(first.scheme.type)->arguments[1];
  std::vector<PatternPtr> variables;
  for (const Slot& slot : slots) {
    auto variable = std::make_unique<Pattern>();
    variable->span = definition.span;
    variable->type = slot.type;
    variable->local = definition.locals++;
    variables.push_back(std::move(variable));
    group.types.push_back(slot.type);
  }
  definition.parameter = nest_pairs(std::move(variables), [&](PatternPtr part, PatternPtr rest) {
    auto pair = std::make_unique<Pattern>();
    pair->kind = Pattern::Kind::kPair;
    pair->span = definition.span;
    pair->type = types.pair(part->type, rest->type);
    pair->parts.push_back(std::move(part));
    pair->parts.push_back(std::move(rest));
    return pair;
  });
  definition.scheme.type = types.function(definition.parameter->type, result);

  auto body_of = [&](std::size_t number) {
    const Definition& member = *group.members[number];
    const std::size_t* position = group.positions[number].data();
    Let let;
    let.bindings.emplace_back(
        clone_analysed(*member.parameter, definition.locals),
        argument_of(member, member.parameter.get(), resolve(member.scheme.type)->arguments[0], position));
    let.body = clone_analysed(*member.body, definition.locals);
    definition.locals += member.locals;
    ExprPtr body = make(std::move(let), result, member.body->span);
    group.bodies.push_back(body.get());
    return body;
  };
  // Chooses among the members from `begin` on by the flags from `bit` on.
  auto choose = [&](auto& self, std::size_t begin, std::size_t bit) -> ExprPtr {
    if (bit == group.bits) return body_of(begin);
    const std::size_t half = std::size_t{1} << (group.bits - bit - 1);
    ExprPtr lower = self(self, begin, bit + 1);
    if (begin + half >= group.members.size()) return lower;
    ExprPtr condition = local_name(bit, types.bool_, definition.span);
    ExprPtr upper = self(self, begin + half, bit + 1);
    return make(If{std::move(condition), std::move(upper), std::move(lower)}, result, definition.span);
  };
  definition.body = choose(choose, 0, 0);
  return group;
}

}  // namespace nesl

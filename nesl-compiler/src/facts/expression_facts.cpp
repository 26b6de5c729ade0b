#include "expression_facts.h"

#include <algorithm>
#include <set>

#include "base/check.h"
#include "fcode-opt/letform.h"

namespace nesl {

namespace {

/// True if all instances of a type are numbers, characters or booleans.
bool is_scalar(Type* type) { return is_member(type, TypeClass::kScalar); }

/// True if the argument of a function type contains sequences or functions.
bool has_structure(Type* function) {
  auto walk = [](auto& self, Type* type) -> bool {
    type = resolve(type);
    if (type->kind == Type::Kind::kPair) return self(self, type->arguments[0]) || self(self, type->arguments[1]);
    return !is_scalar(type);
  };
  return walk(walk, resolve(function)->arguments[0]);
}

/// True for a primitive whose instruction draws random numbers.
bool primitive_draws(const Definition& definition) {
  const auto instruction = find_instruction(definition);
  return instruction && vcode::info(instruction->op).draws();
}

/// Calls visit(definition) for each definition that an expression mentions.
template <class F>
void for_each_mention(const Expr& expr, F&& visit) {
  if (const auto* name = std::get_if<Name>(&expr.node); name != nullptr && name->definition != nullptr)
    visit(*name->definition);
  for_each_child(expr, [&](const Expr& child) { for_each_mention(child, visit); });
}

}  // namespace

bool primitive_may_fail(const Definition& primitive) {
  if (auto instruction = find_instruction(primitive)) {
    if (!primitive.failure.empty()) return true;  // such reductions are checked for elements
    for (int s = 0; s < vcode::kSuffixes; ++s) {
      const auto suffix = static_cast<vcode::Suffix>(s);
      const bool possible = instruction->suffix == vcode::Suffix::kNone ? vcode::info(instruction->op).takes(suffix)
                                                                        : instruction->suffix == suffix;
      if (possible && vcode::letform::has_effect(instruction->op, suffix)) return true;
    }
    return false;
  }
  // A primitive with only specializations has the effects of these; the callers add them.
  return primitive.specializations.empty() && !is_total(primitive.intrinsic);
}

std::optional<PrimitiveInstruction> find_instruction(const Definition& primitive) {
  const std::string& text = primitive.instruction;
  const std::size_t space = text.find(' ');
  auto op = vcode::find_op(text.substr(0, space));
  if (!op) return std::nullopt;
  PrimitiveInstruction found{*op, vcode::Suffix::kNone};
  if (space != std::string::npos)
    for (int s = 0; s < vcode::kSuffixes; ++s)
      if (vcode::suffix_name(static_cast<vcode::Suffix>(s)) == text.substr(space + 1))
        found.suffix = static_cast<vcode::Suffix>(s);
  return found;
}

bool is_computed_in_place(const Definition& global) { return global.prelude || has_function(global.scheme.type); }

const std::vector<std::uint32_t>& ExpressionFacts::free_locals(const Expr& expr) {
  if (auto it = free_.find(&expr); it != free_.end()) return it->second;
  std::vector<std::uint32_t> locals;
  if (const auto* name = std::get_if<Name>(&expr.node); name != nullptr && name->definition == nullptr)
    locals.push_back(name->local);
  for_each_child(expr, [&](const Expr& child) {
    const auto& more = free_locals(child);
    locals.insert(locals.end(), more.begin(), more.end());
  });
  std::sort(locals.begin(), locals.end());
  locals.erase(std::unique(locals.begin(), locals.end()), locals.end());
  // Locals are numbered uniquely within a definition, so a local bound here is free nowhere else.
  auto bind = [&](const Pattern& pattern) {
    for_each_variable(pattern, [&](const Pattern& v) {
      auto it = std::lower_bound(locals.begin(), locals.end(), v.local);
      if (it != locals.end() && *it == v.local) locals.erase(it);
    });
  };
  if (const auto* let = std::get_if<Let>(&expr.node))
    for (const auto& [pattern, value] : let->bindings) bind(*pattern);
  if (const auto* lambda = std::get_if<Lambda>(&expr.node)) bind(*lambda->parameter);
  if (const auto* each = std::get_if<Each>(&expr.node))
    for (const auto& [pattern, value] : each->bindings) bind(*pattern);
  return free_.emplace(&expr, std::move(locals)).first->second;
}

ExpressionFacts::SideEffects ExpressionFacts::side_effects(const Expr& expr) {
  if (auto it = expr_side_effects_.find(&expr); it != expr_side_effects_.end()) return it->second;
  SideEffects sum;
  auto add = [&](SideEffects e) {
    sum.may_fail |= e.may_fail;
    sum.draws |= e.draws;
  };
  if (const auto* name = std::get_if<Name>(&expr.node); name != nullptr && name->definition != nullptr) {
    const bool scalars = std::all_of(name->instantiation.begin(), name->instantiation.end(), is_scalar);
    if (scalars && name->definition->kind == Definition::Kind::kPrimitive)
      add(scalar_side_effects(*name->definition));
    else
      add(side_effects(*name->definition));
  }
  if (const auto* call = std::get_if<Call>(&expr.node)) {
    // The effects of a function value are known only where it is created.
    const auto* callee = std::get_if<Name>(&call->function->node);
    if (callee == nullptr || callee->definition == nullptr) sum.may_fail = true;
  }
  if (const auto* each = std::get_if<Each>(&expr.node)) sum.may_fail |= each->bindings.size() > 1 || each->serial;
  if (std::holds_alternative<Time>(expr.node)) sum.may_fail = true;
  for_each_child(expr, [&](const Expr& child) { add(side_effects(child)); });
  expr_side_effects_.emplace(&expr, sum);
  return sum;
}

ExpressionFacts::SideEffects ExpressionFacts::scalar_side_effects(const Definition& primitive) {
  SideEffects sum{primitive_may_fail(primitive), primitive_draws(primitive)};
  for (const auto& special : primitive.specializations) {
    if (has_structure(special->scheme.type)) continue;
    sum.may_fail |= side_effects(*special).may_fail;
    sum.draws |= side_effects(*special).draws;
  }
  return sum;
}

ExpressionFacts::SideEffects ExpressionFacts::side_effects(const Definition& definition) {
  {
    auto& facts = definitions_[&definition];
    if (facts.effects_known) return facts.effects;
    facts.effects_known = true;
    facts.effects.may_fail = definition.recursive;  // assumed for recursive calls
  }
  SideEffects sum;
  sum.may_fail = definition.recursive;
  if (definition.kind == Definition::Kind::kPrimitive) {
    sum.may_fail |= primitive_may_fail(definition);
  }
  if (definition.body) sum.may_fail |= side_effects(*definition.body).may_fail;
  for (const auto& special : definition.specializations) sum.may_fail |= side_effects(*special).may_fail;
  globals(definition);
  sum.draws = definitions_[&definition].effects.draws;
  definitions_[&definition].effects = sum;
  return sum;
}

std::vector<Definition*> ExpressionFacts::globals(const Expr& expr) {
  std::vector<Definition*> found;
  auto add = [&](Definition* global) {
    if (std::find(found.begin(), found.end(), global) == found.end()) found.push_back(global);
  };
  for_each_mention(expr, [&](Definition& definition) {
    if (definition.kind == Definition::Kind::kGlobal && !is_computed_in_place(definition))
      add(&definition);
    else
      for (Definition* global : globals(definition)) add(global);
  });
  return found;
}

const std::vector<Definition*>& ExpressionFacts::globals(const Definition& definition) {
  auto& facts = definitions_[&definition];
  if (facts.visit == 0) find_globals(definition);
  return facts.globals;
}

const std::vector<const Definition*>& ExpressionFacts::group(const Definition& definition) {
  globals(definition);
  return definitions_[&definition].group;
}

/// Finds the globals that a definition reaches, and whether it draws. All members of a strongly connected component of
/// the call graph reach the same definitions, so Tarjan's algorithm visits each definition once: R. Tarjan,
/// "Depth-First Search and Linear Graph Algorithms" (1972).
void ExpressionFacts::find_globals(const Definition& definition) {
  auto& facts = definitions_[&definition];
  facts.visit = facts.oldest_visit = ++visits_;
  const std::size_t group_begin = unfinished_.size();
  unfinished_.push_back(&definition);
  facts.effects.draws = primitive_draws(definition);
  std::set<const Definition*> reached;
  auto reach = [&](const Definition& other) {
    if (!reached.insert(&other).second) return;
    auto& there = definitions_[&other];
    if (there.visit == 0) find_globals(other);
    if (!there.globals_known) {
      facts.oldest_visit = std::min(facts.oldest_visit, there.oldest_visit);
      return;
    }
    facts.effects.draws |= there.effects.draws;
    facts.globals.insert(facts.globals.end(), there.globals.begin(), there.globals.end());
  };
  auto mention = [&](Definition& mentioned) {
    if (mentioned.kind != Definition::Kind::kGlobal || is_computed_in_place(mentioned))
      reach(mentioned);
    else
      facts.globals.push_back(&mentioned);
  };
  if (definition.body) for_each_mention(*definition.body, mention);
  if (definition.statement) for_each_mention(*definition.statement->value, mention);
  for (const auto& special : definition.specializations) reach(*special);
  if (facts.oldest_visit < facts.visit) return;

  std::vector<Definition*> found;
  std::set<const Definition*> seen;
  bool draws = false;
  for (std::size_t k = group_begin; k < unfinished_.size(); ++k) {
    const auto& member = definitions_[unfinished_[k]];
    draws |= member.effects.draws;
    for (Definition* global : member.globals)
      if (seen.insert(global).second) found.push_back(global);
  }
  // Sorted by name, so that the order does not depend on which member was visited first.
  std::stable_sort(found.begin(), found.end(),
                   [](const Definition* a, const Definition* b) { return a->name < b->name; });
  std::vector<const Definition*> group(unfinished_.begin() + static_cast<std::ptrdiff_t>(group_begin),
                                       unfinished_.end());
  std::stable_sort(group.begin(), group.end(),
                   [](const Definition* a, const Definition* b) { return a->name < b->name; });
  for (; unfinished_.size() > group_begin; unfinished_.pop_back()) {
    auto& member = definitions_[unfinished_.back()];
    member.group = group;
    member.globals = found;
    member.globals_known = true;
    member.effects.draws = draws;
  }
}

int ExpressionFacts::inlined_size(const Definition& definition) {
  if (auto& facts = definitions_[&definition]; facts.size_known) return facts.size;
  definitions_[&definition].size_known = true;
  definitions_[&definition].size = kLarge;  // for recursive calls met while counting
  int size = 1;
  if (definition.kind == Definition::Kind::kFunction) {
    auto count = [&](auto& self, const Expr& expr) -> void {
      ++size;
      if (const auto* name = std::get_if<Name>(&expr.node); name != nullptr && name->definition != nullptr)
        if (name->definition->kind == Definition::Kind::kFunction || !name->definition->specializations.empty())
          size = std::min(kLarge, size + inlined_size(*name->definition));
      for_each_child(expr, [&](const Expr& child) { self(self, child); });
    };
    if (definition.body) count(count, *definition.body);
  }
  if (definition.recursive) size = kLarge;
  definitions_[&definition].size = size;
  return size;
}

bool ExpressionFacts::makes_sequences(const Expr& expr) {
  if (auto it = makes_sequences_.find(&expr); it != makes_sequences_.end()) return it->second;
  const auto* name = std::get_if<Name>(&expr.node);
  if (name == nullptr && resolve(expr.type)->kind == Type::Kind::kSequence)
    return makes_sequences_.emplace(&expr, true).first->second;
  if (name != nullptr && name->definition != nullptr && name->definition->body != nullptr &&
      !name->definition->recursive) {
    auto& known = definitions_[name->definition].makes_sequences;
    if (!known) known = makes_sequences(*name->definition->body);
    if (*known) return true;
  }
  bool any = false;
  for_each_child(expr, [&](const Expr& child) { any = any || makes_sequences(child); });
  return makes_sequences_.emplace(&expr, any).first->second;
}

bool ExpressionFacts::calls_recursion(const Expr& expr) {
  if (auto it = calls_recursion_.find(&expr); it != calls_recursion_.end()) return it->second;
  const auto* name = std::get_if<Name>(&expr.node);
  bool any = name != nullptr && name->definition != nullptr && name->definition->recursive;
  for_each_child(expr, [&](const Expr& child) { any = calls_recursion(child) || any; });
  return calls_recursion_.emplace(&expr, any).first->second;
}

bool ExpressionFacts::only_indexed(const Definition& definition, std::uint32_t local) {
  auto& known = definitions_[&definition].only_indexed;
  if (auto it = known.find(local); it != known.end()) return it->second;
  known[local] = true;  // assumed for recursive uses, until another use is found
  const bool result = definition.body == nullptr || only_indexed(*definition.body, local);
  definitions_[&definition].only_indexed[local] = result;
  return result;
}

bool ExpressionFacts::only_indexed(const Expr& scope, std::uint32_t local) {
  auto is_part = [&](const Expr& e) {
    const Expr* whole = &e;
    while (const auto* field = std::get_if<Field>(&whole->node)) whole = field->record.get();
    const auto* name = std::get_if<Name>(&whole->node);
    return name != nullptr && name->definition == nullptr && name->local == local;
  };
  auto is_local = [&](const Expr& e) { return is_part(e) && !is_scalar(e.type); };
  auto good = [&](auto& self, const Expr& expr) -> bool {
    if (is_part(expr)) return is_scalar(expr.type);
    const auto* call = std::get_if<Call>(&expr.node);
    const auto* callee = call == nullptr ? nullptr : std::get_if<Name>(&call->function->node);
    if (callee != nullptr && callee->definition != nullptr) {
      const Definition& target = *callee->definition;
      if (is_local(*call->argument)) {
        if (takes_slices(target.intrinsic)) return true;
        if (target.parameter != nullptr && target.parameter->kind == Pattern::Kind::kVariable)
          return only_indexed(target, target.parameter->local);
        return false;
      }
      const auto* pair = std::get_if<Pair>(&call->argument->node);
      if (pair != nullptr && is_local(*pair->first) && takes_slices(target.intrinsic)) return self(self, *pair->rest);
      if (pair != nullptr && target.parameter != nullptr) {
        // Walk arguments and parameters in parallel.
        const Expr* argument = call->argument.get();
        const Pattern* parameter = target.parameter.get();
        while (true) {
          VC_CHECK(argument != nullptr && parameter != nullptr);
          const auto* tuple = std::get_if<Pair>(&argument->node);
          const bool split = tuple != nullptr && parameter->kind == Pattern::Kind::kPair;
          const Expr& first = split ? *tuple->first : *argument;
          const Pattern& pattern = split ? *parameter->parts[0] : *parameter;
          if (is_local(first)) {
            if (pattern.kind != Pattern::Kind::kVariable || !only_indexed(target, pattern.local)) return false;
          } else if (!self(self, first)) {
            return false;
          }
          if (!split) return true;
          argument = tuple->rest.get();
          parameter = parameter->parts[1].get();
        }
      }
    }
    bool all = true;
    for_each_child(expr, [&](const Expr& child) { all = all && self(self, child); });
    return all;
  };
  return good(good, scope);
}

}  // namespace nesl

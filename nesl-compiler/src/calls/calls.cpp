// Functions: calls, inlining, and the let-form functions compiled for definitions and for bodies of apply-to-eaches.

#include "calls.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/check.h"
#include "piece_operands_of.h"
#include "primitives/type_match.h"

namespace nesl {

namespace {

/// Largest functions that are inlined, in syntax nodes. The limit for functions of the prelude is higher because their
/// errors and operations are reported at the location of the call.
constexpr int kInlineSize = 60;
constexpr int kPreludeInlineSize = 1000;

std::string label(const std::string& name, std::uint32_t number) {
  std::string text;
  for (char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    text += plain ? static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c) : '_';
  }
  return fmt::format("{}_{}", text, number);
}

void append_key(const FlatValue& value, const std::vector<int>& levels, std::string& key) {
  key += "sqpfl"[static_cast<int>(value.kind)];
  if (has_level(value)) key += fmt::format("{}", levels[value.level]);
  if (value.kind == FlatValue::Kind::kFunction) {
    key += fmt::format("{}/{}", static_cast<const void*>(value.code->definition),
                       static_cast<const void*>(value.code->body));
    for (Type* type : value.code->instantiation) append_key(type, key);
    if (value.code->substitution)
      for (Type* type : value.code->substitution->types) append_key(type, key);
  }
  if (has_elements(value)) return;  // the type determines the rest
  for (const auto& part : value.parts) append_key(*part, levels, key);
}

void collect_levels(const FlatValue& value, std::set<int>& levels) {
  if (has_level(value) && value.level > 0) levels.insert(value.level);
  if (!has_elements(value))
    for (const auto& part : value.parts) collect_levels(*part, levels);
}

}  // namespace

ValuePtr Calls::call_definition(const Definition& definition, const std::vector<Type*>& instantiation,
                                ValuePtr argument) {
  if (definition.kind == Definition::Kind::kDatatype) return argument;
  if (definition.intrinsic == Intrinsic::kCombiningPut)
    if (ValuePtr combined = primitives_.combining_put(argument)) return combined;
  auto substitution = std::make_shared<const Substitution>(Substitution{definition.scheme.quantified, instantiation});
  const Definition* chosen = &definition;
  if (!definition.specializations.empty()) {
    Type* type = context_.types().substitute(definition.scheme.type, substitution->variables, substitution->types);
    if (const Definition* special = choose_specialization(context_.types(), definition, type, substitution))
      chosen = special;
  }
  if (chosen->kind == Definition::Kind::kPrimitive) {
    Type* type =
        resolve(context_.types().substitute(chosen->scheme.type, substitution->variables, substitution->types));
    return primitives_.primitive(*chosen, argument, resolve(type->arguments[0]), resolve(type->arguments[1]));
  }
  VC_CHECK(chosen->kind == Definition::Kind::kFunction && chosen->body);  // check_reachable() rejects the others
  const int limit = chosen->prelude ? kPreludeInlineSize : kInlineSize;
  if (!chosen->recursive && context_.facts().inlined_size(*chosen) <= limit)
    return inline_call(*chosen, substitution, argument);
  return call_instance(*chosen, substitution, argument);
}

ValuePtr Calls::call_value(const FlatValue& function, ValuePtr argument) {
  VC_CHECK(function.kind == FlatValue::Kind::kFunction);
  const Code& code = *function.code;
  if (code.definition != nullptr) return call_definition(*code.definition, code.instantiation, argument);
  const bool in_prelude = code.owner != nullptr && code.owner->prelude;
  Frame frame{code.owner, code.source, code.substitution, in_prelude, context_.frame().inlined};
  for (std::size_t i = 0; i < function.captured.size(); ++i) frame.locals[function.captured[i]] = function.parts[i];
  return context_.in_frame(frame, [&] {
    walker_.bind(*code.parameter, argument);
    return walker_.lower_lazily(*code.body);
  });
}

ValuePtr Calls::inline_call(const Definition& definition, SubstitutionPtr substitution, ValuePtr argument) {
  Frame frame{&definition, definition.source, std::move(substitution), definition.prelude,
              context_.inlined_here(definition)};
  return context_.in_frame(frame, [&] {
    walker_.bind(*definition.parameter, argument, definition.body.get());
    watcher_.note_parameters(definition);
    return walker_.lower_lazily(*definition.body);
  });
}

ValuePtr Calls::argument_for_call(const ValuePtr& argument, const Definition& definition, const Pattern* parameter) {
  switch (argument->kind) {
    case FlatValue::Kind::kPair: {
      while (parameter != nullptr && parameter->kind == Pattern::Kind::kData) parameter = parameter->parts[0].get();
      const bool split = parameter != nullptr && parameter->kind == Pattern::Kind::kPair;
      ValuePtr first = argument_for_call(argument->parts[0], definition, split ? parameter->parts[0].get() : nullptr);
      return pair_value(first,
                        argument_for_call(argument->parts[1], definition, split ? parameter->parts[1].get() : nullptr));
    }
    case FlatValue::Kind::kFunction: {
      auto copy = std::make_shared<FlatValue>(*argument);
      for (auto& part : copy->parts) part = argument_for_call(part, definition, nullptr);
      return copy;
    }
    case FlatValue::Kind::kScalar:
      return argument->level == 0 ? argument : levels_.lift_here(argument);
    case FlatValue::Kind::kSequence:
    case FlatValue::Kind::kSlice:
      break;
  }
  while (parameter != nullptr && parameter->kind == Pattern::Kind::kData) parameter = parameter->parts[0].get();
  const bool indexed = parameter != nullptr && parameter->kind == Pattern::Kind::kVariable &&
                       context_.facts().only_indexed(definition, parameter->local);
  // A sequence that varies with the instances and is only indexed is passed as a slice: its length and start are packed
  // as scalars for the shrinking set of instances. A descriptor would be traversed in full in each call of a recursion.
  if (indexed && argument->level > 0)
    return levels_.lift_here(argument->kind == FlatValue::Kind::kSlice ? argument : levels_.all_of(*argument));
  const ValuePtr sequence = levels_.copied(argument);
  // A sequence shared by several instances stays shared. If only some of its instances are active, the sequence is
  // restricted to those.
  return is_restricted(sequence->level) ? levels_.lift_here(sequence) : sequence;
}

bool Calls::is_restricted(int outer) {
  return outer != 0 && outer != levels_.depth() && levels_.only_subsets(outer, levels_.depth());
}

ValuePtr Calls::restricted(const ValuePtr& value) {
  if (value->kind != FlatValue::Kind::kPair && value->kind != FlatValue::Kind::kFunction)
    return is_restricted(value->level) ? levels_.lift_here(value) : value;
  auto copy = std::make_shared<FlatValue>(*value);
  for (auto& part : copy->parts) part = restricted(part);
  return copy;
}

ValuePtr Calls::call_instance(const Definition& definition, SubstitutionPtr substitution, ValuePtr argument) {
  if (levels_.depth() == 0) argument = levels_.copied(argument);
  argument = argument_for_call(argument, definition, definition.parameter.get());
  if (context_.frame().definition == &definition) argument = loops_.take_steps(definition, argument);
  if (definition.recursive && levels_.depth() > 0) {
    // Without this test, a recursion would never end: the condition that stops it is evaluated for no instance.
    if (Var needed = levels_.nonempty(); needed != letform::kNoVar)
      return levels_.conditional(
          needed, [&] { return levels_.lift_here(emit_call(definition, substitution, argument)); },
          [&](const ValuePtr& value) { return values_.empty_like(value, levels_.depth()); });
  }
  return emit_call(definition, substitution, argument);
}

ValuePtr Calls::emit_call(const Definition& definition, const SubstitutionPtr& substitution, const ValuePtr& argument) {
  const CallLevels levels = levels_of_call(*argument);
  // Code that ran before the watched statement is compiled again with watch points.
  std::string key =
      fmt::format("{} {}{} ", static_cast<const void*>(&definition), levels.own(), watcher_.is_active() ? "w" : "");
  for (Type* type : substitution->types) append_key(type, key);
  append_key(*argument, levels.callees, key);

  std::vector<Definition*> globals = context_.facts().globals(definition);
  append_globals(*argument, globals);
  std::vector<Var> operands = operands_of_call(levels, *argument, globals);

  auto [entry, is_new] = instances_.try_emplace(key);
  Instance& instance = entry->second;
  if (is_new) {
    instance.function = new_function();
    const std::string name = label(definition.name, instance.function);
    // Recursive calls are guarded by nonempty(), so a recursive function has at least one instance.
    auto compute = [&](const ValuePtr& parameter) {
      if (definition.prelude) context_.position() = {};
      for (int n = 1; n <= levels_.own_levels(); ++n) levels_.set_maybe_empty(n, !definition.recursive);
      Frame frame{&definition, definition.source, substitution, definition.prelude};
      ValuePtr result = context_.in_frame(frame, [&] {
        walker_.bind(*definition.parameter, parameter, definition.body.get());
        watcher_.note_parameters(definition);
        return walker_.lower(*definition.body);
      });
      return definition.recursive ? levels_.lift_here(result) : result;
    };
    instance.result = compile_function(instance.function, name, levels, *argument, globals, operands, compute);
    instance.finished = true;
  }
  watcher_.note_call(definition, levels.callers);
  ValuePtr result = emit_call(definition, substitution, levels, instance, std::move(operands));
  watcher_.note_return();
  return result;
}

ValuePtr Calls::emit_call(const Definition& definition, const SubstitutionPtr& substitution, const CallLevels& levels,
                          const Instance& instance, std::vector<Var> operands) {
  if (instance.finished)
    return call_function(instance.function, std::move(operands), instance.result, levels, levels_.location(""));
  std::vector<Kind> kinds;
  Type* type =
      resolve(context_.types().substitute(definition.scheme.type, substitution->variables, substitution->types));
  const ValuePtr form = values_.form_of(resolve(type->arguments[1]), levels.own(), kinds);
  return with_results(form, emit().call(instance.function, std::move(operands), kinds, levels_.location("")), levels);
}

Calls::CallLevels Calls::levels_of_call(const FlatValue& argument) {
  std::set<int> used;
  collect_levels(argument, used);
  if (levels_.depth() > 0) used.insert(levels_.depth());
  CallLevels levels{std::vector<int>(1, 0), std::vector<int>(levels_.depth() + 1, 0)};
  for (int n : used) {
    levels.callees[n] = static_cast<int>(levels.callers.size());
    levels.callers.push_back(n);
  }
  return levels;
}

std::vector<Var> Calls::operands_of_call(const CallLevels& levels, const FlatValue& argument,
                                         const std::vector<Definition*>& globals) {
  std::vector<Var> operands;
  for (int n = 1; n <= levels.own(); ++n)
    operands.push_back(levels_.grouping(levels.callers[n - 1], levels.callers[n]));
  if (levels.own() > 1) operands.push_back(levels_.single(levels_.depth()));
  append_leaves(argument, operands);
  for (Definition* global : globals) append_leaves(*walker_.global_value(*global), operands);
  return operands;
}

ValuePtr Calls::call_function(std::uint32_t function, std::vector<Var> operands, const ValuePtr& form,
                              const CallLevels& levels, const Location& where) {
  std::vector<Kind> kinds;
  for (Var leaf : leaves_of(*form)) kinds.push_back(context_.program().functions[function].values[leaf].kind);
  return with_results(form, emit().call(function, std::move(operands), kinds, where), levels);
}

ValuePtr Calls::with_results(const ValuePtr& form, const std::vector<Var>& results, const CallLevels& levels) {
  std::size_t next = 0;
  return rebuild(
      form, [&](Var) { return results[next++]; }, [&](int l) { return levels.callers[l]; });
}

void Calls::append_globals(const FlatValue& argument, std::vector<Definition*>& globals) {
  if (argument.kind == FlatValue::Kind::kFunction) {
    const Code& code = *argument.code;
    for (Definition* global :
         code.definition != nullptr ? context_.facts().globals(*code.definition) : context_.facts().globals(*code.body))
      if (std::find(globals.begin(), globals.end(), global) == globals.end()) globals.push_back(global);
  }
  for (const auto& part : argument.parts) append_globals(*part, globals);
}

std::uint32_t Calls::new_function() {
  context_.program().functions.emplace_back();
  return static_cast<std::uint32_t>(context_.program().functions.size() - 1);
}

ValuePtr Calls::compile_function(std::uint32_t number, const std::string& name, const CallLevels& levels,
                                 const FlatValue& argument, const std::vector<Definition*>& globals,
                                 const std::vector<Var>& operands,
                                 const std::function<ValuePtr(const ValuePtr&)>& compute) {
  std::vector<Kind> kinds;
  for (Var operand : operands) kinds.push_back(emit().kind(operand));
  std::vector<ValuePtr> global_values;
  for (Definition* global : globals) global_values.push_back(walker_.global_value(*global));
  std::vector<bool> maybe_empty;
  for (int n = 1; n <= levels.own(); ++n) maybe_empty.push_back(levels_.maybe_empty(levels.callers[n]));
  const Position outer = std::exchange(context_.position(), Position());
  levels_.begin_function(name, maybe_empty);
  std::size_t next = levels.callers.size() - (levels.own() > 1 ? 0 : 1);  // behind the descriptors of the levels
  auto take = [&](const ValuePtr& value, const std::function<int(int)>& level_of) {
    return rebuild(
        value, [&](Var) { return emit().parameter(kinds[next++], ""); }, level_of);
  };
  const ValuePtr parameter = take(std::make_shared<FlatValue>(argument), [&](int l) { return levels.callees[l]; });
  for (std::size_t k = 0; k < globals.size(); ++k)
    levels_.globals()[globals[k]] = take(global_values[k], [](int) { return 0; });

  ValuePtr result = compute(parameter);
  auto function = levels_.end_function(leaves_of(*result));
  if (context_.fuses()) note_piece_operands(*parameter, levels.own(), *result, function);
  context_.position() = outer;
  context_.program().functions[number] = std::move(function);
  return result;
}

// --- bodies of apply-to-eaches ------------------------------------------------------------------------------------

bool Calls::is_outlined(const Expr& body, int outer) {
  if (!context_.fuses() || context_.frame().prelude) return false;
  // Inside another apply-to-each, sequences that the body uses would have to be copied for each instance to become
  // operands.
  if (levels_.own_levels() > 0 || !levels_.only_subsets(0, outer)) return false;
  if (!context_.facts().makes_sequences(body) || context_.facts().side_effects(body).draws) return false;
  const bool is_recursive = context_.frame().definition != nullptr && context_.frame().definition->recursive;
  if (is_recursive && context_.facts().calls_recursion(body)) return false;
  bool varies = false;
  for (std::uint32_t local : context_.facts().free_locals(body)) {
    const FlatValue& value = *context_.frame().locals.at(local);
    if (has_slice(value)) return false;  // a slice would be copied
    varies = varies || max_level(value) > outer;
  }
  return varies;
}

ValuePtr Calls::lower_body(const Expr& body, int outer) {
  if (!is_outlined(body, outer)) return levels_.lift_here(walker_.lower(body));
  Code code;
  code.body = &body;
  FlatValue argument;
  argument.kind = FlatValue::Kind::kFunction;
  argument.code = std::make_shared<Code>(std::move(code));
  argument.captured = context_.facts().free_locals(body);
  for (std::uint32_t local : argument.captured) argument.parts.push_back(restricted(context_.frame().locals.at(local)));
  const CallLevels levels = levels_of_call(argument);
  std::vector<Definition*> globals;
  append_globals(argument, globals);
  std::vector<Var> operands = operands_of_call(levels, argument, globals);

  const std::uint32_t number = new_function();
  const std::string& owner =
      context_.frame().definition == nullptr ? std::string("main") : context_.frame().definition->name;
  auto compute = [&](const ValuePtr& parameter) {
    context_.position() = {context_.frame().source, body.span, context_.frame().definition};
    Frame frame{context_.frame().definition, context_.frame().source, context_.frame().substitution};
    for (std::size_t k = 0; k < argument.captured.size(); ++k) frame.locals[argument.captured[k]] = parameter->parts[k];
    return context_.in_frame(frame, [&] { return levels_.lift_here(walker_.lower(body)); });
  };
  const ValuePtr form =
      compile_function(number, label(owner + "_each", number), levels, argument, globals, operands, compute);
  // The call does not appear in the user's program: error reports continue with the enclosing location.
  Location where = levels_.location("");
  context_.program().sites.emplace_back();
  where.site = static_cast<std::uint32_t>(context_.program().sites.size() - 1);
  return call_function(number, std::move(operands), form, levels, where);
}

}  // namespace nesl

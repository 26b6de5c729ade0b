// Functions: calls, inlining, and the let-form functions made for definitions.
#include "flattener.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "piece_cuts.h"
#include "vcode/check.h"

namespace nesl {

namespace {

/// The largest functions that are inlined, in syntax nodes. Those of the prelude may be larger, because their errors
/// and operations are reported at the caller's place.
constexpr int kInlineSize = 60;
constexpr int kPreludeInlineSize = 1000;
/// A nest of more than three times as many levels keeps so many levels at each end, more than a report shows, and has
/// one entry for all between: otherwise code nested n deep would have n * n entries.
constexpr int kNestEnds = 32;

/// Thrown after an error has been reported: compilation cannot go on.
struct CompileError {};

std::string label(const std::string& name, std::uint32_t number) {
  std::string text;
  for (char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    text += plain ? static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c) : '_';
  }
  return fmt::format("{}_{}", text, number);
}

void append_key(Type* type, std::string& key) {
  type = resolve(type);
  key += static_cast<char>('0' + static_cast<int>(type->kind));
  if (type->kind == Type::Kind::kData) key += fmt::format("{}", static_cast<const void*>(type->datatype));
  for (Type* argument : type->arguments) append_key(argument, key);
}

void append_key(const FlatValue& value, const std::vector<int>& levels, std::string& key) {
  key += "sqpf"[static_cast<int>(value.kind)];
  if (value.kind == FlatValue::Kind::kScalar || value.kind == FlatValue::Kind::kSequence)
    key += fmt::format("{}", levels[value.level]);
  if (value.kind == FlatValue::Kind::kFunction) {
    key += fmt::format("{}/{}", static_cast<const void*>(value.code->definition),
                       static_cast<const void*>(value.code->body));
    for (Type* type : value.code->instantiation) append_key(type, key);
    if (value.code->substitution)
      for (Type* type : value.code->substitution->types) append_key(type, key);
  }
  if (value.kind == FlatValue::Kind::kSequence) return;  // the rest follows from the types
  for (const auto& part : value.parts) append_key(*part, levels, key);
}

/// The variables of a value except what functions in it have captured.
void append_data_leaves(const FlatValue& value, std::vector<Var>& leaves) {
  if (value.kind == FlatValue::Kind::kFunction) return;
  if (value.kind != FlatValue::Kind::kPair) leaves.push_back(value.var);
  for (const auto& part : value.parts) append_data_leaves(*part, leaves);
}

void collect_levels(const FlatValue& value, std::set<int>& levels) {
  if ((value.kind == FlatValue::Kind::kScalar || value.kind == FlatValue::Kind::kSequence) && value.level > 0)
    levels.insert(value.level);
  if (value.kind != FlatValue::Kind::kSequence)
    for (const auto& part : value.parts) collect_levels(*part, levels);
}

}  // namespace

Flattener::Flattener(TypeStore& types, const Definition& serial_map, vcode::Diagnostics& diagnostics, Target target)
    : types_(types), serial_map_(serial_map), diagnostics_(diagnostics), target_(target) {}

void Flattener::fail(Span span, std::string message) {
  diagnostics_.error(span, std::move(message)).code = "type";
  throw CompileError{};
}

void Flattener::fail_here(std::string message) { fail(body_->position.span, std::move(message)); }

// --- calls ----------------------------------------------------------------------------------------------------

bool Flattener::match(Type* pattern, Type* type, Substitution& substitution) {
  pattern = resolve(pattern);
  type = resolve(type);
  if (pattern->kind == Type::Kind::kVariable) {
    auto it = std::find(substitution.variables.begin(), substitution.variables.end(), pattern);
    if (it == substitution.variables.end()) {
      if (type->kind != Type::Kind::kVariable && !is_member(type, pattern->type_class)) return false;
      substitution.variables.push_back(pattern);
      substitution.types.push_back(type);
      return true;
    }
    std::string a, b;
    append_key(substitution.types[it - substitution.variables.begin()], a);
    append_key(type, b);
    return a == b;
  }
  if (pattern->kind != type->kind || pattern->datatype != type->datatype ||
      pattern->arguments.size() != type->arguments.size())
    return false;
  for (std::size_t i = 0; i < pattern->arguments.size(); ++i)
    if (!match(pattern->arguments[i], type->arguments[i], substitution)) return false;
  return true;
}

Type* Flattener::contents(Type* data) {
  const Scheme& constructor = data->datatype->scheme;
  Substitution substitution;
  [[maybe_unused]] const bool is_instance = match(resolve(constructor.type)->arguments[1], data, substitution);
  VC_CHECK(is_instance);
  return resolve(
      types_.substitute(resolve(constructor.type)->arguments[0], substitution.variables, substitution.types));
}

Type* Flattener::unwrap(Type* type) {
  type = resolve(type);
  if (type->kind == Type::Kind::kData) return contents(type);
  if (type->kind == Type::Kind::kPair) return types_.pair(unwrap(type->arguments[0]), unwrap(type->arguments[1]));
  if (type->kind == Type::Kind::kSequence) return types_.sequence(unwrap(type->arguments[0]));
  if (type->kind == Type::Kind::kFunction)
    return types_.function(unwrap(type->arguments[0]), unwrap(type->arguments[1]));
  return type;
}

const Definition* Flattener::choose_specialization(const Definition& definition, Type* type,
                                                   SubstitutionPtr& substitution) {
  // If no specialization matches a datatype, one for its contents may.
  for (int wrappers = 0; wrappers < 64; ++wrappers) {
    for (const auto& special : definition.specializations) {
      Substitution found;
      if (match(special->scheme.type, type, found)) {
        substitution = std::make_shared<Substitution>(std::move(found));
        return special.get();
      }
    }
    std::string before, after;
    append_key(type, before);
    type = unwrap(type);
    append_key(type, after);
    if (before == after) break;
  }
  return nullptr;
}

ValuePtr Flattener::call_definition(const Definition& definition, const std::vector<Type*>& instantiation,
                                    ValuePtr argument) {
  if (definition.kind == Definition::Kind::kDatatype) return argument;
  auto substitution = std::make_shared<const Substitution>(Substitution{definition.scheme.quantified, instantiation});
  const Definition* chosen = &definition;
  if (!definition.specializations.empty()) {
    Type* type = types_.substitute(definition.scheme.type, substitution->variables, substitution->types);
    if (const Definition* special = choose_specialization(definition, type, substitution)) chosen = special;
  }
  if (chosen->kind == Definition::Kind::kPrimitive) {
    Type* type = resolve(types_.substitute(chosen->scheme.type, substitution->variables, substitution->types));
    return primitive(*chosen, argument, resolve(type->arguments[0]), resolve(type->arguments[1]));
  }
  VC_CHECK(chosen->kind == Definition::Kind::kFunction && chosen->body);  // check_reachable() has refused others
  const int limit = chosen->prelude ? kPreludeInlineSize : kInlineSize;
  if (!chosen->recursive && facts_.inlined_size(*chosen) <= limit) return inline_call(*chosen, substitution, argument);
  return call_instance(*chosen, substitution, argument);
}

ValuePtr Flattener::call_value(const FlatValue& function, ValuePtr argument) {
  VC_CHECK(function.kind == FlatValue::Kind::kFunction);
  const Code& code = *function.code;
  if (code.definition != nullptr) return call_definition(*code.definition, code.instantiation, argument);
  Frame frame{code.owner, code.source, code.substitution, code.owner != nullptr && code.owner->prelude};
  for (std::size_t i = 0; i < function.captured.size(); ++i) frame.locals[function.captured[i]] = function.parts[i];
  return in_frame(frame, [&] {
    bind(*code.parameter, argument);
    return lower_lazily(*code.body);
  });
}

ValuePtr Flattener::in_frame(Frame& frame, const std::function<ValuePtr()>& work) {
  Frame* outer = frame_;
  frame_ = &frame;
  ValuePtr value = work();
  frame_ = outer;
  return value;
}

ValuePtr Flattener::inline_call(const Definition& definition, SubstitutionPtr substitution, ValuePtr argument) {
  Frame frame{&definition, definition.source, std::move(substitution), definition.prelude};
  return in_frame(frame, [&] {
    bind(*definition.parameter, argument, definition.body.get());
    return lower_lazily(*definition.body);
  });
}

ValuePtr Flattener::argument_for_call(const ValuePtr& argument, const Definition& definition,
                                      const Pattern* parameter) {
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
      return argument->level == 0 ? argument : lift_here(argument);
    case FlatValue::Kind::kSequence:
    case FlatValue::Kind::kSlice:  // call_instance() has copied it
      break;
  }
  if (argument->level == 0 || argument->level == depth()) return argument;
  // A sequence that several instances share stays shared. A sequence of which only some instances are active is
  // restricted to those, unless the restriction would cost more than the uses of the sequence.
  for (int n = argument->level + 1; n <= depth(); ++n)
    if (level(n).flags == letform::kNoVar) return argument;
  while (parameter != nullptr && parameter->kind == Pattern::Kind::kData) parameter = parameter->parts[0].get();
  if (parameter != nullptr && parameter->kind == Pattern::Kind::kVariable &&
      facts_.only_indexed(definition, parameter->local))
    return argument;
  return lift_here(argument);
}

ValuePtr Flattener::call_instance(const Definition& definition, SubstitutionPtr substitution, ValuePtr argument) {
  refuse_under_mask("a function is called");
  argument = argument_for_call(copied(argument), definition, definition.parameter.get());
  if (frame_->definition == &definition) argument = take_steps(definition, argument);
  if (definition.recursive && depth() > 0) {
    // Without this test a recursion would not end: nothing stops it if no instance is left.
    if (Var needed = nonempty(); needed != letform::kNoVar)
      return conditional(
          needed, [&] { return lift_here(emit_call(definition, substitution, argument)); },
          [&](const ValuePtr& value) { return empty_like(value, depth()); });
  }
  return emit_call(definition, substitution, argument);
}

ValuePtr Flattener::emit_call(const Definition& definition, const SubstitutionPtr& substitution,
                              const ValuePtr& argument) {
  std::set<int> used;
  collect_levels(*argument, used);
  if (depth() > 0) used.insert(depth());
  std::vector<int> callers(1, 0), callees(depth() + 1, 0);  // the caller's level of each of the callee's, and back
  for (int n : used) {
    callees[n] = static_cast<int>(callers.size());
    callers.push_back(n);
  }
  const int own = static_cast<int>(callers.size()) - 1;

  std::string key = fmt::format("{} {} ", static_cast<const void*>(&definition), own);
  for (Type* type : substitution->types) append_key(type, key);
  append_key(*argument, callees, key);

  std::vector<Var> operands;
  for (int n = 1; n <= own; ++n) operands.push_back(grouping(callers[n - 1], callers[n]));
  if (own > 1) operands.push_back(single(depth()));
  append_leaves(*argument, operands);
  std::vector<Definition*> globals = facts_.globals(definition);
  append_globals(*argument, globals);
  for (Definition* global : globals) append_leaves(*global_value(*global), operands);

  auto [entry, is_new] = instances_.try_emplace(key);
  Instance& instance = entry->second;
  if (is_new) {
    instance.function = static_cast<std::uint32_t>(program_.functions.size());
    program_.functions.emplace_back();
    compile_instance(instance, definition, substitution, *argument, callees, own, globals);
  }
  ValuePtr form = instance.result;
  std::vector<Kind> kinds;
  if (!instance.finished) {
    Type* type = resolve(types_.substitute(definition.scheme.type, substitution->variables, substitution->types));
    form = form_of(resolve(type->arguments[1]), own, kinds);
  } else {
    const auto& values = program_.functions[instance.function].values;
    for (Var leaf : leaves_of(*form)) kinds.push_back(values[leaf].kind);
  }
  auto results = emit().call(instance.function, std::move(operands), kinds, place(""));
  std::size_t next = 0;
  return rebuild(
      form, [&](Var) { return results[next++]; }, [&](int l) { return callers[l]; });
}

void Flattener::append_globals(const FlatValue& argument, std::vector<Definition*>& globals) {
  if (argument.kind == FlatValue::Kind::kFunction) {
    const Code& code = *argument.code;
    for (Definition* global :
         code.definition != nullptr ? facts_.globals(*code.definition) : facts_.globals(*code.body))
      if (std::find(globals.begin(), globals.end(), global) == globals.end()) globals.push_back(global);
  }
  for (const auto& part : argument.parts) append_globals(*part, globals);
}

void Flattener::compile_instance(Instance& instance, const Definition& definition, const SubstitutionPtr& substitution,
                                 const FlatValue& argument, const std::vector<int>& callees, int own,
                                 const std::vector<Definition*>& globals) {
  const auto& kind_here = [outer = body_](Var var) { return outer->emitter.kind(var); };
  Body body{Emitter(program_, label(definition.name, instance.function), [this] { return here(); })};
  for (int n = 1; n <= own; ++n) {
    Level l;
    l.link = body.emitter.parameter(Kind::kSegdes, "");
    if (n == 1) l.single = l.link;
    l.maybe_empty = !definition.recursive;
    l.id = ++next_level_id_;
    body.levels.push(l);
  }
  if (own > 1) body.levels.back().single = body.emitter.parameter(Kind::kSegdes, "");
  body.own_levels = body.levels.size();
  auto take = [&](const FlatValue& value, const std::function<int(int)>& level_of) {
    return rebuild(
        std::make_shared<FlatValue>(value), [&](Var var) { return body.emitter.parameter(kind_here(var), ""); },
        level_of);
  };
  ValuePtr parameter = take(argument, [&](int l) { return callees[l]; });
  for (Definition* global : globals) body.globals[global] = take(*global_value(*global), [](int) { return 0; });
  if (definition.prelude) body.position = {};

  Body* outer_body = body_;
  body_ = &body;
  Frame frame{&definition, definition.source, substitution, definition.prelude};
  ValuePtr result = in_frame(frame, [&] {
    bind(*definition.parameter, parameter);
    return lower(*definition.body);
  });
  if (definition.recursive) result = lift_here(result);
  auto function = body.emitter.finish(leaves_of(*result));
  if (target_.has_asserts()) note_cuts(*parameter, own, *result, function);
  body_ = outer_body;
  program_.functions[instance.function] = std::move(function);
  instance.result = result;
  instance.finished = true;
}

ValuePtr Flattener::form_of(Type* type, int level_number, std::vector<Kind>& kinds) {
  type = resolve(type);
  auto leaf = [&](Kind kind) {
    kinds.push_back(kind);
    return static_cast<Var>(kinds.size() - 1);
  };
  switch (type->kind) {
    case Type::Kind::kInt:
    case Type::Kind::kChar:
    case Type::Kind::kVariable:  // any type would do; INT is one leaf
      return scalar_value(leaf(Kind::kInt), level_number);
    case Type::Kind::kFloat:
      return scalar_value(leaf(Kind::kFloat), level_number);
    case Type::Kind::kBool:
      return scalar_value(leaf(Kind::kBool), level_number);
    case Type::Kind::kSequence: {
      Var descriptor = leaf(Kind::kSegdes);
      return sequence_value(descriptor, form_of(type->arguments[0], 0, kinds), level_number);
    }
    case Type::Kind::kPair: {
      ValuePtr first = form_of(type->arguments[0], level_number, kinds);
      return pair_value(first, form_of(type->arguments[1], level_number, kinds));
    }
    case Type::Kind::kData:
      return form_of(contents(type), level_number, kinds);
    case Type::Kind::kFunction:
      break;
  }
  fail_here("a function value that is not known at compile time");
}

ValuePtr Flattener::empty_sequence(Type* type) {
  std::vector<Kind> kinds;
  ValuePtr form = form_of(type, 0, kinds);
  VC_CHECK(form->kind == FlatValue::Kind::kSequence);
  auto empty = [&](Var number) {
    vcode::Constant c;
    c.bracketed = true;
    if (kinds[number] != Kind::kSegdes) {
      c.type = suffix_of(kinds[number]);
      return emit().constant(std::move(c));
    }
    return emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().constant(std::move(c))});
  };
  ValuePtr elements = rebuild(form->parts[0], empty, [](int l) { return l; });
  return sequence_value(emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().integer(0)}), elements, 0);
}

// --- globals and the whole program ------------------------------------------------------------------------------

ValuePtr Flattener::global_value(const Definition& global, const std::vector<Type*>& instantiation) {
  if (auto it = body_->globals.find(&global); it != body_->globals.end()) return it->second;
  VC_CHECK(is_computed_in_place(global));
  const GlobalStatement& statement = *global.statement;
  Frame frame{nullptr, statement.source,
              std::make_shared<Substitution>(Substitution{global.scheme.quantified, instantiation}), global.prelude};
  return in_frame(frame, [&] {
    bind(*statement.pattern, lower(*statement.value));
    return frame.locals.at(global.local);
  });
}

void Flattener::run_global(const GlobalStatement& statement) {
  Frame frame{nullptr, statement.source, std::make_shared<Substitution>()};
  in_frame(frame, [&] {
    bind(*statement.pattern, lower(*statement.value));
    return ValuePtr();
  });
  // A variable assigned several times has one definition: the last value that was run counts.
  for_each_variable(*statement.pattern, [&](const Pattern& variable) {
    for (const Definition* global : statement.globals)
      if (global->name == variable.name && !is_computed_in_place(*global))
        body_->globals[global] = frame.locals.at(variable.local);
  });
}

std::optional<letform::Program> Flattener::compile(const GlobalStatement& statement,
                                                   const std::vector<Definition*>& given,
                                                   const std::vector<const GlobalStatement*>& before) {
  program_ = {};
  program_.functions.emplace_back();
  Body body{Emitter(program_, "MAIN", [this] { return here(); })};
  body_ = &body;
  try {
    for (Definition* global : given) body.globals[global] = parameter_of(global->scheme.type, global->name);
    for (const GlobalStatement* earlier : before) run_needed(*earlier);
    for (Definition* global : facts_.globals(*statement.value)) run_needed(global);
    Frame frame{nullptr, statement.source, std::make_shared<Substitution>()};
    ValuePtr value = in_frame(frame, [&] {
      if (const Pattern* own = statement.parameter.get()) bind(*own, parameter_of(own->type, "argument"));
      return lower(*statement.value);
    });
    std::vector<Var> results;
    append_data_leaves(*value, results);
    program_.functions[0] = body.emitter.finish(std::move(results));
  } catch (const CompileError&) {
    return std::nullopt;
  }
  body_ = nullptr;
  return std::move(program_);
}

void Flattener::run_needed(const GlobalStatement& statement) {
  for (Definition* global : facts_.globals(*statement.value)) run_needed(global);
  run_global(statement);
}

void Flattener::run_needed(const Definition* global) {
  if (!body_->globals.contains(global)) run_needed(*global->statement);
}

// --- places -----------------------------------------------------------------------------------------------------

std::uint32_t Flattener::site(std::string message, std::string values) {
  vcode::Site s;
  s.message = std::move(message);
  s.values = std::move(values);
  const Position& position = body_->position;
  if (position.source != nullptr) {
    auto at = position.source->position(position.span.begin);
    s.file = position.source->name();
    s.line = at.line;
    s.column = at.column;
    s.function = position.function == nullptr ? "" : position.function->name;
  }
  if (program_.sites.empty() || program_.sites.back() != s) program_.sites.push_back(std::move(s));
  return static_cast<std::uint32_t>(program_.sites.size() - 1);
}

std::uint32_t Flattener::here() {
  const Position& position = body_->position;
  if (position.source == nullptr) return vcode::kNoSite;
  const auto [found, is_new] = places_.try_emplace({position.source, position.span.begin, position.function});
  if (is_new) found->second = site("");
  return found->second;
}

Var Flattener::between(int outer, int inner) {
  for (int n = outer + 1; n <= inner; ++n)
    if (level(n).flags == letform::kNoVar) return grouping(outer, inner);
  return origin(outer, inner);  // subsets alone, which add no position to that of the outer element
}

Place Flattener::place(std::string message, std::vector<Var> inner, std::string values) {
  Place p;
  p.site = site(std::move(message), std::move(values));
  p.nest = std::move(inner);
  const int first = static_cast<int>(body_->own_levels) + 1;
  for (int n = depth(); n >= first; --n) {
    if (n == depth() - kNestEnds && n - first > 2 * kNestEnds) {
      p.nest.push_back(between(first + kNestEnds, n));
      n = first + kNestEnds;
    }
    const Level& l = level(n);
    p.nest.push_back(l.flags != letform::kNoVar ? l.flags : l.link);
  }
  p.outermost = body_->levels.size() < std::max<std::size_t>(body_->own_levels, 1);
  return p;
}

}  // namespace nesl

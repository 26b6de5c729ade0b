// The walk over expressions.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/check.h"
#include "base/stop_request.h"
#include "facts/constant_sequence.h"
#include "flattener.h"
#include "levels/fetch.h"
#include "primitives/type_match.h"

namespace nesl {

namespace {

/// Literals of at most this many scalars are built with one REPLACE for each scalar; longer ones are appended.
constexpr std::size_t kReplaceLimit = 32;
/// An expression whose value nests sequences deeper than this is not hoisted out of apply-to-eaches: copying the value
/// to an inner nesting level takes some ten instructions for each level of sequences, so that n nested apply-to-eaches
/// would take n * n.
constexpr std::uint32_t kDeepestShared = 16;
/// Largest number of values of a let-form function. Beyond it, the compiler would need gigabytes of memory.
constexpr std::size_t kMostValues = 1'000'000;

/// The magnitude of the most negative int wraps around to that int, and negation leaves it unchanged.
std::int64_t integer_literal(const IntLiteral& literal) {
  std::uint64_t value = 0;
  std::from_chars(literal.digits.data(), literal.digits.data() + literal.digits.size(), value);
  return static_cast<std::int64_t>(value);
}

PatternPtr copy(const Pattern& pattern) {
  auto result = std::make_unique<Pattern>();
  result->kind = pattern.kind;
  result->span = pattern.span;
  result->name = pattern.name;
  for (const auto& part : pattern.parts) result->parts.push_back(copy(*part));
  result->type = pattern.type;
  result->datatype = pattern.datatype;
  result->local = pattern.local;
  return result;
}

/// Whether more than kDeepestShared sequences nest in a type that itself lies in `around` sequences.
bool is_deeper(Type* type, const Substitution* substitution, std::uint32_t around) {
  type = resolve(type);
  if (type->ground || around > kDeepestShared) return around + type->nesting > kDeepestShared;
  if (type->kind == Type::Kind::kVariable) {
    if (substitution == nullptr) return false;
    const auto at = std::find(substitution->variables.begin(), substitution->variables.end(), type);
    return at != substitution->variables.end() &&
           is_deeper(substitution->types[static_cast<std::size_t>(at - substitution->variables.begin())], nullptr,
                     around);
  }
  if (type->kind == Type::Kind::kSequence) ++around;
  return std::any_of(type->arguments.begin(), type->arguments.end(),
                     [&](Type* argument) { return is_deeper(argument, substitution, around); });
}

/// The operands of an expression a ++ b; null for others.
const Pair* operands_of_append(const Expr& expr) {
  const auto* call = std::get_if<Call>(&expr.node);
  const auto* name = call != nullptr ? std::get_if<Name>(&call->function->node) : nullptr;
  const bool appends =
      name != nullptr && name->definition != nullptr && name->definition->intrinsic == Intrinsic::kAppend;
  return appends ? std::get_if<Pair>(&call->argument->node) : nullptr;
}

}  // namespace

bool Flattener::is_deep(Type* type) { return is_deeper(type, context_.frame().substitution.get(), 0); }

void Flattener::bind(const Pattern& pattern, const ValuePtr& value, const Expr* scope) {
  switch (pattern.kind) {
    case Pattern::Kind::kVariable: {
      const bool stays =
          !has_slice(*value) || (scope != nullptr && context_.facts().only_indexed(*scope, pattern.local));
      context_.frame().locals[pattern.local] = stays ? value : levels_.copied(value);
      break;
    }
    case Pattern::Kind::kPair:
      VC_CHECK(value->kind == FlatValue::Kind::kPair);
      bind(*pattern.parts[0], value->parts[0], scope);
      bind(*pattern.parts[1], value->parts[1], scope);
      break;
    case Pattern::Kind::kData:
      bind(*pattern.parts[0], value, scope);
      break;
  }
}

ValuePtr Flattener::lower(const Expr& expr) {
  ValuePtr value = lower_lazily(expr);
  if (!has_slice(*value)) return value;
  const Position outer = context_.move_to(expr);
  value = levels_.copied(value);
  context_.position() = outer;
  return value;
}

ValuePtr Flattener::lower_lazily(const Expr& expr) {
  if (const ValuePtr* ready = context_.frame().ready.find(expr)) return *ready;
  if (levels_.depth() == 0 || is_atom(expr) || std::holds_alternative<Pair>(expr.node) ||
      std::holds_alternative<Field>(expr.node))
    return lower_here(expr);
  // Hoist an expression that varies only with an outer nesting level: compute it there, once.
  int varies = 0, sequences_vary = 0;
  auto effects = context_.facts().side_effects(expr);
  auto look_at = [&](auto& self, const FlatValue& value) -> void {
    varies = std::max(varies, max_level(value));
    if (value.kind == FlatValue::Kind::kSequence || value.kind == FlatValue::Kind::kSlice)
      sequences_vary = std::max(sequences_vary, max_level(value));
    if (value.kind == FlatValue::Kind::kFunction) {
      auto of_code = value.code->definition != nullptr ? context_.facts().side_effects(*value.code->definition)
                                                       : context_.facts().side_effects(*value.code->body);
      effects.draws |= of_code.draws;
    }
    if (value.kind != FlatValue::Kind::kScalar)
      for (const auto& part : value.parts) self(self, *part);
  };
  for (std::uint32_t local : context_.facts().free_locals(expr)) look_at(look_at, *context_.frame().locals.at(local));
  if (effects.draws || varies == levels_.depth() || is_deep(expr.type)) return lower_here(expr);
  // An expression that makes sequences is computed for those instances only that a filter or a branch leaves. If it
  // comes to a number, but reads a sequence of each instance, copying these would cost as much as reading all.
  const bool is_costly =
      context_.concrete(expr.type)->nesting > 0 || (sequences_vary < varies && context_.facts().makes_sequences(expr));
  if (is_costly && levels_.only_subsets(varies, levels_.depth())) return lower_here(expr);
  auto outside = [&] { return levels_.at_level(varies, [&] { return lower_here(expr); }); };
  if (!effects.may_fail) return outside();
  if (varies > 0) return lower_here(expr);
  // An expression that may fail must not run if the enclosing apply-to-eaches have no elements.
  Var needed = levels_.nonempty();
  // A slice shared by all elements is copied: they index the copy without the rest of the nested sequence. In a branch
  // it stays a slice, since masks cannot apply to a copy.
  const bool copy = !levels_.in_branch() || !context_.fuses();
  auto once = [&] { return copy ? levels_.copied(outside()) : outside(); };
  if (needed == letform::kNoVar) return once();
  return levels_.conditional(needed, once, [&](const ValuePtr& value) { return values_.empty_like(value, 0); });
}

ValuePtr Flattener::lower_here(const Expr& expr) {
  base::check_stop();
  if (emit().size() > kMostValues)
    context_.fail(
        expr.span,
        fmt::format("the program gets too large here, more than {} operations: what is nested deep takes some "
                    "for each level wherever it is copied",
                    kMostValues));
  const MergedFunctions::Origin origin(merged_, expr);
  const Watcher::Inside inside(watcher_, expr);
  const Position outer = context_.move_to(expr);
  ValuePtr value = std::visit(
      [&](const auto& node) -> ValuePtr {
        using T = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<T, IntLiteral>) {
          return scalar_value(emit().integer(integer_literal(node)), 0);
        } else if constexpr (std::is_same_v<T, FloatLiteral>) {
          vcode::Constant c;
          c.type = Suffix::kFloat;
          c.floats = {node.value};
          return scalar_value(emit().constant(std::move(c)), 0);
        } else if constexpr (std::is_same_v<T, BoolLiteral>) {
          return scalar_value(emit().boolean(node.value), 0);
        } else if constexpr (std::is_same_v<T, CharLiteral>) {
          return scalar_value(emit().constant({.type = Suffix::kByte, .ints = {node.code}}), 0);
        } else if constexpr (std::is_same_v<T, StringLiteral>) {
          return values_.string_value(node.text);
        } else if constexpr (std::is_same_v<T, Name>) {
          return lower_name(node);
        } else if constexpr (std::is_same_v<T, Call>) {
          return lower_call(node);
        } else if constexpr (std::is_same_v<T, Pair>) {
          ValuePtr first = lower_lazily(*node.first);
          return pair_value(first, lower_lazily(*node.rest));
        } else if constexpr (std::is_same_v<T, If>) {
          return conditionals_.lower_if(expr, node);
        } else if constexpr (std::is_same_v<T, Let>) {
          for (const auto& [pattern, bound] : node.bindings) bind(*pattern, lower_lazily(*bound), &expr);
          return lower_lazily(*node.body);
        } else if constexpr (std::is_same_v<T, Lambda>) {
          return closure(*node.parameter, *node.body, context_.facts().free_locals(expr));
        } else if constexpr (std::is_same_v<T, SequenceLiteral>) {
          return lower_sequence(node);
        } else if constexpr (std::is_same_v<T, EmptySequence>) {
          return values_.placeholder(context_.concrete(expr.type));
        } else if constexpr (std::is_same_v<T, Field>) {
          return lower_field(node);
        } else if constexpr (std::is_same_v<T, Each>) {
          return node.serial ? lower_serial_each(node) : lower_each(expr, node);
        } else if constexpr (std::is_same_v<T, Time>) {
          return lower_time(*node.expression);
        } else {
          static_assert(std::is_same_v<T, OptionalArgument>);
          VC_CHECK(false);  // inference has rejected it, or moved it into the call
          return nullptr;
        }
      },
      expr.node);
  watcher_.note_value(expr, value);
  context_.position() = outer;
  return value;
}

/// Evaluates the variables that the expression uses before the timer starts, and its value before the timer stops.
ValuePtr Flattener::lower_time(const Expr& timed) {
  std::vector<Var> used;
  for (const std::uint32_t local : context_.facts().free_locals(timed))
    append_leaves(*context_.frame().locals.at(local), used);
  emit().clock(Op::kStartTimer, std::move(used));
  ValuePtr value = lower(timed);
  const Var seconds = emit().clock(Op::kStopTimer, leaves_of(*value))[0];
  return pair_value(std::move(value), scalar_value(seconds, 0));
}

ValuePtr Flattener::lower_name(const Name& name) {
  if (name.definition == nullptr) return context_.frame().locals.at(name.local);
  if (name.definition->kind == Definition::Kind::kGlobal)
    return global_value(*name.definition, context_.concrete(name.instantiation));
  Code code;
  code.definition = name.definition;
  code.instantiation = context_.concrete(name.instantiation);
  FlatValue value;
  value.kind = FlatValue::Kind::kFunction;
  value.code = std::make_shared<Code>(std::move(code));
  return std::make_shared<FlatValue>(std::move(value));
}

ValuePtr Flattener::closure(const Pattern& parameter, const Expr& body, const std::vector<std::uint32_t>& captured) {
  Code code;
  code.parameter = &parameter;
  code.body = &body;
  code.owner = context_.frame().definition;
  code.source = context_.frame().source;
  code.substitution = context_.frame().substitution;
  FlatValue value;
  value.kind = FlatValue::Kind::kFunction;
  value.code = std::make_shared<Code>(std::move(code));
  value.captured = captured;
  for (std::uint32_t local : captured) value.parts.push_back(levels_.copied(context_.frame().locals.at(local)));
  return std::make_shared<FlatValue>(std::move(value));
}

ValuePtr Flattener::lower_call(const Call& call) {
  const auto* name = std::get_if<Name>(&call.function->node);
  if (name != nullptr && name->definition != nullptr && name->definition->kind != Definition::Kind::kGlobal) {
    const Definition& callee = *name->definition;
    if (callee.intrinsic == Intrinsic::kCheck || callee.intrinsic == Intrinsic::kCheckNumbers) {
      lower_check(*call.argument, callee.intrinsic);
      return scalar_value(emit().boolean(true), 0);
    }
    const auto* operands = std::get_if<Pair>(&call.argument->node);
    if (callee.intrinsic == Intrinsic::kAppend && operands != nullptr) return lower_append(*operands);
    return calls_.call_definition(callee, context_.concrete(name->instantiation), lower_lazily(*call.argument));
  }
  ValuePtr function = lower(*call.function);
  return calls_.call_value(*function, lower(*call.argument));
}

void Flattener::lower_appended(const Expr& expr, std::vector<ValuePtr>& parts) {
  const Pair* const operands = context_.frame().ready.find(expr) == nullptr ? operands_of_append(expr) : nullptr;
  if (operands == nullptr) return parts.push_back(lower(expr));
  lower_appended(*operands->first, parts);
  lower_appended(*operands->rest, parts);
}

ValuePtr Flattener::lower_append(const Pair& operands) {
  std::vector<ValuePtr> parts;
  lower_appended(*operands.first, parts);
  lower_appended(*operands.rest, parts);
  // Neighbours that vary only with outer nesting levels are appended there, once.
  const auto is_outer = [&](const ValuePtr& part) { return max_level(*part) < levels_.depth(); };
  std::vector<ValuePtr> joined;
  for (auto begin = parts.begin(), end = begin; begin != parts.end(); begin = end) {
    const bool outer = is_outer(*begin) && !is_deep(operands.first->type);
    end = outer ? std::find_if_not(begin, parts.end(), is_outer) : begin + 1;
    int varies = 0;
    for (auto part = begin; part != end; ++part) varies = std::max(varies, max_level(**part));
    joined.push_back(end - begin == 1 ? *begin : levels_.at_level(varies, [&] {
      return values_.append({&*begin, static_cast<std::size_t>(end - begin)});
    }));
  }
  return values_.append(joined);
}

ValuePtr Flattener::lower_field(const Field& field) {
  ValuePtr part = lower_lazily(*field.record);
  for (std::size_t i = 0; i < field.position; ++i) part = part->parts[1];
  return field.position + 1 < field.datatype->fields.size() ? part->parts[0] : part;
}

/// The value of a sequence, with copies in place of slices but for elements that are sequences.
ValuePtr Flattener::lower_iterated(const Expr& expr) {
  const ValuePtr value = levels_.lift_here(lower_lazily(expr));
  if (value->kind != FlatValue::Kind::kSlice) return value;
  const Position outer = context_.move_to(expr);
  const Var segments = emit().op(Op::kMakeSegdes, Suffix::kNone, {value->var});
  const ValuePtr elements = slices_lazily(emit(), value->parts[0], value->starts, segments);
  context_.position() = outer;
  return sequence_value(segments, elements, value->level);
}

ValuePtr Flattener::lower_each(const Expr& expr, const Each& node) {
  const int here = levels_.depth();
  std::vector<ValuePtr> sequences;
  for (const auto& [pattern, sequence] : node.bindings) sequences.push_back(lower_iterated(*sequence));
  const ValuePtr& first = sequences[0];
  for (std::size_t i = 1; i < sequences.size(); ++i)
    checks_.check_equal_lengths(first->var, sequences[i]->var, "Length mismatch in an apply-to-each.");
  levels_.push_elements(first->var);
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const auto& [pattern, sequence] = node.bindings[i];
    const ValuePtr elements = with_level(sequences[i]->parts[0], here + 1);
    bind(*pattern, elements, &expr);
    watcher_.note_elements(*pattern, *sequence, elements);
  }
  Var descriptor = first->var;
  ValuePtr body;
  if (node.filter) {
    const Var flags = levels_.lift_here(lower(*node.filter))->var;
    levels_.push_subset(flags, descriptor, letform::kNoVar, true);
    watcher_.note_filter(*node.filter);
    body = calls_.lower_body(*node.body, here);
    descriptor = levels_.packed_descriptor();
    levels_.pop_level();
  } else {
    body = calls_.lower_body(*node.body, here);
  }
  levels_.pop_level();
  return sequence_value(descriptor, body, here);
}

ValuePtr Flattener::lower_serial_each(const Each& node) {
  // Compiled as map(pattern => body, sequence). Several sequences are zipped to one of tuples; a filter packs the
  // sequence first.
  const int here = levels_.depth();
  std::vector<ValuePtr> sequences;
  for (const auto& [pattern, sequence] : node.bindings) sequences.push_back(levels_.lift_here(lower(*sequence)));
  ValuePtr elements = with_level(sequences.back()->parts[0], 0);
  const Pattern* parameter = node.bindings.back().first.get();
  for (std::size_t i = sequences.size() - 1; i-- > 0;) {
    checks_.check_equal_lengths(sequences.back()->var, sequences[i]->var, "Length mismatch in an apply-to-each.");
    elements = pair_value(sequences[i]->parts[0], elements);
    auto tuple = std::make_unique<Pattern>();
    tuple->kind = Pattern::Kind::kPair;
    tuple->parts.push_back(copy(*node.bindings[i].first));
    tuple->parts.push_back(copy(*parameter));
    tuple->type = context_.types().pair(node.bindings[i].first->type, parameter->type);
    parameter = tuple.get();
    patterns_.push_back(std::move(tuple));
  }
  ValuePtr sequence = sequence_value(sequences.back()->var, elements, here);
  if (node.filter) {
    levels_.push_elements(sequence->var);
    bind(*parameter, with_level(elements, levels_.depth()));
    ValuePtr flags = levels_.lift_here(lower(*node.filter));
    levels_.pop_level();
    sequence = primitives_.pack(sequence_value(sequence->var, pair_value(elements, flags), here));
  }
  std::vector<std::uint32_t> captured = context_.facts().free_locals(*node.body);
  for_each_variable(*parameter, [&](const Pattern& variable) { std::erase(captured, variable.local); });
  ValuePtr function = closure(*parameter, *node.body, captured);
  Type* element_type = context_.concrete(parameter->type);
  Type* result_type = context_.concrete(node.body->type);
  Substitution found;
  match(serial_map_.scheme.type,
        context_.types().function(context_.types().pair(context_.types().function(element_type, result_type),
                                                        context_.types().sequence(element_type)),
                                  context_.types().sequence(result_type)),
        found);
  std::vector<Type*> instantiation;
  for (Type* variable : serial_map_.scheme.quantified) {
    const auto at = std::find(found.variables.begin(), found.variables.end(), resolve(variable));
    VC_CHECK(at != found.variables.end());
    instantiation.push_back(found.types[static_cast<std::size_t>(at - found.variables.begin())]);
  }
  return calls_.call_definition(serial_map_, instantiation, pair_value(function, sequence));
}

ValuePtr Flattener::lower_sequence(const SequenceLiteral& literal) {
  if (auto columns = constant_sequence(literal)) {
    auto build = [&](auto& self, const ConstantColumns& column, bool outermost) -> ValuePtr {
      if (column.kind == ConstantColumns::Kind::kPair) {
        ValuePtr first = self(self, column.parts[0], false);
        return pair_value(first, self(self, column.parts[1], false));
      }
      // Fusion is shown as it is for data that is not known before the run.
      const bool is_unknown = watch_ == Watch::kPlaces && levels_.is_in_main() && !outermost;
      Var var =
          is_unknown ? emit().parameter(vcode::suffix_kind(column.values.type), "") : emit().constant(column.values);
      if (column.kind == ConstantColumns::Kind::kScalar) return scalar_value(var, 0);
      if (outermost) var = emit().integer(column.values.ints.at(0));
      return sequence_value(emit().op(Op::kMakeSegdes, Suffix::kNone, {var}), self(self, column.parts[0], false), 0);
    };
    return build(build, *columns, true);
  }
  std::vector<ValuePtr> elements;
  for (const auto& element : literal.elements) elements.push_back(levels_.lift_here(lower_lazily(*element)));
  const bool one_source = std::all_of(elements.begin(), elements.end(), [&](const ValuePtr& element) {
    return have_same_sources(*elements[0], *element);
  });
  if (!one_source)
    for (ValuePtr& element : elements) element = levels_.copied(element);
  if (levels_.depth() == 0 && elements.size() <= kReplaceLimit && elements[0]->kind == FlatValue::Kind::kScalar) {
    const Kind kind = emit().kind(elements[0]->var);
    Var segment =
        emit().op(Op::kMakeSegdes, Suffix::kNone, {emit().integer(static_cast<std::int64_t>(elements.size()))});
    Var data = emit().op(Op::kDist, suffix_of(kind), {elements[0]->var, segment});
    for (std::size_t i = 1; i < elements.size(); ++i)
      data = emit().op(Op::kReplace, suffix_of(kind),
                       {data, emit().integer(static_cast<std::int64_t>(i)), elements[i]->var, segment});
    return sequence_value(segment, scalar_value(data, 0), 0);
  }
  for (ValuePtr& element : elements)
    element = sequence_value(emit().op(Op::kMakeSegdes, Suffix::kNone, {levels_.spread(1)}), element, levels_.depth());
  const ValuePtr sequence = values_.append(elements);
  return sequence_value(sequence->var, levels_.copied(sequence->parts[0]), sequence->level);
}

void Flattener::lower_check(const Expr& argument, Intrinsic which) {
  std::vector<const Expr*> parts = {&argument};
  while (const auto* pair = std::get_if<Pair>(&parts.back()->node)) {
    parts.back() = pair->first.get();
    parts.push_back(pair->rest.get());
  }
  const auto text = [&](std::size_t k) {
    const auto* literal = std::get_if<StringLiteral>(&parts.at(k)->node);
    VC_CHECK(literal != nullptr);  // only the prelude calls the primitive, with literals
    return literal->text;
  };
  const Var flags = levels_.lift_here(lower(*parts[0]))->var;
  if (which == Intrinsic::kCheck) return checks_.check_flags(flags, text(1), {});
  const Var a = levels_.lift_here(lower(*parts.at(1)))->var;
  const Var b = levels_.lift_here(lower(*parts.at(2)))->var;
  checks_.check_flags(flags, text(3), Checks::Told{a, b, text(4)});
}

}  // namespace nesl

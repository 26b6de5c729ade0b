#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

#include <fmt/format.h>

#include "base/check.h"
#include "infer.h"
#include "mismatch_text.h"
#include "syntax/clone.h"

namespace nesl {

namespace {

constexpr std::uint32_t kShownTypeSize = 100;  // longer types of functions are left out of messages

/// Notation of a call in the source, so that messages name the arguments accordingly.
struct Notation {
  enum class Form : std::uint8_t { kCall, kInfix, kPrefix, kIndex, kRange, kExpression };
  Form form = Form::kExpression;
  std::string name;  // name as written
};

Notation notation_of(const base::Source& source, const Expr& function, const Expr& argument) {
  const Name* name = std::get_if<Name>(&function.node);
  if (name == nullptr) return {};
  if (name->implied) {
    if (name->name == "elt") return {Notation::Form::kIndex, "elt"};
    if (name->name == "iseq") return {Notation::Form::kRange, "iseq"};
    VC_CHECK(name->name == "negate");
    return {Notation::Form::kPrefix, "-"};
  }
  const Pair* pair = std::get_if<Pair>(&argument.node);
  if (pair != nullptr && pair->first->span.begin < function.span.begin) return {Notation::Form::kInfix, name->name};
  bool word = std::isalpha(static_cast<unsigned char>(name->name[0])) != 0 || name->name[0] == '_';
  bool quoted = source.text(function.span).starts_with('\'');
  return {word || quoted ? Notation::Form::kCall : Notation::Form::kPrefix, name->name};
}

/// "the left operand of +", "argument 2 of dist", …
std::string describe(const Notation& notation, std::size_t number, std::size_t count) {
  static constexpr std::array<const char*, 3> kRange = {"the start of a range", "the step of a range",
                                                        "the end of a range"};
  switch (notation.form) {
    case Notation::Form::kInfix:
      return fmt::format("the {} operand of {}", number == 0 ? "left" : "right", notation.name);
    case Notation::Form::kPrefix:
      return fmt::format("the operand of {}", notation.name);
    case Notation::Form::kIndex:
      return number == 0 ? "what is indexed" : "an index";
    case Notation::Form::kRange:
      return kRange[std::min<std::size_t>(number, 2)];
    case Notation::Form::kCall:
      return count == 1 ? fmt::format("the argument of {}", notation.name)
                        : fmt::format("argument {} of {}", number + 1, notation.name);
    case Notation::Form::kExpression:
      break;
  }
  return count == 1 ? "the argument of this function" : fmt::format("argument {} of this function", number + 1);
}

std::size_t count_parts(Type* type) {
  std::size_t count = 1;
  for (type = resolve(type); type->kind == Type::Kind::kPair; type = resolve(type->arguments[1])) ++count;
  return count;
}

std::size_t count_parts(const Expr& e) {
  std::size_t count = 1;
  for (const Pair* pair = std::get_if<Pair>(&e.node); pair != nullptr; pair = std::get_if<Pair>(&pair->rest->node))
    ++count;
  return count;
}

/// The library function of a sequence that applies a function or operator of two values to all elements, or null.
const char* function_of_sequence(std::string_view name) {
  static constexpr std::pair<std::string_view, const char*> kFunctions[] = {
      {"max", "max_val"}, {"min", "min_val"}, {"+", "sum"},     {"*", "product"},
      {"and", "all"},     {"or", "any"},      {"xor", "parity"}};
  for (const auto& [pair, sequence] : kFunctions)
    if (pair == name) return sequence;
  return nullptr;
}

/// Whether an argument is the name of a function with its own argument behind it, as in `not f(x)`, which is (not
/// f)(x).
bool is_called_behind(const base::Source& source, const Expr& argument) {
  if (!std::holds_alternative<Name>(argument.node) || resolve(argument.type)->kind != Type::Kind::kFunction)
    return false;
  const std::string_view behind = source.text().substr(argument.span.end);
  const std::size_t next = behind.find_first_not_of(" \t\r\n\f");
  return next != std::string_view::npos && behind[next] == '(';
}

const char* plural(std::size_t count) { return count == 1 ? "" : "s"; }

}  // namespace

bool is_parenthesized(const base::Source& source, const Expr& tuple) {
  std::string_view before = source.text().substr(0, tuple.span.begin);
  std::size_t last = before.find_last_not_of(" \t\r\n\f");
  return last != std::string_view::npos && before[last] == '(' && std::holds_alternative<Pair>(tuple.node);
}

const Definition* Inference::called(const Expr& function) const {
  const Name* name = std::get_if<Name>(&function.node);
  if (name == nullptr) return nullptr;
  if (name->definition != nullptr) return name->definition;
  bool local = name->local != UINT32_MAX;
  return !local && self_.definition != nullptr && self_.definition->name == name->name ? self_.definition : nullptr;
}

Type* Inference::node(Expr& e, Call& call) {
  if (Name* name = std::get_if<Name>(&call.function->node); name != nullptr && is_unbound(*name)) {
    const std::size_t literals = literals_.size();
    Type* argument = resolve(infer(*call.argument));
    settle_literals(literals);
    Type* result = fresh();
    report_unbound(*call.function, *name, is_known(argument) ? argument : nullptr);
    call.function->type = types_.function(argument, result);
    return result;
  }
  Type* type = resolve(infer(*call.function));
  if (type->kind == Type::Kind::kVariable && type->type_class == TypeClass::kLiteral) type = type->link = types_.int_;
  if (Name* name = std::get_if<Name>(&call.function->node); name != nullptr && name->definition != nullptr)
    name->definition = &environment_.checked_operation(*name->definition);
  const Definition* definition = called(*call.function);
  if (definition != nullptr && !definition->optional.empty() && !fill_in_optional(e, call, *definition)) return fresh();
  Type* argument = infer(*call.argument);
  if (type->kind == Type::Kind::kFunction) {
    if (!apply(*call.function, type->arguments[0], *call.argument)) return fresh();
    check_choices(*call.function, *call.argument);
    return type->arguments[1];
  }
  Type* result = fresh();
  if (type->kind == Type::Kind::kVariable)
    require(*call.function, "what is called here", types_.function(argument, result));
  else
    report_not_a_function(*call.function, *call.argument, type);
  return result;
}

void Inference::report_not_a_function(const Expr& function, const Expr& argument, Type* type) {
  base::Diagnostic& error = reporter_.error(
      function.span, "type", fmt::format("this is called like a function, but is {}", to_texts({type})[0]));
  const Name* name = std::get_if<Name>(&function.node);
  if (name != nullptr && name->local != UINT32_MAX && environment_.find(name->name) != nullptr)
    add_note(error, fmt::format("the local variable {0} hides the function {0}", name->name));
  const Name* operation = std::get_if<Name>(&argument.node);
  if (operation != nullptr && resolve(argument.type)->kind == Type::Kind::kFunction)
    add_note(error,
             fmt::format("{0} is no operator; a function stands before its arguments: {0}(...)", operation->name));
  if (const auto* truth = std::get_if<BoolLiteral>(&function.node))
    add_note(error, fmt::format("{} is a truth value here: no function with this name is defined before",
                                truth->value ? 't' : 'f'));
}

// Unifies argument by argument, so that an error points at the wrong one.
bool Inference::apply(const Expr& function, Type* formal, const Expr& argument) {
  const Expr* rest = &argument;
  for (std::size_t before = 0;; ++before) {
    formal = resolve(formal);
    const Pair* pair = std::get_if<Pair>(&rest->node);
    bool last = pair == nullptr || formal->kind != Type::Kind::kPair;
    const Expr& part = last ? *rest : *pair->first;
    Type* expected = last ? formal : formal->arguments[0];
    if (std::optional<Mismatch> mismatch = unify(expected, part.type)) {
      report_argument(function, argument, {part, expected, before, before + count_parts(formal), last}, *mismatch);
      return false;
    }
    if (last) return true;
    rest = pair->rest.get();
    formal = formal->arguments[1];
  }
}

void Inference::report_argument(const Expr& function, const Expr& argument, const Location& location,
                                const Mismatch& mismatch) {
  Notation notation = notation_of(reporter_.source(), function, argument);
  std::size_t given = count_parts(argument);
  Type* found = resolve(location.part.type);
  bool too_few = given < location.wanted && found->kind != Type::Kind::kPair;
  bool too_many =
      given > location.wanted && (location.before == 0 || !is_parenthesized(reporter_.source(), location.part));
  bool wrong_count = location.last && notation.form != Notation::Form::kInfix && (too_few || too_many);
  base::Diagnostic* error = nullptr;
  if (wrong_count) {
    std::string who = notation.form == Notation::Form::kExpression ? "this function" : notation.name;
    error = &reporter_.error(
        argument.span, "type",
        fmt::format("{} takes {} argument{}, but is given {}", who, location.wanted, plural(location.wanted), given));
    if (const char* const whole = found->kind == Type::Kind::kSequence ? function_of_sequence(notation.name) : nullptr)
      add_note(*error, fmt::format("{} works on all elements of a sequence", whole));
  } else {
    error = &reporter_.error(location.part.span, "type",
                             fmt::format("{} {}", describe(notation, location.before, location.wanted),
                                         mismatch_text(location.expected, found, mismatch)));
    if (notation.form == Notation::Form::kIndex && location.before == 0 && found->kind == Type::Kind::kFunction)
      add_note(*error, "to call a function with a sequence, write parentheses around the sequence: f([1, 2])");
    else
      explain(*error, location.expected, found, mismatch, &location.part);
    if (notation.form == Notation::Form::kCall && is_called_behind(reporter_.source(), location.part))
      add_note(*error,
               fmt::format("this applies {0} to the function {1}; to apply it to a result of {1}, write {0}({1}(...))",
                           notation.name, std::get<Name>(location.part.node).name));
    const auto* truth = std::get_if<BoolLiteral>(&location.part.node);
    if (truth != nullptr && resolve(location.expected)->kind == Type::Kind::kFunction)
      add_note(*error, fmt::format("{} is a truth value here: no function with this name is defined before",
                                   truth->value ? 't' : 'f'));
    const bool sequences = resolve(found)->kind == Type::Kind::kSequence;
    if (notation.form == Notation::Form::kInfix && notation.name == "+" && sequences)
      add_note(*error, "++ appends one sequence or string to another");
  }
  if (notation.form == Notation::Form::kRange && found->kind == Type::Kind::kFloat)
    add_note(*error, "fseq makes sequences of floats");
  if (notation.form == Notation::Form::kIndex || notation.form == Notation::Form::kRange) return;
  const Definition* definition = called(function);
  if (definition != nullptr && definition->scheme.type != nullptr && size_of(definition->scheme.type) < kShownTypeSize)
    add_note(*error, fmt::format("{} has the type {}", notation.name, to_text(definition->scheme)));
}

// Reports calls such as eql(sin, cos), which pass different functions for one type variable.
void Inference::check_choices(const Expr& function, const Expr& argument) {
  const Name* name = std::get_if<Name>(&function.node);
  if (name == nullptr || name->definition == nullptr) return;
  Type* formal = resolve(name->definition->scheme.type)->arguments[0];
  std::unordered_map<Type*, const Expr*> seen;
  const Expr* rest = &argument;
  while (rest != nullptr) {
    formal = resolve(formal);
    const Pair* pair = formal->kind == Type::Kind::kPair ? std::get_if<Pair>(&rest->node) : nullptr;
    const Expr& part = pair == nullptr ? *rest : *pair->first;
    Type* type = resolve(pair == nullptr ? formal : formal->arguments[0]);
    if (type->kind == Type::Kind::kVariable) {
      auto [at, first] = seen.try_emplace(type, &part);
      if (!first) reject_choice(*at->second, part, fmt::format("these arguments of {}", name->name));
    }
    if (pair == nullptr) return;
    rest = pair->rest.get();
    formal = formal->arguments[1];
  }
}

void Inference::note_argument(const OptionalArgument& argument, Span place, const Definition& function) {
  const Pattern* rest = function.parameter.get();
  const auto visit = [&](const Pattern& parameter) {
    if (parameter.kind == Pattern::Kind::kVariable && parameter.name == argument.name)
      note_use(argument.name, {.place = {&reporter_.source(), place},
                               .declared = {function.source, parameter.span},
                               .type = parameter.type});
  };
  for (; rest->kind == Pattern::Kind::kPair; rest = rest->parts[1].get()) visit(*rest->parts[0]);
  visit(*rest);
}

bool Inference::fill_in_optional(const Expr& e, Call& call, const Definition& function) {
  const auto& optional = function.optional;
  std::vector<ExprPtr> positional;
  std::vector<ExprPtr> given(optional.size());
  auto take = [&](ExprPtr part) {
    auto* named = std::get_if<OptionalArgument>(&part->node);
    if (named == nullptr) {
      positional.push_back(std::move(part));
      return;
    }
    auto at = std::find_if(optional.begin(), optional.end(), [&](const auto& one) { return one.first == named->name; });
    if (at == optional.end()) {
      reporter_.error(part->span, "unbound", fmt::format("{} has no optional argument {}", function.name, named->name));
      return;
    }
    ExprPtr& value = given[static_cast<std::size_t>(at - optional.begin())];
    if (value != nullptr)
      reporter_.error(part->span, "type", fmt::format("the argument {} is given twice", named->name));
    value = std::move(named->value);
    note_argument(*named, part->span, function);
  };
  Span span = call.argument->span;
  ExprPtr rest = std::move(call.argument);
  while (std::holds_alternative<Pair>(rest->node)) {
    Pair pair = std::move(std::get<Pair>(rest->node));
    take(std::move(pair.first));
    rest = std::move(pair.rest);
  }
  take(std::move(rest));

  std::size_t wanted = count_parts(*function.parameter) - optional.size();
  if (positional.size() != wanted) {
    base::Diagnostic& error = reporter_.error(span, "type",
                                              fmt::format("{} takes {} argument{} without a name, but is given {}",
                                                          function.name, wanted, plural(wanted), positional.size()));
    add_note(error, fmt::format("optional arguments are given by name: {} := ...", optional[0].first));
  }
  bool fits = positional.size() == wanted;
  // A default is evaluated in the scope of the definition, without the local variables of the caller.
  Scope caller = std::exchange(scope_, {});
  const bool outside = std::exchange(library_names_, function.prelude);
  for (std::size_t i = 0; i < optional.size(); ++i) {
    if (given[i] == nullptr) {
      given[i] = clone(*optional[i].second, e.span);
      infer(*given[i]);
    }
    positional.push_back(std::move(given[i]));
  }
  scope_ = std::move(caller);
  library_names_ = outside;
  call.argument = nest_pairs(std::move(positional), [&](ExprPtr first, ExprPtr others) {
    return std::make_unique<Expr>(Expr{span, Pair{std::move(first), std::move(others)}});
  });
  return fits;
}

}  // namespace nesl

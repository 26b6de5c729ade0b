#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>

#include "base/check.h"
#include "infer.h"
#include "library/prelude.h"
#include "messages/foreign_words.h"
#include "messages/near_name.h"
#include "mismatch_text.h"
#include "reached_definitions.h"

namespace nesl {

Inference::Inference(Environment& environment, TypeStore& types, Reporter& reporter)
    : environment_(environment),
      types_(types),
      reporter_(reporter),
      declared_(environment, types, reporter),
      unifier_(types) {}

Type* Inference::fresh(TypeClass type_class) { return variables_.emplace_back(types_.variable(type_class)); }

Type* Inference::instantiate(const Scheme& scheme, std::vector<Type*>& instantiation) {
  instantiation.clear();
  if (scheme.quantified.empty()) return scheme.type;
  for (Type* variable : scheme.quantified) instantiation.push_back(fresh(variable->type_class));
  return types_.substitute(scheme.type, scheme.quantified, instantiation);
}

std::optional<Mismatch> Inference::unify(Type* left, Type* right) {
  std::optional<Mismatch> mismatch = unifier_.unify(left, right);
  if (!mismatch) return std::nullopt;
  std::vector<Type*> variables;
  if (size_of(left) <= kMaxTypeSize) collect_variables(left, variables);
  if (size_of(right) <= kMaxTypeSize) collect_variables(right, variables);
  for (Type* variable : variables)
    if (variable->type_class == TypeClass::kLiteral) variable->link = types_.int_;
  return unifier_.unify(left, right);
}

bool Inference::require(Span span, std::string_view what, Type* expected, Type* found, const Expr* expression) {
  std::optional<Mismatch> mismatch = unify(expected, found);
  if (!mismatch) return true;
  base::Diagnostic& error =
      reporter_.error(span, "type", fmt::format("{} {}", what, mismatch_text(expected, found, *mismatch)));
  explain(error, expected, found, *mismatch, expression);
  return false;
}

bool Inference::require(const Expr& expression, std::string_view what, Type* expected) {
  return require(expression.span, what, expected, expression.type, &expression);
}

void Inference::close(const std::vector<Type*>& quantified) {
  const Positions kept(quantified);
  auto close_one = [&](Type* variable) {
    variable = resolve(variable);
    if (variable->kind == Type::Kind::kVariable && kept.find(variable) == Positions::kNone)
      variable->link = types_.int_;
  };
  for (Type* variable : variables_) close_one(variable);
  for (const auto& [name, type] : declared_.introduced()) close_one(type);
}

void Inference::resolve_self(Definition& definition) {
  for (Name* name : self_references_) {
    name->definition = &definition;
    name->instantiation = definition.scheme.quantified;
  }
}

Type* Inference::infer(Expr& expression) {
  // fill_in_optional() has already inferred the default of an optional argument.
  if (expression.type == nullptr)
    expression.type = std::visit([&](auto& kind) { return node(expression, kind); }, expression.node);
  return expression.type;
}

Type* Inference::node(Expr& e, IntLiteral&) {
  literals_.push_back(&e);
  return fresh(TypeClass::kLiteral);
}

void Inference::settle_literals(std::size_t first) {
  for (std::size_t i = first; i < literals_.size(); ++i) {
    Expr& e = *literals_[i];
    Type* type = resolve(e.type);
    if (type->kind == Type::Kind::kVariable) type->link = types_.int_;
    const IntLiteral& literal = std::get<IntLiteral>(e.node);
    if (type->kind == Type::Kind::kFloat)
      e.node = FloatLiteral{std::strtod(literal.digits.c_str(), nullptr)};
    else
      check_range(e, literal);
  }
  literals_.resize(first);
}

void Inference::check_range(const Expr& e, const IntLiteral& literal) {
  const int bits = environment_.wide_ints() ? 64 : 32;
  const std::uint64_t most = (std::uint64_t(1) << (bits - 1)) - (literal.negated ? 0 : 1);
  std::uint64_t value = 0;
  const char* end = literal.digits.data() + literal.digits.size();
  if (std::from_chars(literal.digits.data(), end, value).ec != std::errc() || value > most) {
    base::Diagnostic& error = reporter_.error(e.span, "type",
                                              fmt::format("{} does not fit into an int, whose largest value is {}",
                                                          literal.digits, (std::uint64_t(1) << (bits - 1)) - 1));
    add_note(error, fmt::format("as a float it is {}.0{}", literal.digits,
                                bits == 32 ? "; with --int=64 ints have 64 bits" : ""));
  }
}

Type* Inference::node(Expr&, FloatLiteral&) { return types_.float_; }
Type* Inference::node(Expr& e, BoolLiteral& literal) {
  std::string name = literal.value ? "t" : "f";
  const bool is_self = self_.definition != nullptr && self_.definition->name == name;
  const bool is_global = is_self || environment_.find(name) != nullptr || environment_.has_failed(name);
  if (scope_.find(name) == nullptr && (library_names_ || !is_global)) return types_.bool_;
  return node(e, e.node.emplace<Name>(Name{std::move(name)}));
}
Type* Inference::node(Expr&, CharLiteral&) { return types_.char_; }
Type* Inference::node(Expr&, StringLiteral&) { return types_.sequence(types_.char_); }

Type* Inference::node(Expr& e, Name& name) {
  if (name.implied || library_names_)
    if (Definition* definition = environment_.find_in_library(name.name)) return global(e, name, *definition);
  if (const Scope::Local* local = scope_.find(name.name)) {
    name.local = local->number;
    note_local(name.name, e.span, local->bound, local->type);
    return local->type;
  }
  if (self_.definition != nullptr && self_.definition->name == name.name) {
    self_references_.push_back(&name);
    use(nullptr, e.span);
    note_local(name.name, e.span, self_.definition->span, self_.type);
    return self_.type;
  }
  if (Definition* definition = environment_.find(name.name)) return global(e, name, *definition);
  report_unbound(e, name, nullptr);
  return fresh();
}

Type* Inference::global(const Expr& e, Name& name, Definition& definition) {
  name.definition = &definition;
  if (&definition == watched_) watched_references_.push_back(&e);
  bool function = definition.kind == Definition::Kind::kFunction;
  bool has_body = function || definition.kind == Definition::Kind::kGlobal;
  if (definition.serial_only || (has_body && (!definition.prelude || environment_.loading_prelude())))
    use(&definition, e.span);
  if (parallel_ && function) update_flags(environment_);
  if (definition.serial_only && parallel_) {
    base::Diagnostic& error =
        reporter_.error(e.span, "serial-only", fmt::format("cannot call {} in parallel", definition.name));
    add_note(error,
             "it works on something there is only one of; use it outside of the apply-to-each, or evaluate one "
             "element after the other: {* ... : ... }");
  }
  Type* type = instantiate(definition.scheme, name.instantiation);
  if (!name.implied && !library_names_)
    note_use(name.name, {.place = {&reporter_.source(), e.span}, .definition = &definition, .type = type});
  return type;
}

void Inference::note_use(std::string_view name, NameUse use) {
  if (environment_.name_uses() != nullptr) environment_.name_uses()->add(name, use);
}

void Inference::note_local(std::string_view name, Span place, Span bound, Type* type, bool binds) {
  const base::Source* const source = &reporter_.source();
  note_use(name, {.place = {source, place}, .declared = {source, bound}, .type = type, .binds = binds});
}

void Inference::use(Definition* definition, Span span) {
  for (const Definition::Use& known : uses_)
    if (known.definition == definition && known.parallel == parallel_) return;
  uses_.push_back({definition, span, parallel_});
}

namespace {

bool is_unavailable(std::string_view name) {
  std::string_view names = unavailable_names();
  for (std::size_t at = names.find(name); at != std::string_view::npos; at = names.find(name, at + 1)) {
    bool starts = at == 0 || names[at - 1] == '\n';
    bool ends = at + name.size() == names.size() || names[at + name.size()] == '\n';
    if (starts && ends) return true;
  }
  return false;
}

// Guesses, for a hint, whether a function of that name is defined behind position `from`: comments are searched, too.
bool defines_later(const base::Source& source, std::size_t from, std::string_view name) {
  constexpr std::string_view kKeyword = "function ";
  auto same = [](char one, char other) { return std::tolower(static_cast<unsigned char>(one)) == other; };
  std::string_view text = source.text();
  for (auto at = text.begin() + static_cast<std::ptrdiff_t>(from); at != text.end(); ++at) {
    at = std::search(at, text.end(), kKeyword.begin(), kKeyword.end(), same);
    if (at == text.end()) return false;
    const std::string_view rest = text.substr(static_cast<std::size_t>(at - text.begin()) + kKeyword.size());
    if (rest.size() > name.size() &&
        std::equal(name.begin(), name.end(), rest.begin(), [&](char one, char other) { return same(other, one); }) &&
        (rest[name.size()] == '(' || rest[name.size()] == ' '))
      return true;
  }
  return false;
}

}  // namespace

bool Inference::is_unbound(const Name& name) const {
  const bool self = self_.definition != nullptr && self_.definition->name == name.name;
  return !self && scope_.find(name.name) == nullptr && environment_.find(name.name) == nullptr;
}

// Whether a name is a function that accepts a value of this type. The type must not have variables, so that the trial
// links no variable of the program; it may be null.
bool Inference::takes(std::string_view name, Type* argument) {
  if (argument == nullptr) return false;
  VC_CHECK(is_known(argument));
  const Definition* definition = environment_.find(name);
  if (definition == nullptr || definition->scheme.type == nullptr) return false;
  std::vector<Type*> instantiation;
  Type* type = resolve(instantiate(definition->scheme, instantiation));
  return type->kind == Type::Kind::kFunction && !unifier_.unify(type->arguments[0], argument);
}

void Inference::report_unbound(const Expr& e, const Name& name, Type* argument) {
  if (!unbound_.insert(name.name).second) return;
  if (reporter_.is_full()) {
    reporter_.error(e.span, "unbound", "");
    return;
  }
  if (is_unavailable(name.name)) {
    reporter_.error(e.span, "unbound",
                    fmt::format("{} belongs to plotting and windows, which are not available yet", name.name));
    return;
  }
  if (environment_.has_failed(name.name)) {
    reporter_.error(e.span, "unbound", fmt::format("{} is undefined, because its definition has an error", name.name));
    return;
  }
  base::Diagnostic& error = reporter_.error(e.span, "unbound", fmt::format("{} is undefined", name.name));
  if (const char* hint = hint_for_word(name.name)) {
    add_note(error, hint);
    return;
  }
  NearName near(name.name, [&](std::string_view candidate) { return takes(candidate, argument); });
  scope_.for_each_name([&](const std::string& local) { near.consider(local); });
  for (const Definition* definition : environment_.sorted())
    if (!definition->prelude || !definition->doc.empty() || definition->kind == Definition::Kind::kGlobal)
      near.consider(definition->name);
  if (defines_later(reporter_.source(), e.span.end, name.name))
    add_note(error,
             fmt::format("it is defined further down: declare it before this place, function {}(x) : int -> int; "
                         "with its type",
                         name.name));
  else if (!near.best().empty())
    add_note(error, near.suggestion());
}

Type* Inference::node(Expr& e, Pair& pair) {
  Type* first = infer(*pair.first);
  Type* type = types_.pair(first, infer(*pair.rest));
  if (type->size <= kMaxTypeSize) return type;
  if (std::exchange(reported_size_, true)) return fresh();
  reporter_.error(e.span, "type", fmt::format("the type of this tuple has more than {} parts", kMaxTypeSize));
  return fresh();
}

Type* Inference::node(Expr&, If& conditional) {
  infer(*conditional.condition);
  require(*conditional.condition, "the condition of an if", types_.bool_);
  Type* then_type = infer(*conditional.then_branch);
  Type* else_type = infer(*conditional.else_branch);
  std::optional<Mismatch> mismatch = unify(then_type, else_type);
  if (!mismatch) {
    reject_choice(*conditional.then_branch, *conditional.else_branch, "the branches of an if");
    return then_type;
  }
  std::vector<std::string> texts = to_texts({then_type, else_type});
  const Pair* pair = std::get_if<Pair>(&conditional.else_branch->node);
  const bool too_far = pair != nullptr && !is_parenthesized(reporter_.source(), *conditional.else_branch) &&
                       resolve(then_type)->kind == resolve(pair->first->type)->kind;
  base::Diagnostic& error = reporter_.error(
      conditional.else_branch->span, "type",
      fmt::format("the branches of an if must have one type, but then is {} and else is {}", texts[0], texts[1]));
  add_note(error, conditional.then_branch->span, "the then branch");
  if (too_far)
    add_note(error, "else reaches over the comma: write parentheses around the if, (if ... then ... else ...), ...");
  else
    explain(error, then_type, else_type, *mismatch, conditional.else_branch.get());
  return fresh();
}

Type* Inference::node(Expr&, Let& let) {
  std::size_t outside = scope_.size();
  for (auto& [pattern, value] : let.bindings) {
    const std::size_t literals = literals_.size();
    Type* type = takes_unknown_apart(*pattern) ? fresh() : infer(*value);
    settle_literals(literals);
    bind(*pattern, type, kBound);
  }
  Type* type = infer(*let.body);
  scope_.shrink(outside);
  return type;
}

Type* Inference::node(Expr&, Lambda& lambda) {
  std::size_t outside = scope_.size();
  Type* argument = fresh();
  bind(*lambda.parameter, argument, "the argument");
  Type* type = types_.function(argument, infer(*lambda.body));
  scope_.shrink(outside);
  return type;
}

Type* Inference::node(Expr&, SequenceLiteral& literal) {
  Type* element = infer(*literal.elements[0]);
  for (std::size_t i = 1; i < literal.elements.size(); ++i) {
    Expr& other = *literal.elements[i];
    if (std::holds_alternative<IntLiteral>(other.node) && is_member(element, TypeClass::kLiteral)) {
      other.type = element;  // saves a variable for each element
      literals_.push_back(&other);
      continue;
    }
    Type* type = infer(other);
    std::optional<Mismatch> mismatch = unify(element, type);
    if (!mismatch) {
      reject_choice(*literal.elements[0], other, "the elements of a sequence");
      continue;
    }
    std::vector<std::string> texts = to_texts({element, type});
    base::Diagnostic& error = reporter_.error(
        other.span, "type",
        fmt::format("the elements of a sequence must have one type, but this one is {} and those before "
                    "it are {}",
                    texts[1], texts[0]));
    explain(error, element, type, *mismatch, &other);
    break;
  }
  return types_.sequence(element);
}

Type* Inference::node(Expr& e, EmptySequence& empty) {
  if (empty.element != nullptr) return types_.sequence(declared_.convert(*empty.element));
  Type* type = types_.sequence(fresh());
  empty_sequences_.emplace_back(e.span, type);
  return type;
}

void Inference::check_empty_sequences(Type* type) {
  std::vector<Type*> unknown;
  collect_variables(type, unknown);
  const Positions positions(unknown);
  for (const auto& [span, sequence] : empty_sequences_) {
    std::vector<Type*> variables;
    collect_variables(sequence, variables);
    auto is_unknown = [&](Type* variable) { return positions.find(variable) != Positions::kNone; };
    if (std::none_of(variables.begin(), variables.end(), is_unknown)) continue;
    base::Diagnostic& error = reporter_.error(span, "type", "nothing says what elements this [] would have");
    add_note(error, "write their type behind it, for example: [] int, [] (int, float), [] [char]");
    return;
  }
}

Type* Inference::node(Expr&, Each& each) {
  std::size_t outside = scope_.size();
  std::vector<Type*> elements;
  for (auto& [pattern, sequence] : each.bindings) {
    const std::size_t literals = literals_.size();
    infer(*sequence);
    settle_literals(literals);
    Type* element = fresh();
    require(*sequence, "what an apply-to-each runs over", types_.sequence(element));
    elements.push_back(element);
  }
  for (std::size_t i = 0; i < elements.size(); ++i)
    bind(*each.bindings[i].first, elements[i], "an element of the sequence");
  bool parallel_outside = parallel_;
  parallel_ = parallel_ || !each.serial;
  if (each.filter != nullptr) {
    infer(*each.filter);
    require(*each.filter, "the filter of an apply-to-each", types_.bool_);
  }
  Type* body = infer(*each.body);
  parallel_ = parallel_outside;
  scope_.shrink(outside);
  return types_.sequence(body);
}

Type* Inference::node(Expr&, Time& time) { return types_.pair(infer(*time.expression), types_.float_); }

Type* Inference::node(Expr& e, OptionalArgument& argument) {
  infer(*argument.value);
  base::Diagnostic& error =
      reporter_.error(e.span, "type", fmt::format("{} := is not an argument of this call", argument.name));
  add_note(error, "only a function that is called by its name can have optional arguments");
  return fresh();
}

// False if two expressions certainly have different functions as values. Functions have no run-time form, so the
// compiler must know the function of each call. The flattener rejects the remaining unknown functions, with less
// precise messages.
bool Inference::same_functions(const Expr& one, const Expr& other) const {
  if (const Pair* pair = std::get_if<Pair>(&one.node))
    if (const Pair* other_pair = std::get_if<Pair>(&other.node))
      return same_functions(*pair->first, *other_pair->first) && same_functions(*pair->rest, *other_pair->rest);
  auto identity = [](const Expr& e) -> const void* {
    if (resolve(e.type)->kind != Type::Kind::kFunction) return nullptr;
    if (const Name* name = std::get_if<Name>(&e.node))
      return name->definition != nullptr && name->definition->kind != Definition::Kind::kGlobal ? name->definition
                                                                                                : nullptr;
    return std::holds_alternative<Lambda>(e.node) ? &e : nullptr;
  };
  const void* left = identity(one);
  const void* right = identity(other);
  return left == nullptr || right == nullptr || left == right;
}

void Inference::reject_choice(const Expr& one, const Expr& other, std::string_view what) {
  if (same_functions(one, other)) return;
  base::Diagnostic& error =
      reporter_.error(other.span, "type", fmt::format("{} must be the same function, not a choice of several", what));
  add_note(error, one.span, "the other one");
  add_note(error, "which function is called is decided when the program is compiled: choose between the results");
}

}  // namespace nesl

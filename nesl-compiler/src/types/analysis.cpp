#include "analysis.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "declared_types.h"
#include "infer.h"
#include "messages/reporter.h"
#include "reached_definitions.h"
#include "syntax/clone.h"

namespace nesl {

namespace {

class Analysis {
 public:
  Analysis(const base::Source& source, Environment& environment, TypeStore& types, base::Diagnostics& diagnostics)
      : source_(source),
        environment_(environment),
        types_(types),
        reporter_(source, diagnostics),
        inference_(environment, types, reporter_) {}

  std::optional<Analyzed> define(FunctionStatement& statement);
  std::optional<Analyzed> define(PrimitiveStatement& statement);
  std::optional<Analyzed> define(DatatypeStatement& statement);
  std::optional<Analyzed> define(ValueStatement& statement);
  /// Commands, tests and benchmarks.
  template <class Other>
  std::optional<Analyzed> define(Other&) {
    VC_CHECK(false);
    return std::nullopt;
  }

 private:
  std::optional<Analyzed> declare(FunctionStatement& statement);
  std::optional<Analyzed> specialize(FunctionStatement& statement);
  bool infer_body(Definition& function, Type* type);
  void check_serial(const Definition& function);
  bool check_name(const std::string& name, Span span);
  bool check_fields(const DatatypeStatement& statement);
  void check_defaults(const Definition& function);
  Type* declared_function(const FunctionStatement& statement);
  std::size_t narrowed(const std::vector<TypeClass>& classes);
  void warn_if_narrowed(const FunctionStatement& statement, const Scheme& scheme,
                        const std::vector<TypeClass>& classes);
  void warn_of_old_callers(const std::string& name, Span span, const Scheme& scheme);
  void warn_of_old_callers(const Pattern& pattern);
  std::vector<TypeClass> introduced_classes();
  Definition& settle(Definition&& function);
  void note_binding(const std::string& name, Span span, Type* type);
  void note_definition(const Definition& definition, Span span);
  void note_datatype(const DatatypeStatement& statement, const Definition& datatype);

  const base::Source& source_;
  Environment& environment_;
  TypeStore& types_;
  Reporter reporter_;
  Inference inference_;
};

bool Analysis::check_name(const std::string& name, Span span) {
  const Definition* old = environment_.find(name);
  if (environment_.loading_prelude() && old != nullptr &&
      (old->kind != Definition::Kind::kFunction || old->body != nullptr)) {
    reporter_.error(span, "reserved", fmt::format("{} is defined twice in the prelude", name));
    return false;
  }
  return true;
}

bool Analysis::check_fields(const DatatypeStatement& statement) {
  for (std::size_t i = 0; i < statement.fields.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (statement.fields[i].name != statement.fields[j].name) continue;
      base::Diagnostic& error = reporter_.error(statement.fields[i].span, "pattern",
                                                fmt::format("two fields are called {}", statement.fields[i].name));
      add_note(error, statement.fields[j].span, "the first one");
      return false;
    }
  }
  return true;
}

// Reports errors in the defaults of optional arguments at the definition, because calls infer copies of these.
void Analysis::check_defaults(const Definition& function) {
  Inference inference(environment_, types_, reporter_);
  std::vector<ExprPtr> values;
  for (const auto& [name, value] : function.optional) {
    values.push_back(clone_expression(*value));
    inference.infer(*values.back());
  }
  inference.settle();
}

std::vector<TypeClass> Analysis::introduced_classes() {
  std::vector<TypeClass> classes;
  for (const auto& [name, type] : inference_.declared().introduced()) classes.push_back(type->type_class);
  return classes;
}

// Returns the number of the first type variable of the signature that inference has restricted to less than its class;
// classes.size() if there is none.
std::size_t Analysis::narrowed(const std::vector<TypeClass>& classes) {
  const auto& introduced = inference_.declared().introduced();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const Type* type = introduced[i].second;
    if (type->kind != Type::Kind::kVariable) continue;
    const auto is_same = [&](const auto& other) { return resolve(other.second) == resolve(introduced[i].second); };
    const Type* stands_for = resolve(introduced[i].second);
    const bool shared = std::count_if(introduced.begin(), introduced.end(), is_same) > 1;
    if (shared || stands_for->kind != Type::Kind::kVariable || stands_for->type_class != classes[i]) return i;
  }
  return classes.size();
}

void Analysis::warn_if_narrowed(const FunctionStatement& statement, const Scheme& scheme,
                                const std::vector<TypeClass>& classes) {
  std::size_t which = narrowed(classes);
  if (which == classes.size()) return;
  base::Diagnostic& warning = reporter_.warning(
      statement.declared.type == nullptr ? statement.name_span : statement.declared.type->span,
      fmt::format("{} is less general than declared: its type is {}", statement.name, to_text(scheme)));
  add_note(warning, fmt::format("the type variable {} cannot stand for every type of the class {}",
                                inference_.declared().introduced()[which].first, to_text(classes[which])));
}

void Analysis::warn_of_old_callers(const std::string& name, Span span, const Scheme& scheme) {
  Definition* old = environment_.find(name);
  if (old == nullptr || old->prelude || !old->used || same_type(old->scheme, scheme)) return;
  for (const Definition& caller : environment_.all()) {
    auto refers = [&](const Definition::Use& use) { return use.definition == old; };
    if (std::none_of(caller.uses.begin(), caller.uses.end(), refers)) continue;
    if (&caller == old || environment_.find(caller.name) != &caller) continue;
    reporter_.warning(span, fmt::format("{} gets another type; {}, defined before, keeps using the old one, of type {}",
                                        name, caller.name, to_text(old->scheme)));
    return;
  }
}

void Analysis::warn_of_old_callers(const Pattern& pattern) {
  if (pattern.kind == Pattern::Kind::kVariable)
    warn_of_old_callers(pattern.name, pattern.span, generalize(pattern.type));
  for (const PatternPtr& part : pattern.parts) warn_of_old_callers(*part);
}

// Records a place where a name is defined, for which the statement may still turn out to have an error.
void Analysis::note_binding(const std::string& name, Span span, Type* type) {
  const Place place{&source_, span};
  if (NameUses* const uses = environment_.name_uses())
    uses->add(name, {.place = place, .declared = place, .type = type, .binds = true});
}

void Analysis::note_definition(const Definition& definition, Span span) {
  if (environment_.name_uses() != nullptr) environment_.name_uses()->define({&source_, span}, definition);
}

// Registers a function. A definition of the same name and type is replaced in place, so that its callers call the new
// body.
Definition& Analysis::settle(Definition&& function) {
  Definition* settled = environment_.replaced_by(function.name, Definition::Kind::kFunction, function.scheme);
  std::optional<Definition> old;
  if (settled == nullptr) {
    settled = &environment_.create(std::move(function));
  } else {
    if (function.body == nullptr) return *settled;  // declared again
    if (function.doc.empty()) function.doc = std::move(settled->doc);
    function.prelude = settled->prelude;
    function.specializations = std::move(settled->specializations);
    old = std::exchange(*settled, std::move(function));
  }
  Definition& result = *settled;
  for (Definition::Use& use : result.uses)
    if (use.definition == nullptr)
      use.definition = &result;
    else
      use.definition->used = true;
  inference_.resolve_self(result);
  environment_.bind(result);
  auto same = [](const Definition::Use& one, const Definition::Use& other) {
    return one.definition == other.definition && one.parallel == other.parallel;
  };
  if (!old) {
    for (const Definition::Use& use : result.uses) {
      result.recursive = result.recursive || use.definition == &result;
      result.serial_only = result.serial_only || use.definition->serial_only;
    }
  } else if (std::ranges::equal(result.uses, old->uses, same)) {
    // The calls are the same as before, usually because a file is read again.
    result.recursive = old->recursive;
    result.serial_only = old->serial_only;
  } else {
    environment_.set_calls_changed(true);
  }
  return result;
}

// `type` is the declared type of the function, with variables for undeclared parts.
bool Analysis::infer_body(Definition& function, Type* type) {
  inference_.bind(*function.parameter, type->arguments[0], fmt::format("the argument of {}", function.name));
  inference_.infer(*function.body);
  inference_.require(*function.body, fmt::format("the result of {}", function.name), type->arguments[1]);
  inference_.settle();
  if (size_of(type) > kMaxTypeSize)
    reporter_.error(function.span, "type",
                    fmt::format("the type of {} has more than {} parts", function.name, kMaxTypeSize));
  function.uses = inference_.uses();
  check_serial(function);
  if (reporter_.failed()) return false;
  function.scheme = generalize(type);
  function.locals = inference_.locals();
  return true;
}

// Reports parallel calls of the function by itself if it is serial-only, which is known only after the whole body has
// been inferred.
void Analysis::check_serial(const Definition& function) {
  auto serial = std::find_if(function.uses.begin(), function.uses.end(), [](const Definition::Use& use) {
    return use.definition != nullptr && use.definition->serial_only;
  });
  if (serial == function.uses.end()) return;
  for (const Definition::Use& use : function.uses)
    if (use.definition == nullptr && use.parallel)
      reporter_.error(
          use.span, "serial-only",
          fmt::format("cannot call {} in parallel, because it calls {}", function.name, serial->definition->name));
}

// Returns the type that a signature declares; always a function type.
Type* Analysis::declared_function(const FunctionStatement& statement) {
  Type* type = resolve(inference_.declared().signature(statement.declared));
  if (type->kind == Type::Kind::kFunction) return type;
  reporter_.error(statement.declared.type->span, "type",
                  fmt::format("the type of {} must have the form argument -> result, but is {}", statement.name,
                              to_texts({type})[0]));
  return types_.function(types_.variable(TypeClass::kAny), types_.variable(TypeClass::kAny));
}

std::optional<Analyzed> Analysis::declare(FunctionStatement& statement) {
  Type* type = declared_function(statement);
  if (reporter_.failed()) return std::nullopt;
  Definition stub{.kind = Definition::Kind::kFunction,
                  .name = statement.name,
                  .source = &source_,
                  .span = statement.name_span,
                  .doc = std::move(statement.doc),
                  .scheme = generalize(type)};
  warn_of_old_callers(stub.name, stub.span, stub.scheme);
  note_binding(stub.name, stub.span, type);
  Definition& settled = settle(std::move(stub));
  note_definition(settled, statement.name_span);
  return Analyzed{.definition = &settled};
}

std::optional<Analyzed> Analysis::define(FunctionStatement& statement) {
  if (statement.specialization) return specialize(statement);
  if (!check_name(statement.name, statement.name_span)) return std::nullopt;
  if (statement.body == nullptr) return declare(statement);

  Definition function{.kind = Definition::Kind::kFunction,
                      .name = statement.name,
                      .source = &source_,
                      .span = statement.name_span,
                      .doc = std::move(statement.doc)};
  function.parameter = std::move(statement.parameter);
  function.body = std::move(statement.body);
  function.optional = std::move(statement.optional);
  check_defaults(function);

  Type* type = types_.function(types_.variable(TypeClass::kAny), types_.variable(TypeClass::kAny));
  if (statement.declares_result) {
    DeclaredTypes& declared = inference_.declared();
    declared.introduce(statement.declared.context);
    if (statement.declared.type != nullptr)
      type = types_.function(type->arguments[0], declared.convert(*statement.declared.type));
  } else if (statement.declared.type != nullptr) {
    type = declared_function(statement);
  }
  std::vector<TypeClass> classes = introduced_classes();
  inference_.set_self({&function, type});
  note_binding(function.name, function.span, type);
  if (!infer_body(function, type)) return std::nullopt;

  Definition* old = environment_.find(function.name);
  bool declared_before = old != nullptr && old->kind == Definition::Kind::kFunction && old->body == nullptr;
  if (declared_before && !same_type(old->scheme, function.scheme)) {
    base::Diagnostic& error =
        reporter_.error(statement.name_span, "type",
                        fmt::format("{} was declared to have the type {}, but its definition has the type {}",
                                    function.name, to_text(old->scheme), to_text(function.scheme)));
    add_note(error, "change the definition, or declare the function again");
    return std::nullopt;
  }
  warn_if_narrowed(statement, function.scheme, classes);
  inference_.close(function.scheme.quantified);
  warn_of_old_callers(function.name, function.span, function.scheme);
  Definition& settled = settle(std::move(function));
  note_definition(settled, statement.name_span);
  return Analyzed{.definition = &settled};
}

std::optional<Analyzed> Analysis::specialize(FunctionStatement& statement) {
  Definition* generic = environment_.find(statement.name);
  if (generic == nullptr || statement.declared.type == nullptr || statement.body == nullptr) {
    reporter_.error(
        statement.name_span, "unbound",
        fmt::format("specialize needs the function {} to be defined before, a type and a body", statement.name));
    return std::nullopt;
  }
  auto special = std::make_unique<Definition>(Definition{.kind = Definition::Kind::kFunction,
                                                         .name = statement.name,
                                                         .source = &source_,
                                                         .span = statement.name_span,
                                                         .prelude = true,
                                                         .doc = std::move(statement.doc)});
  special->parameter = std::move(statement.parameter);
  special->body = std::move(statement.body);
  Type* type = declared_function(statement);
  std::vector<TypeClass> classes = introduced_classes();
  std::vector<Type*> instance;
  for (Type* variable : generic->scheme.quantified) instance.push_back(types_.variable(variable->type_class));
  inference_.require(statement.declared.type->span, fmt::format("a special type of {}", statement.name),
                     types_.substitute(generic->scheme.type, generic->scheme.quantified, instance), type);
  inference_.watch(generic);
  if (!infer_body(*special, type)) return std::nullopt;
  if (narrowed(classes) < classes.size()) {
    reporter_.error(special->span, "type",
                    fmt::format("the body is less general than declared: its type is {}", to_text(special->scheme)));
    return std::nullopt;
  }
  inference_.close(special->scheme.quantified);
  for (const Expr* reference : inference_.watched())
    if (same_type({special->scheme.quantified, reference->type}, special->scheme)) special->recursive = true;
  for (const Definition::Use& use : special->uses)
    special->serial_only = special->serial_only || use.definition->serial_only;
  return Analyzed{.definition = generic->specializations.emplace_back(std::move(special)).get()};
}

std::optional<Analyzed> Analysis::define(PrimitiveStatement& statement) {
  if (!check_name(statement.name, statement.name_span)) return std::nullopt;
  Type* type = inference_.declared().signature(statement.declared);
  if (reporter_.failed()) return std::nullopt;
  const Intrinsic intrinsic = statement.instruction.empty() ? intrinsic_named(statement.name) : Intrinsic::kNone;
  Definition& primitive = environment_.create({.kind = Definition::Kind::kPrimitive,
                                               .name = statement.name,
                                               .source = &source_,
                                               .span = statement.name_span,
                                               .doc = std::move(statement.doc),
                                               .scheme = generalize(type),
                                               .serial_only = statement.serial,
                                               .instruction = std::move(statement.instruction),
                                               .failure = std::move(statement.failure),
                                               .intrinsic = intrinsic});
  environment_.bind(primitive);
  return Analyzed{.definition = &primitive};
}

void Analysis::note_datatype(const DatatypeStatement& statement, const Definition& datatype) {
  NameUses* const uses = environment_.name_uses();
  if (uses == nullptr) return;
  uses->add(datatype.name, {.place = {&source_, statement.name_span}, .definition = &datatype, .binds = true});
  Type* rest = datatype.scheme.type->arguments[0];
  for (std::size_t i = 0; i < statement.fields.size(); ++i) {
    const bool last = i + 1 == statement.fields.size();
    uses->add(datatype.fields[i], {.place = {&source_, statement.fields[i].span},
                                   .declared = {datatype.source, datatype.field_spans[i]},
                                   .type = last ? rest : resolve(rest)->arguments[0],
                                   .binds = true});
    if (!last) rest = resolve(rest)->arguments[1];
  }
}

std::optional<Analyzed> Analysis::define(DatatypeStatement& statement) {
  bool scalar =
      statement.name == "int" || statement.name == "float" || statement.name == "bool" || statement.name == "char";
  if (scalar) reporter_.error(statement.name_span, "reserved", fmt::format("{} is a built-in type", statement.name));
  if (scalar || !check_name(statement.name, statement.name_span) || !check_fields(statement)) return std::nullopt;
  DeclaredTypes& declared = inference_.declared();
  declared.introduce(statement.contents.context);
  declared.set_being_defined(statement.name);
  Type* contents = declared.convert(*statement.contents.type);
  if (reporter_.failed()) return std::nullopt;

  std::vector<Type*> parameters;
  for (const auto& [name, type] : declared.introduced())
    if (type->kind == Type::Kind::kVariable) parameters.push_back(type);
  std::vector<std::string> fields;
  for (const DatatypeStatement::Field& field : statement.fields) fields.push_back(field.name);
  Definition* old = environment_.find_datatype(statement.name);
  if (old != nullptr && old->fields == fields && old->prelude == environment_.loading_prelude() &&
      same_type({old->scheme.quantified, old->scheme.type->arguments[0]}, {parameters, contents})) {
    // The same datatype is defined again, usually because a file is read again. The old one is kept, so that existing
    // values have its type.
    environment_.bind(*old);
    note_datatype(statement, *old);
    return Analyzed{.definition = old};
  }
  Definition& datatype = environment_.create({.kind = Definition::Kind::kDatatype,
                                              .name = statement.name,
                                              .source = &source_,
                                              .span = statement.name_span,
                                              .doc = std::move(statement.doc)});
  datatype.fields = std::move(fields);
  for (const DatatypeStatement::Field& field : statement.fields) datatype.field_spans.push_back(field.span);
  datatype.scheme = {parameters, types_.function(contents, types_.data(&datatype, parameters))};
  warn_of_old_callers(datatype.name, datatype.span, datatype.scheme);
  environment_.bind(datatype);
  note_datatype(statement, datatype);
  return Analyzed{.definition = &datatype};
}

std::optional<Analyzed> Analysis::define(ValueStatement& statement) {
  if (statement.pattern == nullptr) {
    statement.pattern = std::make_unique<Pattern>();
    statement.pattern->name = "it";
    statement.pattern->span = statement.value->span;
  }
  Type* const given = statement.parameter == nullptr ? nullptr : statement.parameter->type;
  if (statement.parameter != nullptr)
    inference_.bind(*statement.parameter, given != nullptr ? given : types_.variable(TypeClass::kAny), "the argument");
  // g(x) = x defines no function: do not infer the value, which would only add the error that x is undefined.
  const bool is_function = inference_.takes_unknown_apart(*statement.pattern);
  Type* type = is_function ? types_.variable(TypeClass::kAny) : inference_.infer(*statement.value);
  inference_.bind(*statement.pattern, type, kAssigned);
  inference_.settle();
  // A value of unknown type is never computed: error, or a function that does not end, stands for it.
  if (Type* const value = resolve(type); value->kind == Type::Kind::kVariable) value->link = types_.bool_;
  inference_.check_empty_sequences(type);
  if (reporter_.failed()) return std::nullopt;
  update_flags(environment_);
  check_reachable(inference_.uses(), reporter_);
  if (size_of(type) > kMaxTypeSize)
    reporter_.error(statement.value->span, "type",
                    fmt::format("the type of this value has more than {} parts", kMaxTypeSize));
  if (reporter_.failed()) return std::nullopt;
  std::vector<Type*> quantified;
  collect_variables(type, quantified);
  inference_.close(quantified);
  warn_of_old_callers(*statement.pattern);
  auto result = std::make_shared<GlobalStatement>();
  result->source = &source_;
  result->pattern = std::move(statement.pattern);
  result->value = std::move(statement.value);
  result->parameter = std::move(statement.parameter);
  result->locals = inference_.locals();
  return Analyzed{.statement = std::move(result)};
}

void collect_names(const Pattern& pattern, std::vector<std::string>& names) {
  if (pattern.kind == Pattern::Kind::kVariable) names.push_back(pattern.name);
  for (const PatternPtr& part : pattern.parts) collect_names(*part, names);
}

std::vector<std::string> defined_names(const Statement& statement) {
  std::vector<std::string> names;
  if (const auto* function = std::get_if<FunctionStatement>(&statement.node)) names.push_back(function->name);
  if (const auto* datatype = std::get_if<DatatypeStatement>(&statement.node)) names.push_back(datatype->name);
  const auto* value = std::get_if<ValueStatement>(&statement.node);
  if (value != nullptr && value->pattern != nullptr) collect_names(*value->pattern, names);
  return names;
}

}  // namespace

std::optional<Analyzed> analyze(Statement&& statement, const base::Source& source, Environment& environment,
                                TypeStore& types, base::Diagnostics& diagnostics) {
  if (diagnostics.errors() >= Reporter::kMaxErrors) return std::nullopt;
  Analysis analysis(source, environment, types, diagnostics);
  std::vector<std::string> names = defined_names(statement);
  std::optional<Analyzed> result = std::visit([&](auto& node) { return analysis.define(node); }, statement.node);
  if (!result)
    for (const std::string& name : names) environment.set_failed(name);
  if (diagnostics.errors() >= Reporter::kMaxErrors)
    diagnostics.error(statement.span, "too many errors; the rest is not looked at");
  return result;
}

}  // namespace nesl

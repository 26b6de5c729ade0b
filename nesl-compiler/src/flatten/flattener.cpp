// The whole program, and its globals.
#include "flattener.h"

#include "base/check.h"

namespace nesl {

namespace {

/// Variables of a value except those captured by functions in it.
void append_data_leaves(const FlatValue& value, std::vector<Var>& leaves) {
  if (value.kind == FlatValue::Kind::kFunction) return;
  if (value.kind != FlatValue::Kind::kPair) leaves.push_back(value.var);
  for (const auto& part : value.parts) append_data_leaves(*part, leaves);
}

}  // namespace

Flattener::Flattener(TypeStore& types, const Definition& serial_map, base::Diagnostics& diagnostics, bool fuses,
                     Watch watch)
    : serial_map_(serial_map), watch_(watch), context_(types, diagnostics, fuses) {
  if (watch == Watch::kPlaces) context_.name_places();
}

ValuePtr Flattener::global_value(const Definition& global, const std::vector<Type*>& instantiation) {
  if (auto it = levels_.globals().find(&global); it != levels_.globals().end()) return it->second;
  VC_CHECK(is_computed_in_place(global));
  const GlobalStatement& statement = *global.statement;
  Frame frame{nullptr, statement.source,
              std::make_shared<Substitution>(Substitution{global.scheme.quantified, instantiation}), global.prelude};
  return context_.in_frame(frame, [&] {
    bind(*statement.pattern, lower(*statement.value));
    return frame.locals.at(global.local);
  });
}

void Flattener::run_global(const GlobalStatement& statement) {
  Frame frame{nullptr, statement.source, std::make_shared<Substitution>()};
  context_.in_frame(frame, [&] {
    bind(*statement.pattern, lower(*statement.value));
    return ValuePtr();
  });
  // A variable assigned several times has one definition: the last committed value counts.
  for_each_variable(*statement.pattern, [&](const Pattern& variable) {
    for (const Definition* global : statement.globals)
      if (global->name == variable.name && !is_computed_in_place(*global))
        levels_.globals()[global] = frame.locals.at(variable.local);
  });
}

std::optional<letform::Program> Flattener::compile(const GlobalStatement& statement,
                                                   const std::vector<Definition*>& given,
                                                   const std::vector<const GlobalStatement*>& before) {
  context_.begin_program(statement.parameter != nullptr);
  watcher_.reset();
  levels_.begin_function("MAIN", {});
  try {
    for (Definition* global : given)
      levels_.globals()[global] = values_.parameter_of(global->scheme.type, global->name);
    for (const GlobalStatement* earlier : before) run_needed(*earlier);
    for (Definition* global : context_.facts().globals(*statement.value)) run_needed(global);
    if (watch_ == Watch::kValues) watcher_.begin(statement);
    Frame frame{nullptr, statement.source, std::make_shared<Substitution>()};
    ValuePtr value = context_.in_frame(frame, [&] {
      if (const Pattern* own = statement.parameter.get()) bind(*own, values_.parameter_of(own->type, "argument"));
      return lower(*statement.value);
    });
    std::vector<Var> results;
    append_data_leaves(*value, results);
    context_.program().functions[0] = levels_.end_function(std::move(results));
  } catch (const CompileError&) {
    return std::nullopt;
  }
  return std::move(context_.program());
}

void Flattener::run_needed(const GlobalStatement& statement) {
  for (Definition* global : context_.facts().globals(*statement.value)) run_needed(global);
  run_global(statement);
}

void Flattener::run_needed(const Definition* global) {
  if (!levels_.globals().contains(global)) run_needed(*global->statement);
}

}  // namespace nesl

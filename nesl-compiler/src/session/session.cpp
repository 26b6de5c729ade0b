#include "nesl-compiler/session.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include <fmt/format.h>

#include "base/check.h"
#include "base/stop_request.h"
#include "cost/cost_text.h"
#include "cost/cost_translation.h"
#include "facts/slow_idioms.h"
#include "fcode-opt/letform.h"
#include "flatten/flattener.h"
#include "library/prelude.h"
#include "messages/near_name.h"
#include "messages/reporter.h"
#include "nesl-compiler/completeness.h"
#include "syntax/parser.h"
#include "trials.h"
#include "types/analysis.h"
#include "types/declared_types.h"
#include "types/environment.h"
#include "types/reached_definitions.h"
#include "value_unit.h"

namespace nesl {

struct Session::State {
  TypeStore types;
  Environment environment;
  NameUses names;
  std::vector<std::shared_ptr<GlobalStatement>> statements;  ///< committed, in order; none of the prelude
  Environment::Snapshot prelude;                             ///< the state after reading the prelude
  std::size_t prelude_types = 0;
  bool fuses = false;
  Watch watch = Watch::kNothing;
  std::vector<std::unique_ptr<CostTranslation>> translations;  ///< which the units of analyze_cost() need
};

namespace {

bool is_loaded(const PreludeFile& file, CheckedOperations checks) {
  if (file.name == kChecksFile) return checks.int_overflow || checks.float_errors;
  if (file.name == kIntChecksFile) return checks.int_overflow;
  return file.name != kFloatChecksFile || checks.float_errors;
}

}  // namespace

Session::Session(CheckedOperations checks) : state_(std::make_unique<State>()) {
  Environment& environment = state_->environment;
  environment.set_loading_prelude(true);
  environment.set_checks_operations(checks.int_overflow || checks.float_errors);
  for (const PreludeFile& file : prelude_files()) {
    if (!is_loaded(file, checks)) continue;
    const base::Source& source =
        environment.add_source(std::make_unique<base::Source>(std::string(file.name), std::string(file.text)));
    base::Diagnostics diagnostics;
    for (Statement& statement : parse(source, {.prelude = true}, diagnostics)) {
      auto analyzed = analyze(std::move(statement), source, environment, state_->types, diagnostics);
      if (analyzed && analyzed->statement) environment.commit(analyzed->statement);
    }
    if (diagnostics.has_errors()) throw std::logic_error(base::render(source, diagnostics));
  }
  environment.set_loading_prelude(false);
  environment.hide_auxiliary_names();
  state_->prelude = environment.snapshot();
  state_->prelude_types = state_->types.size();
}

void Session::reset() {
  state_->names.clear();
  state_->translations.clear();
  state_->statements.clear();
  state_->environment.return_to(state_->prelude);
  state_->types.shrink(state_->prelude_types);
}

Session::~Session() = default;

const base::Source& Session::add_source(std::string name, std::string text, std::uint32_t first_line) {
  return state_->environment.add_source(std::make_unique<base::Source>(std::move(name), std::move(text), first_line));
}

const base::Source& Session::add_expression(std::string name, std::string expression, std::uint32_t first_line) {
  const Completeness state = completeness(expression);
  const bool lacks_terminator = state == Completeness::kStatement || state == Completeness::kDefinition;
  return state_->environment.add_source(
      std::make_unique<base::Source>(std::move(name), std::move(expression), first_line, lacks_terminator ? ";" : ""));
}

void Session::set_pipeline(const fcode_opt::OptimizeOptions& options) { state_->fuses = fcode_opt::fuses(options); }

void Session::set_watch(Watch watch) { state_->watch = watch; }

void Session::record_names() { state_->environment.set_name_uses(&state_->names); }

const NameUses& Session::names_in_texts() const { return state_->names; }

void Session::set_wide_ints(bool wide) { state_->environment.set_wide_ints(wide); }

namespace {

base::Span whole(const base::Source& source) { return {0, static_cast<std::uint32_t>(source.text().size())}; }

}  // namespace

void Session::read(const base::Source& source, base::Diagnostics& diagnostics, const std::function<bool(Unit&)>& use,
                   std::size_t begin) {
  for (Statement& statement : parse(source, {}, diagnostics)) {
    base::check_stop();
    if (statement.span.begin < begin) continue;
    Unit unit;
    unit.span = statement.span;
    if (auto* command = std::get_if<CommandStatement>(&statement.node)) {
      unit.kind = Unit::Kind::kCommand;
      unit.text = command->text;
    } else if (is_trial(statement)) {
      unit = trial_unit(source, std::move(statement));
    } else {
      auto analyzed = analyze(std::move(statement), source, state_->environment, state_->types, diagnostics);
      if (!analyzed) continue;
      if (analyzed->definition != nullptr) {
        unit.name = analyzed->definition->name;
        unit.type = to_text(analyzed->definition->scheme);
      } else {
        make_value(unit, analyzed->statement);
      }
    }
    if (!use(unit)) return;
  }
}

std::optional<Unit> Session::find(const base::Source& source, base::Diagnostics& diagnostics) {
  std::optional<ValueStatement> statement = parse_application(source, diagnostics);
  if (!statement) return std::nullopt;
  Unit unit;
  unit.span = whole(source);
  auto analyzed =
      analyze(Statement{unit.span, std::move(*statement)}, source, state_->environment, state_->types, diagnostics);
  if (!analyzed) return std::nullopt;
  make_value(unit, analyzed->statement);
  const char* const refusal = "a function cannot be handed to a program that has been compiled without it";
  return add_parameters(unit, refusal, diagnostics) ? std::optional(std::move(unit)) : std::nullopt;
}

std::vector<Unit> Session::tests_in_comments(const base::Source& source, base::Diagnostics& diagnostics) {
  std::vector<Unit> units;
  for (CommentTest& found : find_comment_tests(source)) {
    const base::Source& text = state_->environment.add_source(std::move(found.source));
    base::Diagnostics problems;
    if (std::optional<Statement> statement = parse_test(text, problems))
      units.push_back(trial_unit(text, std::move(*statement)));
    relocate(problems, found.offset, diagnostics);
  }
  return units;
}

std::optional<TestProgram> Session::analyze_test(const Unit& unit, base::Diagnostics& diagnostics) {
  return TrialAnalysis(state_->environment, state_->types, diagnostics).test(*unit.trial);
}

std::optional<BenchProgram> Session::analyze_bench(const Unit& unit, base::Diagnostics& diagnostics) {
  return TrialAnalysis(state_->environment, state_->types, diagnostics).bench(*unit.trial);
}

std::optional<CostProgram> Session::analyze_cost(const base::Source& source, const std::string& size,
                                                 base::Diagnostics& diagnostics) {
  const std::optional<Trial> trial = cost_trial(source, size, diagnostics);
  if (!trial) return std::nullopt;
  std::optional<BenchProgram> bench = TrialAnalysis(state_->environment, state_->types, diagnostics).bench(*trial);
  if (!bench) return std::nullopt;
  state_->translations.push_back(std::make_unique<CostTranslation>(state_->types, state_->environment));
  Unit counted;
  counted.span = bench->measured.span;
  counted.parameters = bench->measured.parameters;
  make_value(counted, state_->translations.back()->statement(*bench->measured.statement));
  return CostProgram{std::move(*bench), std::move(counted)};
}

std::optional<ValueShape> Session::read_type(const base::Source& source, base::Diagnostics& diagnostics) {
  const TypeExprPtr text = parse_whole_type(source, diagnostics);
  if (text == nullptr) return std::nullopt;
  Reporter reporter(source, diagnostics);
  Type* type = DeclaredTypes(state_->environment, state_->types, reporter).convert(*text);
  return reporter.failed() ? std::nullopt : std::optional(shape_of(type));
}

namespace {

/// Adds the statements whose values an expression needs.
void note_needed(const Expr& value, ExpressionFacts& facts, std::unordered_set<const GlobalStatement*>& needed) {
  for (const Definition* global : facts.globals(value))
    if (needed.insert(global->statement.get()).second) note_needed(*global->statement->value, facts, needed);
}

}  // namespace

std::optional<Compiled> Session::compile(const Unit& unit, bool whole, base::Diagnostics& diagnostics) {
  return compile(unit, whole ? Scope::kWhole : Scope::kStatement, diagnostics);
}

std::optional<Compiled> Session::compile_needed(const Unit& unit, base::Diagnostics& diagnostics) {
  return compile(unit, Scope::kNeeded, diagnostics);
}

std::optional<Compiled> Session::compile(const Unit& unit, Scope scope, base::Diagnostics& diagnostics) {
  VC_CHECK(unit.kind == Unit::Kind::kValue);
  Compiled compiled;
  ExpressionFacts facts;
  std::vector<Definition*> given;
  std::vector<const GlobalStatement*> before;
  if (scope != Scope::kStatement) {
    std::unordered_set<const GlobalStatement*> needed;
    if (scope == Scope::kNeeded) note_needed(*unit.statement->value, facts, needed);
    for (const auto& statement : state_->statements) {
      if (statement == unit.statement) break;
      if (scope == Scope::kWhole || needed.contains(statement.get())) before.push_back(statement.get());
    }
  } else {
    given = facts.globals(*unit.statement->value);
  }
  Flattener flattener(state_->types, *state_->environment.find_in_library("map"), diagnostics, state_->fuses,
                      state_->watch);
  auto program = flattener.compile(*unit.statement, given, before);
  if (!program) return std::nullopt;
  compiled.program = std::move(*program);
  compiled.remarks = flattener.remarks();
  before.push_back(unit.statement.get());
  compiled.slow_idioms = find_slow_idioms(before, facts);
  compiled.watch_points = flattener.take_watch_points();
  compiled.places = flattener.take_places();
  compiled.inputs.assign(given.begin(), given.end());
  compiled.result = shape_of(unit.statement->pattern->type);
  return compiled;
}

std::vector<const Definition*> Session::commit(const Unit& unit) {
  VC_CHECK(unit.kind == Unit::Kind::kValue);
  state_->environment.commit(unit.statement);
  state_->statements.push_back(unit.statement);
  std::vector<const Definition*> globals;
  for_each_variable(*unit.statement->pattern, [&](const Pattern& variable) {
    for (const Definition* global : unit.statement->globals)
      if (global->local == variable.local) globals.push_back(global);
  });
  return globals;
}

namespace {

/// True for definitions that the library keeps for itself: those without documentation, and those named prim_something.
bool is_auxiliary(const Definition& definition) {
  const bool documented = !definition.doc.empty() || definition.kind == Definition::Kind::kGlobal;
  return definition.prelude && (!documented || definition.name.starts_with("prim_"));
}

}  // namespace

std::vector<std::string> Session::names() const {
  std::vector<std::string> names;
  for (const Definition* definition : state_->environment.sorted())
    if (!is_auxiliary(*definition)) names.push_back(definition->name);
  return names;
}

namespace {

/// The heading above a definition in the prelude: `% --- heading --- %`, or the first words of the file.
std::string section_of(const Definition& definition) {
  constexpr std::string_view kMark = "% --- ";
  const std::string_view before = definition.source->text().substr(0, definition.span.begin);
  std::size_t begin = before.rfind(kMark);
  begin = begin == std::string_view::npos ? before.find_first_not_of("% ") : begin + kMark.size();
  return std::string(before.substr(begin, before.find_first_of("%-.:", begin) - begin));
}

Description description_of(const Definition& definition) {
  return {definition.name, to_text(definition.scheme), definition.doc, definition.kind != Definition::Kind::kGlobal,
          definition.prelude};
}

}  // namespace

namespace {

std::optional<std::vector<Parameter>> parameters_of(const Definition* definition) {
  if (definition == nullptr || definition->kind != Definition::Kind::kFunction || definition->parameter == nullptr)
    return std::nullopt;
  std::vector<Parameter> parameters;
  const Pattern* pattern = definition->parameter.get();
  Type* type = resolve(resolve(definition->scheme.type)->arguments[0]);
  for (; pattern->kind == Pattern::Kind::kPair; pattern = pattern->parts[1].get()) {
    parameters.push_back({pattern_text(*pattern->parts[0], false), to_text(type->arguments[0])});
    type = resolve(type->arguments[1]);
  }
  parameters.push_back({pattern_text(*pattern, false), to_text(type)});
  return parameters;
}

/// The description of a definition, with Description::parts.
Description description_with_parts(const Definition& definition) {
  Description description = description_of(definition);
  description.parts = definition.fields;
  description.is_datatype = definition.kind == Definition::Kind::kDatatype;
  for (const Parameter& parameter : parameters_of(&definition).value_or(std::vector<Parameter>()))
    description.parts.push_back(parameter.name);
  return description;
}

}  // namespace

std::optional<std::vector<Parameter>> Session::parameters_of(std::string_view function) const {
  return nesl::parameters_of(state_->environment.find(function));
}

std::optional<Description> Session::describe(std::string_view name) const {
  const Definition* definition = state_->environment.find(name);
  return definition == nullptr ? std::nullopt : std::optional(description_with_parts(*definition));
}

Description Session::describe(const NameUse& use) const {
  constexpr std::uint32_t kLargestShown = 1000;  // parts of a type
  if (const Definition* definition = state_->names.definition(use)) return description_with_parts(*definition);
  Description description;
  description.name = use.place.source->text(use.place.span);
  if (use.type != nullptr) description.type = size_of(use.type) > kLargestShown ? "a large type" : to_text(use.type);
  description.is_function = use.type != nullptr && resolve(use.type)->kind == Type::Kind::kFunction;
  description.prelude = false;
  return description;
}

std::string Session::cost_of(std::string_view name) const {
  const Definition* const definition = state_->environment.find(name);
  if (definition == nullptr) return "";
  update_flags(state_->environment);
  return cost_text(*definition);
}

std::string Session::cost_of(const NameUse& use) const {
  const Definition* const definition = state_->names.definition(use);
  if (definition == nullptr) return "";
  update_flags(state_->environment);
  return cost_text(*definition);
}

std::vector<Description> Session::apropos(std::string_view word) const {
  std::vector<Description> found;
  for (const Definition* definition : state_->environment.sorted())
    if (definition->name.find(word) != std::string::npos || definition->doc.find(word) != std::string::npos)
      found.push_back(description_of(*definition));
  return found;
}

std::vector<Description> Session::library() const {
  std::vector<Description> found;
  for (const Definition& definition : state_->environment.all()) {
    if (!definition.prelude || (definition.doc.empty() && definition.kind != Definition::Kind::kGlobal)) continue;
    found.push_back(description_of(definition));
    found.back().section = section_of(definition);
    while (!found.back().section.empty() && found.back().section.back() == ' ') found.back().section.pop_back();
  }
  return found;
}

std::string near_name(const std::string& wanted, const std::vector<std::string>& candidates) {
  NearName near(wanted);
  for (const std::string& candidate : candidates) near.consider(candidate);
  return near.best();
}

std::string_view name_of(const Definition& definition) { return definition.name; }

ValueShape shape_of(const Definition& global) { return shape_of(global.scheme.type); }

}  // namespace nesl

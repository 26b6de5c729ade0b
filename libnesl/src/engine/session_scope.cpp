#include "session_scope.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/files.h"
#include "program/executable.h"
#include "text/classic_commands.h"
#include "text/command_words.h"
#include "text/idiom_text.h"
#include "text/load_command.h"
#include "text_failure.h"
#include "vcode/printer.h"

namespace nesl_c {

namespace {

std::string application_of(const std::string& name, const std::string& types) {
  return types.empty() ? name : fmt::format("{}({})", name, types);
}

}  // namespace

Scope::Scope(std::shared_ptr<Engine> of, Location location)
    : engine(std::move(of)), location_(location), compiler_(engine->take_compiler()) {}

Scope::~Scope() {
  const Engine::Turn turn(*engine);
  end();
}

void Scope::end() {
  ended_ = true;
  functions_.clear();
  globals_.clear();
  if (location_ == Location::kFirst) engine->end();
  engine->give_back(std::move(compiler_));
}

void Scope::require_open() const {
  if (ended_ || engine->has_ended()) refuse("the session has ended");
}

const base::Source& Scope::add_source(const std::string& name, std::string text) {
  if (text.size() >= UINT32_MAX) refuse(fmt::format("{} has 4 GiB or more", name));
  const std::string& key = texts_->add(name, text);
  return compiler_->add_source(key, std::move(text));
}

const base::Source& Scope::question(const std::string& name, const std::string& text) {
  const base::Source*& known = questions_[name + text];
  if (known == nullptr) known = &add_source(name, text);
  return *known;
}

// --- texts ------------------------------------------------------------------------------------------------------

std::optional<Data> Scope::read_whole(const std::function<void()>& read, bool wanted) {
  functions_.clear();
  types_.clear();
  std::optional<Data> result;
  engine->on_deep_stack([&] {
    // The type of a value may be as deep as the text, and is destroyed recursively: on this large stack.
    struct Forget {
      std::optional<Data>& last;
      ~Forget() { last.reset(); }
    } forget{last_};
    read();
    if (!wanted || !last_) return;
    require_shallow(last_->shape);
    if (last_->shape.kind == nesl::ValueShape::Kind::kFunction)
      refuse("the value is a function, which cannot be read outside of NESL");
    result = std::move(last_);
  });
  return result;
}

void Scope::load(const std::string& name, const std::string& text) {
  read_whole([&] { read(add_source(name, text), name, 0); }, false);
}

void Scope::load_file(const std::string& file) {
  read_whole([&] { read_file(file, 0); }, false);
}

std::optional<Data> Scope::evaluate(const std::string& name, const std::string& text) {
  return read_whole([&] { read(add_source(name, text), name, 0); }, true);
}

std::optional<Data> Scope::evaluate_next(const std::string& name, const std::string& text, std::size_t& position) {
  std::size_t end = text.size();
  std::optional<Data> value = read_whole(
      [&] {
        const base::Source& source = question(name, text);
        base::Diagnostics diagnostics;
        compiler_->read(
            source, diagnostics,
            [&](nesl::Unit& unit) {
              if (diagnostics.has_errors()) return false;
              end = unit.span.end;
              use(unit, name, 0, diagnostics);
              return false;
            },
            position);
        throw_errors(source, diagnostics);
      },
      true);
  position = end;
  return value;
}

std::string Scope::examine(const std::string& text, nesl_property property) {
  std::string told;
  engine->on_deep_stack([&] {
    const base::Source& source = compiler_->add_expression(texts_->add("<examined>", text), text);
    base::Diagnostics diagnostics;
    compiler_->read(source, diagnostics, [&](nesl::Unit& unit) {
      if (unit.kind == nesl::Unit::Kind::kDefinition) note_definition(unit.name);
      told = property_of(unit, property, diagnostics);
      return true;
    });
    throw_errors(source, diagnostics);
  });
  return told;
}

std::string Scope::property_of(const nesl::Unit& unit, nesl_property property, base::Diagnostics& diagnostics) {
  const bool is_value = unit.kind == nesl::Unit::Kind::kValue;
  if (property == NESL_TYPE) {
    if (!is_value && unit.kind != nesl::Unit::Kind::kDefinition) refuse("only expressions and definitions have a type");
    return fmt::format("{} : {}", unit.name, unit.type);
  }
  if (!is_value) refuse("only an expression or assignment is compiled");
  std::optional<nesl::Compiled> compiled = compiler_->compile(unit, false, diagnostics);
  if (!compiled) return "";
  if (property == NESL_VCODE) return vcode::print_vcode(engine->executable(std::move(compiled->program)));
  if (property != NESL_FUSION) refuse(fmt::format("there is no property {}", static_cast<int>(property)));
  std::string text;
  for (const std::string& remark : compiled->remarks) text += remark + "\n";
  for (const nesl::SlowIdiom& idiom : compiled->slow_idioms) text += nesl_cli::idiom_line(idiom) + "\n";
  const nesl_cli::FusionExplained explained = nesl_cli::explain_fusion(std::move(compiled->program));
  for (const std::string& remark : explained.remarks) text += remark + "\n";
  return text + explained.text;
}

void Scope::read_file(const std::string& file, int depth) {
  std::string text, error;
  // base::read_file takes "-" for standard input.
  if (!base::read_file(file == "-" ? "./-" : file, text, error)) throw Failed(NESL_ERROR_TEXT, error);
  read(add_source(file, std::move(text)), file, depth);
}

void Scope::read(const base::Source& source, const std::string& name, int depth) {
  base::Diagnostics diagnostics;
  compiler_->read(source, diagnostics, [&](nesl::Unit& unit) {
    const bool is_trial = unit.kind == nesl::Unit::Kind::kTest || unit.kind == nesl::Unit::Kind::kBench;
    if (!is_trial) last_.reset();
    use(unit, name, depth, diagnostics);
    return true;
  });
  throw_errors(source, diagnostics);
}

void Scope::use(nesl::Unit& unit, const std::string& name, int depth, base::Diagnostics& diagnostics) {
  switch (unit.kind) {
    case nesl::Unit::Kind::kDefinition:
      note_definition(unit.name);
      break;
    case nesl::Unit::Kind::kValue:
      compute(unit, diagnostics);
      break;
    case nesl::Unit::Kind::kCommand:
      obey(unit, name, depth, diagnostics);
      break;
    case nesl::Unit::Kind::kTest:
    case nesl::Unit::Kind::kBench:
      break;  // run by the nesl command
  }
}

void Scope::obey(const nesl::Unit& unit, const std::string& name, int depth, base::Diagnostics& diagnostics) {
  const std::vector<std::string> words = nesl_cli::words_of(unit.text);
  VC_CHECK(!words.empty());
  if (words[0] != "load") {
    if (!nesl_cli::changes_no_program(words))
      diagnostics.error(unit.span, fmt::format("the command {} is for interactive sessions", words[0]));
    return;
  }
  const nesl_cli::LoadCommand command = nesl_cli::parse_load(unit.text);
  if (!command.error.empty())
    diagnostics.error(unit.span, command.error);
  else if (command.name.empty())
    diagnostics.error(unit.span, "load needs the name of a file, in quotes");
  else if (engine->settings().run.run.sandbox)
    diagnostics.error(unit.span, fmt::format("load of '{}' is refused in the sandbox", command.name));
  else if (depth == nesl_cli::kDeepestLoad)
    diagnostics.error(unit.span, "the files load each other without end");
  else
    read_file(nesl_cli::loaded_name(command.name, name), depth + 1);
  last_.reset();
}

void Scope::compute(nesl::Unit& unit, base::Diagnostics& diagnostics) {
  constexpr std::string_view kNameOfExpressions = "it";
  std::optional<nesl::Compiled> compiled = compiler_->compile(unit, false, diagnostics);
  if (!compiled) return;
  const std::size_t entries = nesl::entry_count(compiled->result);
  std::vector<runtime::Value> inputs = inputs_of(*compiled);
  std::vector<runtime::Value> stack =
      engine->run(engine->executable(std::move(compiled->program)), std::move(inputs), *texts_);
  VC_CHECK(stack.size() == entries);
  auto next = stack.begin();
  for (const nesl::Definition* global : compiler_->commit(unit)) {
    const auto end = next + static_cast<std::ptrdiff_t>(nesl::entry_count(nesl::shape_of(*global)));
    globals_[global].assign(next, end);
    next = end;
    if (unit.name != kNameOfExpressions) note_definition(nesl::name_of(*global));
  }
  if (unit.name == kNameOfExpressions) last_ = Data{std::move(compiled->result), std::move(stack)};
}

void Scope::note_definition(std::string_view name) {
  ++definitions_;
  if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.emplace_back(name);
}

std::vector<std::string> Scope::vocabulary() const {
  std::vector<std::string> all;
  engine->on_deep_stack([&] { all = compiler_->names(); });
  for (const nesl::Description& word : nesl::language_words()) all.push_back(word.name);
  return all;
}

nesl::Description Scope::describe(const std::string& name) {
  std::string wanted = name;
  for (char& c : wanted)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  std::optional<nesl::Description> found;
  engine->on_deep_stack([&] { found = compiler_->describe(wanted); });
  const std::vector<nesl::Description>& words = nesl::language_words();
  const auto word = std::find_if(words.begin(), words.end(), [&](const auto& w) { return w.name == wanted; });
  if (!found && word != words.end()) return *word;
  if (!found) throw Failed(NESL_ERROR_TEXT, fmt::format("{} is undefined", name));
  return std::move(*found);
}

// --- functions --------------------------------------------------------------------------------------------------

std::vector<runtime::Value> Scope::inputs_of(const nesl::Compiled& compiled) const {
  std::vector<runtime::Value> inputs;
  for (const nesl::Definition* input : compiled.inputs) {
    const std::vector<runtime::Value>& entries = globals_.at(input);
    inputs.insert(inputs.end(), entries.begin(), entries.end());
  }
  return inputs;
}

std::pair<nesl::Unit, nesl::Compiled> Scope::compile_application(const std::string& application) {
  const base::Source& source = question("<lookup>", application);
  base::Diagnostics diagnostics;
  std::optional<nesl::Unit> unit = compiler_->find(source, diagnostics);
  std::optional<nesl::Compiled> compiled = unit ? compiler_->compile(*unit, false, diagnostics) : std::nullopt;
  throw_errors(source, diagnostics);
  VC_CHECK(compiled.has_value());
  return {std::move(*unit), std::move(*compiled)};
}

std::shared_ptr<const Function> Scope::find(const std::string& name, const std::string& types) {
  const std::string application = application_of(name, types);
  if (const auto known = functions_.find(application); known != functions_.end()) return known->second;
  auto function = std::make_shared<Function>();
  function->name = name;
  function->texts = texts_;
  engine->on_deep_stack([&] {
    auto [unit, compiled] = compile_application(application);
    for (const nesl::ValueShape& parameter : unit.parameters) require_shallow(parameter);
    require_shallow(compiled.result);
    function->parameters = std::move(unit.parameters);
    function->globals = inputs_of(compiled);
    function->program = engine->prepare(std::move(compiled.program));
    function->result = std::move(compiled.result);
  });
  if (types.empty() && function->result.kind == nesl::ValueShape::Kind::kFunction)
    refuse(fmt::format("{} is a function: the types of its arguments are needed", name));
  functions_.emplace(application, function);
  return function;
}

std::vector<runtime::Value> Scope::call(const Function& function, std::vector<runtime::Value> arguments) {
  arguments.insert(arguments.begin(), function.globals.begin(), function.globals.end());
  std::vector<runtime::Value> stack = engine->run(*function.program, std::move(arguments), *function.texts);
  VC_CHECK(stack.size() == nesl::entry_count(function.result));
  return stack;
}

std::string Scope::explain(const std::string& name, const std::string& types) {
  std::string text;
  engine->on_deep_stack(
      [&] { text = nesl_cli::explain_fusion(compile_application(application_of(name, types)).second.program).text; });
  return text;
}

nesl::ValueShape Scope::shape_of_type(const std::string& type) {
  if (const auto known = types_.find(type); known != types_.end()) return known->second;
  std::optional<nesl::ValueShape> shape;
  engine->on_deep_stack([&] {
    const base::Source& source = question("<type>", type);
    base::Diagnostics diagnostics;
    shape = compiler_->read_type(source, diagnostics);
    throw_errors(source, diagnostics);
    require_shallow(*shape);
  });
  return types_.emplace(type, std::move(*shape)).first->second;
}

}  // namespace nesl_c

#include "engine.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/files.h"
#include "base/stop_request.h"
#include "program/executable.h"
#include "stop_flag.h"
#include "text/classic_commands.h"
#include "text/command_words.h"
#include "text/load_command.h"
#include "text_failure.h"

namespace nesl_c {

namespace {

/// Types nested deeper than this are not for callers, on whose stacks shapes are compared and copied.
constexpr int kDeepestShape = 1000;

bool is_deeper(const nesl::ValueShape& shape, int levels) {
  return levels == 0 ||
         std::ranges::any_of(shape.parts, [&](const nesl::ValueShape& part) { return is_deeper(part, levels - 1); });
}

void require_shallow(const nesl::ValueShape& shape) {
  if (is_deeper(shape, kDeepestShape))
    refuse(fmt::format("types nested more than {} levels deep cannot be used from outside of NESL", kDeepestShape));
}

std::string application_of(const std::string& name, const std::string& types) {
  return types.empty() ? name : fmt::format("{}({})", name, types);
}

}  // namespace

Engine::Turn::Turn(Engine& engine) : engine_(engine) {
  engine_.turn_.lock();
  const std::lock_guard guard(engine_.running_lock_);
  engine_.running_ = true;
  engine_.interrupt_ = interp::Interrupt::kNone;
}

Engine::Turn::~Turn() {
  UserLoan* loans = std::exchange(engine_.ended_loans_, nullptr);
  {
    const std::lock_guard guard(engine_.running_lock_);
    engine_.running_ = false;
  }
  engine_.turn_.unlock();
  while (loans != nullptr) {
    const std::unique_ptr<UserLoan> loan(loans);
    loans = loan->next;
    loan->release(loan->owner);
  }
}

void Engine::cancel() noexcept {
  const std::lock_guard guard(running_lock_);
  if (running_) interrupt_ = interp::Interrupt::kSignal;
}

runtime::Loan Engine::loan(void (*release)(void*), void* owner) {
  if (release == nullptr) return {};
  auto* loan = new UserLoan{release, owner, *this};
  return {[](void* ended) {
            auto* user = static_cast<UserLoan*>(ended);
            user->next = std::exchange(user->engine.ended_loans_, user);
          },
          loan};
}

void Engine::on_deep_stack(const std::function<void()>& work) {
  nesl::run_with_deep_stack([&] {
    const StopFlag stop(interrupt_);
    try {
      work();
    } catch (const base::Stopped&) {
      throw Failed(NESL_ERROR_CANCELLED, "cancelled");
    }
  });
}

Engine::Engine(const Settings& settings) : settings_(settings) {
  interp::RunFlags flags = settings.run;
  cvl::BackendOptions options = flags.backend_options;
  const std::string kernel_cache = interp::kernel_cache_folder(flags);
  options.kernel_cache = kernel_cache.c_str();
  options.stop_requested = StopFlag::is_set;
  std::vector<std::string> folders = cvl::library_backend_directories();
  for (std::string& folder : cvl::default_backend_directories()) folders.push_back(std::move(folder));
  std::string error, note;
  backend_ = flags.backend == "auto" ? cvl::load_best_backend(folders, options, error, note)
                                     : cvl::load_backend(flags.backend, folders, options, error);
  if (!backend_) throw Failed(NESL_ERROR_RESOURCE, error);
  flags.run.interrupt = &interrupt_;
  flags.run.keep_errors = true;
  flags.run.shortest_floats = true;
  flags.run.source_line = [this](const std::string& file, std::uint32_t line) { return source_line(file, line); };
  interpreter_ = std::make_unique<interp::Interpreter>(*backend_, flags.run);
  on_deep_stack([this] {
    session_ = std::make_unique<nesl::Session>();
    session_->set_print_checks(false);
    session_->set_masks(fcode_opt::fuses(settings_.optimize));
    session_->set_wide_ints(settings_.run.run.widths.int_type == vcode::ElemType::kI64);
  });
}

Engine::~Engine() {
  end();
  VC_CHECK(ended_loans_ == nullptr);  // values have died in turns
}

void Engine::end() {
  ended_ = true;
  functions_.clear();
  globals_.clear();
  sources_.clear();
  if (!session_) return;
  try {
    nesl::run_with_deep_stack([this] { session_.reset(); });  // trees are destroyed recursively
  } catch (const std::runtime_error&) {
    session_.reset();  // no memory for another thread
  }
}

void Engine::require_open() const {
  if (ended_) refuse("the session has ended");
}

void Engine::set_seed(std::uint64_t seed) { interpreter_->options().seed = seed; }

void Engine::fail_evaluation() { throw Failed(NESL_ERROR_RESOURCE, evaluator().failure()); }

std::string Engine::source_line(const std::string& file, std::uint32_t line) const {
  const auto [begin, end] = sources_.equal_range(file);
  std::string found;
  for (auto it = begin; it != end; ++it)
    if (const std::string_view text = it->second->line(line); !text.empty()) found = text;
  return found;
}

const base::Source& Engine::add_source(const std::string& name, std::string text) {
  if (text.size() >= UINT32_MAX) refuse(fmt::format("{} has 4 GiB or more", name));
  const base::Source& source = session_->add_source(name, std::move(text));
  sources_.emplace(name, &source);
  return source;
}

// --- texts ------------------------------------------------------------------------------------------------------

void Engine::load(const std::string& name, std::string text) {
  functions_.clear();
  types_.clear();
  on_deep_stack([&] { read(add_source(name, std::move(text)), 0); });
}

void Engine::load_file(const std::string& file) {
  functions_.clear();
  types_.clear();
  on_deep_stack([&] { read_file(file, 0); });
}

void Engine::read_file(const std::string& file, int depth) {
  std::string text, error;
  // The name "-" would be standard input.
  if (!base::read_file(file == "-" ? "./-" : file, text, error)) throw Failed(NESL_ERROR_TEXT, error);
  read(add_source(file, std::move(text)), depth);
}

void Engine::read(const base::Source& source, int depth) {
  base::Diagnostics diagnostics;
  session_->read(source, diagnostics, [&](nesl::Unit& unit) {
    use(unit, source, depth, diagnostics);
    return true;
  });
  throw_errors(source, diagnostics);
}

void Engine::use(nesl::Unit& unit, const base::Source& source, int depth, base::Diagnostics& diagnostics) {
  switch (unit.kind) {
    case nesl::Unit::Kind::kDefinition:
      break;
    case nesl::Unit::Kind::kValue:
      evaluate(unit, diagnostics);
      break;
    case nesl::Unit::Kind::kCommand:
      obey(unit, source, depth, diagnostics);
      break;
  }
}

void Engine::obey(const nesl::Unit& unit, const base::Source& source, int depth, base::Diagnostics& diagnostics) {
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
  else if (settings_.run.run.sandbox)
    diagnostics.error(unit.span, fmt::format("load of '{}' is refused in the sandbox", command.name));
  else if (depth == nesl_cli::kDeepestLoad)
    diagnostics.error(unit.span, "the files load each other without end");
  else
    read_file(nesl_cli::loaded_name(command.name, source.name()), depth + 1);
}

void Engine::evaluate(nesl::Unit& unit, base::Diagnostics& diagnostics) {
  std::optional<nesl::Compiled> compiled = session_->compile(unit, false, diagnostics);
  if (!compiled) return;
  const std::size_t entries = nesl::entry_count(compiled->result);
  std::vector<runtime::Value> inputs = inputs_of(*compiled);
  const base::Source no_text("", "");
  std::vector<runtime::Value> stack =
      result_of(interpreter_->run(no_text, executable(std::move(compiled->program)), std::move(inputs)));
  VC_CHECK(stack.size() == entries);
  auto next = std::make_move_iterator(stack.begin());
  for (const nesl::Definition* global : session_->commit(unit)) {
    const auto end = next + static_cast<std::ptrdiff_t>(nesl::entry_count(nesl::shape_of(*global)));
    globals_[global].assign(next, end);
    next = end;
  }
}

// --- functions --------------------------------------------------------------------------------------------------

vcode::Program Engine::executable(vcode::letform::Program program) const {
  fcode_opt::OptimizeResult result = fcode_opt::optimize(std::move(program), settings_.optimize);
  if (!result.error.empty()) throw std::logic_error(result.error);
  return std::move(result.program);
}

std::vector<runtime::Value> Engine::inputs_of(const nesl::Compiled& compiled) const {
  std::vector<runtime::Value> inputs;
  for (const nesl::Definition* input : compiled.inputs) {
    const std::vector<runtime::Value>& entries = globals_.at(input);
    inputs.insert(inputs.end(), entries.begin(), entries.end());
  }
  return inputs;
}

std::vector<runtime::Value> Engine::result_of(interp::RunResult result) const {
  if (result.status != 0 || !result.ended) throw Failed(failure_of(result));
  return std::move(result.stack);
}

std::pair<nesl::Unit, nesl::Compiled> Engine::compile_application(const std::string& application) {
  const base::Source& source = add_source("<lookup>", application);
  base::Diagnostics diagnostics;
  std::optional<nesl::Unit> unit = session_->find(source, diagnostics);
  std::optional<nesl::Compiled> compiled = unit ? session_->compile(*unit, false, diagnostics) : std::nullopt;
  throw_errors(source, diagnostics);
  VC_CHECK(compiled.has_value());
  return {std::move(*unit), std::move(*compiled)};
}

std::shared_ptr<const Function> Engine::find(const std::string& name, const std::string& types) {
  const std::string application = application_of(name, types);
  if (const auto known = functions_.find(application); known != functions_.end()) return known->second;
  auto function = std::make_shared<Function>();
  function->name = name;
  on_deep_stack([&] {
    auto [unit, compiled] = compile_application(application);
    for (const nesl::ValueShape& parameter : unit.parameters) require_shallow(parameter);
    require_shallow(compiled.result);
    function->parameters = std::move(unit.parameters);
    function->globals = inputs_of(compiled);
    std::string error;
    function->program = interpreter_->prepare(executable(std::move(compiled.program)), error);
    if (!function->program) throw std::logic_error(error);
    function->result = std::move(compiled.result);
  });
  if (types.empty() && function->result.kind == nesl::ValueShape::Kind::kFunction)
    refuse(fmt::format("{} is a function: the types of its arguments are needed", name));
  functions_.emplace(application, function);
  return function;
}

std::vector<runtime::Value> Engine::call(const Function& function, std::vector<runtime::Value> arguments) {
  const StopFlag stop(interrupt_);
  arguments.insert(arguments.begin(), function.globals.begin(), function.globals.end());
  std::vector<runtime::Value> stack = result_of(interpreter_->run(*function.program, std::move(arguments)));
  VC_CHECK(stack.size() == nesl::entry_count(function.result));
  return stack;
}

const char* Engine::explain(const std::string& name, const std::string& types) {
  on_deep_stack(
      [&] { told_ = nesl_cli::explain_fusion(compile_application(application_of(name, types)).second.program).text; });
  return told_.c_str();
}

void Engine::begin_profile() { interpreter_->options().profile = &profile_.emplace(false); }

const char* Engine::end_profile() {
  if (!profile_) refuse("no profile has begun");
  told_ = profile_->instructions().empty() ? "" : profile_->table();
  interpreter_->options().profile = nullptr;
  profile_.reset();
  return told_.c_str();
}

nesl::ValueShape Engine::shape_of_type(const std::string& type) {
  if (const auto known = types_.find(type); known != types_.end()) return known->second;
  std::optional<nesl::ValueShape> shape;
  on_deep_stack([&] {
    const base::Source& source = add_source("<type>", type);
    base::Diagnostics diagnostics;
    shape = session_->read_type(source, diagnostics);
    throw_errors(source, diagnostics);
    require_shallow(*shape);
  });
  return types_.emplace(type, std::move(*shape)).first->second;
}

}  // namespace nesl_c

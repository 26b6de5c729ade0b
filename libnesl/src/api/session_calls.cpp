// Sessions and functions.

#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "engine/rank_parts.h"
#include "handles.h"
#include "nesl-compiler/completeness.h"

using namespace nesl_c;

namespace {

int checked_bits(int bits, const char* what) {
  if (bits != 32 && bits != 64) refuse(fmt::format("{} must be 32 or 64, but is {}", what, bits));
  return bits;
}

Settings settings_of(const nesl_options& options) {
  if (options.size != sizeof(nesl_options))
    refuse("the options do not begin with their size: set them to NESL_OPTIONS_INIT first");
  Settings settings;
  if (options.backend != nullptr) settings.run.backend = options.backend;
  if (std::string error;
      options.devices != nullptr && !interp::read_devices(options.devices, settings.run.devices, error))
    refuse("devices: " + error);
  constexpr int kMostThreads = 4096;
  if (options.threads < 0 || options.threads > kMostThreads)
    refuse(fmt::format("threads must be from 0 to {}, but is {}", kMostThreads, options.threads));
  settings.run.backend_options.threads = options.threads;
  settings.run.backend_options.memory_limit = options.memory;
  settings.run.run.stack_limit = options.stack;
  settings.run.run.seed = options.seed;
  settings.run.run.sandbox = options.sandbox != 0;
  if (options.optimize < 0 || options.optimize > 2)
    refuse(fmt::format("optimize must be 0, 1 or 2, but is {}", options.optimize));
  settings.optimize.level = options.optimize;
  const bool wide_int = checked_bits(options.int_bits, "int_bits") == 64;
  const bool wide_float = checked_bits(options.float_bits, "float_bits") == 64;
  settings.run.run.widths = {wide_int ? vcode::ElemType::kI64 : vcode::ElemType::kI32,
                             wide_float ? vcode::ElemType::kF64 : vcode::ElemType::kF32};
  if (options.kernel_cache != nullptr) settings.run.kernel_cache = options.kernel_cache;
  if (options.mpi != nullptr) settings.communicator = {options.mpi, options.communicator};
  return settings;
}

/// Returns a string argument. Throws Failed if it is NULL.
const char* text_of(const char* text, const char* what) {
  if (text == nullptr) refuse(std::string(what) + " is NULL");
  return text;
}

/// Calls `work` in a turn.
template <class Work>
nesl_error* on_device(nesl_session* session, Work&& work) {
  return guarded([&] {
    const std::shared_ptr<Scope> scope = find_session(session);
    const Engine::Turn turn(*scope->engine);
    work(*scope->engine);
  });
}

/// Calls `work` in a turn; an error if the session has ended.
template <class Work>
nesl_error* in_scope(nesl_session* session, Work&& work) {
  return guarded([&] {
    const std::shared_ptr<Scope> scope = find_session(session);
    const Engine::Turn turn(*scope->engine);
    scope->require_open();
    work(*scope);
  });
}

/// Like in_scope(), for functions that return strings. The strings are valid until the same thread gets the next ones;
/// strings of other threads are independent.
template <std::size_t kCount, class Work>
nesl_error* telling(nesl_session* session, const std::array<const char**, kCount>& locations, Work&& work) {
  for (const char** location : locations)
    if (location != nullptr) *location = nullptr;
  return in_scope(session, [&](Scope& scope) {
    for (const char** location : locations)
      if (location == nullptr) refuse("the place for the result is NULL");
    thread_local std::array<std::string, kCount> told;
    told = work(scope);
    for (std::size_t k = 0; k < kCount; ++k) {
      told[k] = Texts::without_marks(std::move(told[k]));
      *locations[k] = told[k].c_str();
    }
  });
}

/// Stores a handle of the value that `compute` returns in a turn, if it returns one.
template <class Compute>
void store_optional_value(const std::shared_ptr<Scope>& scope, nesl_value** value, Compute&& compute) {
  std::shared_ptr<ValueHandle> handle;
  {
    const Engine::Turn turn(*scope->engine);
    scope->require_open();
    std::optional<Data> result = compute();
    if (!result) return;
    handle = std::make_shared<ValueHandle>(scope, std::move(*result));
  }
  *value = reinterpret_cast<nesl_value*>(values().add(std::move(handle)));
}

/// Each text, followed by a line feed.
std::string lines_of(const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) lines += text + "\n";
  return lines;
}

}  // namespace

extern "C" {

nesl_error* nesl_open(const nesl_options* options, nesl_session** session) {
  return guarded([&] {
    clear_location(session);
    const nesl_options usual = NESL_OPTIONS_INIT;
    auto engine = std::make_shared<Engine>(settings_of(options != nullptr ? *options : usual));
    std::shared_ptr<Scope> scope;
    {
      const Engine::Turn turn(*engine);
      scope = std::make_shared<Scope>(engine, Scope::Location::kFirst);
    }
    *session = reinterpret_cast<nesl_session*>(sessions().add(std::move(scope)));
  });
}

nesl_error* nesl_open_scope(nesl_session* session, nesl_session** scope) {
  return guarded([&] {
    clear_location(scope);
    const std::shared_ptr<Scope> of = find_session(session);
    std::shared_ptr<Scope> opened;
    {
      const Engine::Turn turn(*of->engine);
      of->require_open();
      opened = std::make_shared<Scope>(of->engine, Scope::Location::kOther);
    }
    *scope = reinterpret_cast<nesl_session*>(sessions().add(std::move(opened)));
  });
}

void nesl_close(nesl_session* session) {
  const std::shared_ptr<Scope> scope = sessions().take(session);
  if (scope == nullptr) return;
  const Engine::Turn turn(*scope->engine);
  scope->end();
}

void nesl_cancel(nesl_session* session) {
  if (const std::shared_ptr<Scope> scope = sessions().find(session)) scope->engine->cancel();
}

nesl_error* nesl_device(nesl_session* session, int* type, int* number) {
  return guarded([&] {
    if (type == nullptr || number == nullptr) refuse("the place for the result is NULL");
    const std::shared_ptr<Scope> scope = find_session(session);
    const Engine::Turn turn(*scope->engine);
    const cvl::DeviceId device = scope->engine->device();
    *type = device.type;
    *number = device.number;
  });
}

nesl_error* nesl_await_stream(nesl_session* session, uintptr_t stream) {
  return on_device(session, [&](Engine& engine) { engine.shared_device().await_stream(stream); });
}

nesl_error* nesl_await_event(nesl_session* session, uintptr_t event) {
  return on_device(session, [&](Engine& engine) { engine.shared_device().await_event(event); });
}

nesl_error* nesl_copy_to_host(nesl_session* session, void* host, const void* device, size_t bytes) {
  return on_device(session, [&](Engine& engine) {
    if (bytes == 0) return;
    if (host == nullptr) refuse("the place for the result is NULL");
    if (!engine.shared_device().can_read(device)) refuse("the address is not in memory of the device of the session");
    engine.evaluator().heap().device().download(host, device, bytes);
  });
}

nesl_error* nesl_refuse(nesl_session* session) {
  return in_scope(session, [](Scope& scope) {
    if (scope.engine->job() != nullptr) refuse_on_all(*scope.engine);
  });
}

nesl_error* nesl_set_seed(nesl_session* session, uint64_t seed) {
  return guarded([&] {
    const std::shared_ptr<Scope> scope = find_session(session);
    const Engine::Turn turn(*scope->engine);
    scope->engine->set_seed(seed);
  });
}

nesl_error* nesl_load(nesl_session* session, const char* name, const char* text) {
  return in_scope(session,
                  [&](Scope& scope) { scope.load(text_of(name, "the name of the text"), text_of(text, "the text")); });
}

nesl_error* nesl_load_file(nesl_session* session, const char* file) {
  return in_scope(session, [&](Scope& scope) { scope.load_file(text_of(file, "the name of the file")); });
}

nesl_error* nesl_evaluate(nesl_session* session, const char* name, const char* text, nesl_value** value) {
  return guarded([&] {
    clear_location(value);
    const std::shared_ptr<Scope> scope = find_session(session);
    store_optional_value(scope, value, [&] {
      return scope->evaluate(text_of(name, "the name of the text"), text_of(text, "the text"));
    });
  });
}

nesl_error* nesl_evaluate_next(nesl_session* session, const char* name, const char* text, size_t* position,
                               nesl_value** value) {
  return guarded([&] {
    clear_location(value);
    if (position == nullptr) refuse("the place of the position is NULL");
    const std::shared_ptr<Scope> scope = find_session(session);
    store_optional_value(scope, value, [&] {
      return scope->evaluate_next(text_of(name, "the name of the text"), text_of(text, "the text"), *position);
    });
  });
}

nesl_error* nesl_examine(nesl_session* session, const char* text, nesl_property property, const char** result) {
  return telling<1>(session, {result},
                    [&](Scope& scope) { return std::array{scope.examine(text_of(text, "the text"), property)}; });
}

nesl_text_state nesl_state_of_text(const char* text) {
  if (text == nullptr) return NESL_TEXT_EMPTY;
  switch (nesl::completeness(text)) {
    case nesl::Completeness::kEmpty:
      return NESL_TEXT_EMPTY;
    case nesl::Completeness::kIncomplete:
      return NESL_TEXT_INCOMPLETE;
    case nesl::Completeness::kDefinition:
      return NESL_TEXT_DEFINITION;
    case nesl::Completeness::kStatement:
      return NESL_TEXT_STATEMENT;
    case nesl::Completeness::kTerminated:
      break;
  }
  return NESL_TEXT_TERMINATED;
}

nesl_error* nesl_vocabulary(nesl_session* session, const char** names) {
  return telling<1>(session, {names}, [](Scope& scope) { return std::array{lines_of(scope.vocabulary())}; });
}

nesl_error* nesl_names(nesl_session* session, const char** names) {
  return telling<1>(session, {names}, [](Scope& scope) { return std::array{lines_of(scope.names())}; });
}

nesl_error* nesl_definitions(nesl_session* session, uint64_t* count) {
  return in_scope(session, [&](Scope& scope) {
    if (count == nullptr) refuse("the place for the result is NULL");
    *count = scope.definitions();
  });
}

nesl_error* nesl_describe(nesl_session* session, const char* name, const char** type, const char** documentation,
                          const char** parts) {
  return telling<3>(session, {type, documentation, parts}, [&](Scope& scope) {
    const nesl::Description found = scope.describe(text_of(name, "the name"));
    return std::array{found.type, found.doc, lines_of(found.parts)};
  });
}

nesl_error* nesl_lookup(nesl_session* session, const char* name, const char* types, nesl_function** function) {
  return guarded([&] {
    clear_location(function);
    const std::shared_ptr<Scope> scope = find_session(session);
    std::shared_ptr<FunctionHandle> handle;
    {
      const Engine::Turn turn(*scope->engine);
      scope->require_open();
      handle = std::make_shared<FunctionHandle>(
          scope, scope->find(text_of(name, "the name of the function"), types != nullptr ? types : ""));
    }
    *function = reinterpret_cast<nesl_function*>(functions().add(std::move(handle)));
  });
}

nesl_error* nesl_profile_begin(nesl_session* session) {
  return in_scope(session, [](Scope& scope) { scope.engine->begin_profile(); });
}

nesl_error* nesl_profile_end(nesl_session* session, const char** text) {
  return telling<1>(session, {text}, [](Scope& scope) { return std::array{scope.engine->end_profile()}; });
}

nesl_error* nesl_explain(nesl_session* session, const char* name, const char* types, const char** text) {
  return telling<1>(session, {text}, [&](Scope& scope) {
    return std::array{scope.explain(text_of(name, "the name of the function"), types != nullptr ? types : "")};
  });
}

nesl_error* nesl_show(nesl_session* session, const char* expression, size_t steps, size_t elements, const char** text,
                      const char** html) {
  return telling<2>(session, {text, html}, [&](Scope& scope) {
    nesl_cli::ShowLimits limits;
    if (steps != 0) limits.steps = steps;
    if (elements != 0) limits.elements = elements;
    Scope::Shown shown = scope.show(text_of(expression, "the expression"), limits);
    return std::array{std::move(shown.text), std::move(shown.html)};
  });
}

const char* nesl_function_result_type(const nesl_function* function) {
  const std::shared_ptr<FunctionHandle> handle = functions().find(function);
  return handle != nullptr ? handle->result_type.c_str() : nullptr;
}

const char* nesl_function_argument_type(const nesl_function* function, size_t argument) {
  const std::shared_ptr<FunctionHandle> handle = functions().find(function);
  if (handle == nullptr || argument >= handle->argument_types.size()) return nullptr;
  return handle->argument_types[argument].c_str();
}

size_t nesl_function_arguments(const nesl_function* function) {
  const std::shared_ptr<FunctionHandle> handle = functions().find(function);
  return handle != nullptr ? handle->argument_types.size() : 0;
}

void nesl_function_free(nesl_function* function) { functions().take(function); }

nesl_error* nesl_call(const nesl_function* function, nesl_value* const* arguments, size_t count, nesl_value** result) {
  return guarded([&] {
    clear_location(result);
    const std::shared_ptr<FunctionHandle> handle = find_function(function);
    const Function& called = *handle->function;
    if (count != called.parameters.size())
      refuse(fmt::format("{} takes {} argument{}, but is given {}", called.name, called.parameters.size(),
                         called.parameters.size() == 1 ? "" : "s", count));
    if (arguments == nullptr && count > 0) refuse("the arguments are NULL");
    std::vector<std::shared_ptr<ValueHandle>> given;
    for (size_t k = 0; k < count; ++k) {
      given.push_back(find_value(arguments[k]));
      if (&given[k]->engine() != handle->scope->engine.get())
        refuse(fmt::format("argument {} of {} is a value of another session", k + 1, called.name));
      if (given[k]->data.shape == called.parameters[k]) continue;
      // Two scopes may have different datatypes of the same name.
      const std::string type = nesl::type_text(given[k]->data.shape);
      const std::string found =
          type == handle->argument_types[k] ? "another datatype with the name " + type : "type " + type;
      refuse(fmt::format("argument {} of {} must be of type {}, but is of {}", k + 1, called.name,
                         handle->argument_types[k], found));
    }
    store_value(handle->scope, result, [&] {
      handle->scope->require_open();
      std::vector<runtime::Value> entries;
      for (const std::shared_ptr<ValueHandle>& value : given)
        entries.insert(entries.end(), value->data.entries.begin(), value->data.entries.end());
      return Data{called.result, handle->scope->call(called, std::move(entries))};
    });
  });
}

}  // extern "C"

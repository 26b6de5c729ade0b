// Sessions and functions.

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "handles.h"

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
  return settings;
}

/// A string of the caller.
const char* text_of(const char* text, const char* what) {
  if (text == nullptr) refuse(std::string(what) + " is NULL");
  return text;
}

}  // namespace

extern "C" {

nesl_error* nesl_open(const nesl_options* options, nesl_session** session) {
  return guarded([&] {
    clear_place(session);
    const nesl_options usual = NESL_OPTIONS_INIT;
    auto engine = std::make_shared<Engine>(settings_of(options != nullptr ? *options : usual));
    *session = reinterpret_cast<nesl_session*>(sessions().add(std::move(engine)));
  });
}

void nesl_close(nesl_session* session) {
  const std::shared_ptr<Engine> engine = sessions().take(session);
  if (engine == nullptr) return;
  const Engine::Turn turn(*engine);
  engine->end();
}

void nesl_cancel(nesl_session* session) {
  if (const std::shared_ptr<Engine> engine = sessions().find(session)) engine->cancel();
}

nesl_error* nesl_set_seed(nesl_session* session, uint64_t seed) {
  return guarded([&] {
    const std::shared_ptr<Engine> engine = find_session(session);
    const Engine::Turn turn(*engine);
    engine->set_seed(seed);
  });
}

nesl_error* nesl_load(nesl_session* session, const char* name, const char* text) {
  return guarded([&] {
    const std::shared_ptr<Engine> engine = find_session(session);
    const Engine::Turn turn(*engine);
    engine->require_open();
    engine->load(text_of(name, "the name of the text"), text_of(text, "the text"));
  });
}

nesl_error* nesl_load_file(nesl_session* session, const char* file) {
  return guarded([&] {
    const std::shared_ptr<Engine> engine = find_session(session);
    const Engine::Turn turn(*engine);
    engine->require_open();
    engine->load_file(text_of(file, "the name of the file"));
  });
}

nesl_error* nesl_lookup(nesl_session* session, const char* name, const char* types, nesl_function** function) {
  return guarded([&] {
    clear_place(function);
    const std::shared_ptr<Engine> engine = find_session(session);
    std::shared_ptr<FunctionHandle> handle;
    {
      const Engine::Turn turn(*engine);
      engine->require_open();
      handle = std::make_shared<FunctionHandle>(
          engine, engine->find(text_of(name, "the name of the function"), types != nullptr ? types : ""));
    }
    *function = reinterpret_cast<nesl_function*>(functions().add(std::move(handle)));
  });
}

nesl_error* nesl_profile_begin(nesl_session* session) {
  return guarded([&] {
    const std::shared_ptr<Engine> engine = find_session(session);
    const Engine::Turn turn(*engine);
    engine->require_open();
    engine->begin_profile();
  });
}

nesl_error* nesl_profile_end(nesl_session* session, const char** text) {
  return guarded([&] {
    clear_place(text);
    const std::shared_ptr<Engine> engine = find_session(session);
    const Engine::Turn turn(*engine);
    engine->require_open();
    *text = engine->end_profile();
  });
}

nesl_error* nesl_explain(nesl_session* session, const char* name, const char* types, const char** text) {
  return guarded([&] {
    clear_place(text);
    const std::shared_ptr<Engine> engine = find_session(session);
    const Engine::Turn turn(*engine);
    engine->require_open();
    *text = engine->explain(text_of(name, "the name of the function"), types != nullptr ? types : "");
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
    clear_place(result);
    const std::shared_ptr<FunctionHandle> handle = find_function(function);
    const Function& called = *handle->function;
    if (count != called.parameters.size())
      refuse(fmt::format("{} takes {} argument{}, but is given {}", called.name, called.parameters.size(),
                         called.parameters.size() == 1 ? "" : "s", count));
    if (arguments == nullptr && count > 0) refuse("the arguments are NULL");
    std::vector<std::shared_ptr<ValueHandle>> given;
    for (size_t k = 0; k < count; ++k) {
      given.push_back(find_value(arguments[k]));
      if (given[k]->engine != handle->engine)
        refuse(fmt::format("argument {} of {} is a value of another session", k + 1, called.name));
      if (given[k]->data.shape != called.parameters[k])
        refuse(fmt::format("argument {} of {} must be of type {}, but is of type {}", k + 1, called.name,
                           handle->argument_types[k], nesl::type_text(given[k]->data.shape)));
    }
    store_value(handle->engine, result, [&] {
      handle->engine->require_open();
      std::vector<runtime::Value> entries;
      for (const std::shared_ptr<ValueHandle>& value : given)
        entries.insert(entries.end(), value->data.entries.begin(), value->data.entries.end());
      return Data{called.result, handle->engine->call(called, std::move(entries))};
    });
  });
}

}  // extern "C"

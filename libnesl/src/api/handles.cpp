#include "handles.h"

namespace nesl_c {

FunctionHandle::FunctionHandle(std::shared_ptr<Scope> of, std::shared_ptr<const Function> what)
    : scope(std::move(of)), function(std::move(what)), result_type(nesl::type_text(function->result)) {
  for (const nesl::ValueShape& parameter : function->parameters) argument_types.push_back(nesl::type_text(parameter));
}

FunctionHandle::~FunctionHandle() {
  const Engine::Turn turn(*scope->engine);
  function.reset();
}

ValueHandle::~ValueHandle() {
  const Engine::Turn turn(engine());
  if (on_device) {
    try {
      engine().shared_device().await_all();  // also for work of others that reads the elements
    } catch (const cvl::BackendLost&) {      // the next call reports it
    }
    on_device.reset();
  }
  data.entries.clear();
}

HandleTable<Scope>& sessions() {
  static auto& table = *new HandleTable<Scope>;
  return table;
}

HandleTable<FunctionHandle>& functions() {
  static auto& table = *new HandleTable<FunctionHandle>;
  return table;
}

HandleTable<ValueHandle>& values() {
  static auto& table = *new HandleTable<ValueHandle>;
  return table;
}

namespace {

template <class T>
std::shared_ptr<T> find(const HandleTable<T>& table, const void* handle, const char* what) {
  std::shared_ptr<T> object = table.find(handle);
  if (object != nullptr) return object;
  if (handle == nullptr) refuse(std::string("the ") + what + " is NULL");
  refuse(std::string("this is no ") + what + ", or one that has been freed or ended");
}

}  // namespace

std::shared_ptr<Scope> find_session(const nesl_session* session) { return find(sessions(), session, "session"); }
std::shared_ptr<FunctionHandle> find_function(const nesl_function* function) {
  return find(functions(), function, "function");
}
std::shared_ptr<ValueHandle> find_value(const nesl_value* value) { return find(values(), value, "value"); }

}  // namespace nesl_c

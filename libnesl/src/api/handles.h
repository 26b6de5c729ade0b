#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/reading.h"
#include "engine/session_scope.h"

namespace nesl_c {

/// A number that has never been a handle. Handles are numbers and not addresses, so that a freed handle is recognized.
inline std::uintptr_t new_handle() {
  static std::atomic<std::uintptr_t> last{0};
  constexpr std::uintptr_t kStep = 16;
  return last.fetch_add(kStep, std::memory_order_relaxed) + kStep;
}

/// Maps the handles of one type to objects. Any thread may call any member.
template <class T>
class HandleTable {
 public:
  std::uintptr_t add(std::shared_ptr<T> object) {
    const std::uintptr_t handle = new_handle();
    const std::unique_lock guard(lock_);
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  /// The object of a handle; null for a number that is no handle or was removed.
  std::shared_ptr<T> find(const void* handle) const {
    const std::shared_lock guard(lock_);
    const auto at = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    return at == objects_.end() ? nullptr : at->second;
  }
  /// Removes a handle and returns its object; null as for find().
  std::shared_ptr<T> take(const void* handle) {
    const std::unique_lock guard(lock_);
    const auto at = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    if (at == objects_.end()) return nullptr;
    std::shared_ptr<T> object = std::move(at->second);
    objects_.erase(at);
    return object;
  }

 private:
  mutable std::shared_mutex lock_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<T>> objects_;
};

/// The object behind a nesl_function.
struct FunctionHandle {
  FunctionHandle(std::shared_ptr<Scope> of, std::shared_ptr<const Function> what);
  ~FunctionHandle();
  std::shared_ptr<Scope> scope;
  std::shared_ptr<const Function> function;
  std::string result_type;
  std::vector<std::string> argument_types;
};

/// The object behind a nesl_value. Only the thread that has the turn may use members other than `scope` and
/// `data.shape`.
struct ValueHandle {
  ValueHandle(std::shared_ptr<Scope> of, Data value) : scope(std::move(of)), data(std::move(value)) {}
  ~ValueHandle();
  const std::shared_ptr<Scope> scope;  ///< defines the datatypes of the value
  Engine& engine() const { return *scope->engine; }
  Data data;
  // Results of reading functions, which must stay valid as long as the value.
  std::string type, text;
  std::map<nesl_element, Elements> elements;
  std::optional<ElementsOnDevice> on_device;  ///< others may use the elements until the value is freed
  std::optional<Offsets> offsets;
};

// The tables are never destroyed, so that handles are valid until the process ends.
HandleTable<Scope>& sessions();
HandleTable<FunctionHandle>& functions();
HandleTable<ValueHandle>& values();

/// The object of a handle. Throws Failed for an invalid handle.
std::shared_ptr<Scope> find_session(const nesl_session* session);
std::shared_ptr<FunctionHandle> find_function(const nesl_function* function);
std::shared_ptr<ValueHandle> find_value(const nesl_value* value);

/// Runs `work`. Returns an error for an exception, else null.
nesl_error* guarded_call(void (*work)(void*), void* argument) noexcept;
template <class Work>
nesl_error* guarded(Work&& work) noexcept {
  return guarded_call([](void* argument) { (*static_cast<Work*>(argument))(); }, &work);
}

/// Sets the result of a function of nesl.h to NULL. Throws Failed if the pointer to it is NULL.
template <class T>
void clear_location(T** location) {
  if (location == nullptr) refuse("the place for the result is NULL");
  *location = nullptr;
}

/// Calls `make` in a turn and stores a handle of the returned value.
template <class Make>
void store_value(const std::shared_ptr<Scope>& scope, nesl_value** value, Make&& make) {
  std::shared_ptr<ValueHandle> handle;
  {
    const Engine::Turn turn(*scope->engine);
    handle = std::make_shared<ValueHandle>(scope, make());
  }
  *value = reinterpret_cast<nesl_value*>(values().add(std::move(handle)));
}

}  // namespace nesl_c

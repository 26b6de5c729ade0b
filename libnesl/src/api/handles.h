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

/// A number for a handle that has never been one. Handles are no addresses, so that one that has been freed is found
/// out.
inline std::uintptr_t new_handle() {
  static std::atomic<std::uintptr_t> last{0};
  constexpr std::uintptr_t kStep = 16;
  return last.fetch_add(kStep, std::memory_order_relaxed) + kStep;
}

/// What the handles of one type stand for. For all threads.
template <class T>
class HandleTable {
 public:
  std::uintptr_t add(std::shared_ptr<T> object) {
    const std::uintptr_t handle = new_handle();
    const std::unique_lock guard(lock_);
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  /// Null for what is no handle, or no longer one.
  std::shared_ptr<T> find(const void* handle) const {
    const std::shared_lock guard(lock_);
    const auto at = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    return at == objects_.end() ? nullptr : at->second;
  }
  /// The same, and from now on it is none.
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

/// What a nesl_function is.
struct FunctionHandle {
  FunctionHandle(std::shared_ptr<Scope> of, std::shared_ptr<const Function> what);
  ~FunctionHandle();
  std::shared_ptr<Scope> scope;
  std::shared_ptr<const Function> function;
  std::string result_type;
  std::vector<std::string> argument_types;
};

/// What a nesl_value is. All but `scope` and `data.shape` is used in turns only.
struct ValueHandle {
  ValueHandle(std::shared_ptr<Scope> of, Data value) : scope(std::move(of)), data(std::move(value)) {}
  ~ValueHandle();
  const std::shared_ptr<Scope> scope;  ///< which names its datatypes
  Engine& engine() const { return *scope->engine; }
  Data data;
  // What readers have asked for.
  std::string type, text;
  std::map<nesl_element, Elements> elements;
  std::vector<std::int64_t> offsets;
};

// The tables are never destroyed: handles that a program leaves behind end with it.
HandleTable<Scope>& sessions();
HandleTable<FunctionHandle>& functions();
HandleTable<ValueHandle>& values();

/// What the handle stands for. Throw Failed if it is none.
std::shared_ptr<Scope> find_session(const nesl_session* session);
std::shared_ptr<FunctionHandle> find_function(const nesl_function* function);
std::shared_ptr<ValueHandle> find_value(const nesl_value* value);

/// Runs `work` and returns the error for what it throws, or null.
nesl_error* guarded_call(void (*work)(void*), void* argument) noexcept;
template <class Work>
nesl_error* guarded(Work&& work) noexcept {
  return guarded_call([](void* argument) { (*static_cast<Work*>(argument))(); }, &work);
}

/// Sets the place for a result to NULL. Throws Failed if there is none.
template <class T>
void clear_place(T** place) {
  if (place == nullptr) refuse("the place for the result is NULL");
  *place = nullptr;
}

/// Stores the handle of a value that `make` returns, called in a turn.
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

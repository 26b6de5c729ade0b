#include "classic_calls.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace classic {
namespace {

template <class T>
T argument(std::span<const CallArgument> arguments, std::size_t k) {
  if (k < arguments.size()) {
    if constexpr (std::is_same_v<T, vec_p>)
      if (const auto* handle = std::get_if<Handle>(&arguments[k])) return handle->v;
    if constexpr (!std::is_same_v<T, void*>)
      if (const auto* value = std::get_if<T>(&arguments[k])) return *value;
  }
  throw std::runtime_error("argument " + std::to_string(k) + " is missing or of another kind");
}

template <class R, class... A>
std::function<double(std::span<const CallArgument>)> caller(R (*function)(A...)) {
  return [function](std::span<const CallArgument> arguments) -> double {
    if (arguments.size() != sizeof...(A))
      throw std::runtime_error("the function has " + std::to_string(sizeof...(A)) + " parameters");
    return [&]<std::size_t... k>(std::index_sequence<k...>)->double {
      if constexpr (std::is_void_v<R>)
        return function(argument<A>(arguments, k)...), 0;
      else
        return static_cast<double>(function(argument<A>(arguments, k)...));
    }
    (std::index_sequence_for<A...>{});
  };
}

/// The parameters of _scratch are the last ints of the function.
template <class... A>
std::function<int(std::span<const CallArgument>)> scratch_caller(int (*function)(A...)) {
  return [function](std::span<const CallArgument> arguments) {
    std::vector<CallArgument> ints;
    for (const CallArgument& a : arguments)
      if (std::holds_alternative<int>(a)) ints.push_back(a);
    const std::span<const CallArgument> last = std::span(ints).last(sizeof...(A));
    return [&]<std::size_t... k>(std::index_sequence<k...>) { return function(argument<A>(last, k)...); }
    (std::index_sequence_for<A...>{});
  };
}

const std::vector<Function>& all_functions() {
  static const std::vector<Function> functions = {
#define TEST_FUNCTION(result, name, ...) {#name, caller(name), scratch_caller(name##_scratch), name##_inplace},
#define CVL_FUNCTION(...) TEST_FUNCTION(__VA_ARGS__)
#include "cvl/classic.def"
  };
  return functions;
}

}  // namespace

const Function* find_function(const std::string& name) {
  const auto& all = all_functions();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Function& f) { return f.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace classic

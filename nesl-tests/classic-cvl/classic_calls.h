#pragma once

#include <functional>
#include <span>
#include <string>
#include <variant>

#include "cvl.h"

namespace classic {

/// A handle; a struct, because handles may be ints.
struct Handle {
  vec_p v = {};
};

/// An argument of a function of cvl.h: a handle, a number, or an array of the client.
using CallArgument = std::variant<Handle, int, double, int*, double*>;

/// A function of cvl.h with its companions, to be called with arguments that are known only at run time.
struct Function {
  std::string name;
  /// Calls the function. Returns its result as a number; 0 if it has none.
  std::function<double(std::span<const CallArgument>)> call;
  /// The number of units of scratch for a call with these arguments.
  std::function<int(std::span<const CallArgument>)> scratch;
  std::function<unsigned()> inplace;
};

/// The function with companions of this name; null if there is none.
const Function* find_function(const std::string& name);

}  // namespace classic

/// The functions of cvl.h on the operations of this library.

#include <new>

#include "classic/classic_operations.h"
#include "cvl/classic_handles.h"

namespace cvl::cpu::classic {

using vcode::Op;
using enum cvl::ElemType;

namespace {

/// Runs the computation of a function. If the data are at fault, stops the process with a message that names the
/// function.
template <class Compute>
auto run(Function function, Compute&& compute) {
  const auto settle = [&] {
    if (the_library != nullptr && the_library->faults.any()) [[unlikely]]
      stop(name_of(function), the_library->faults.take());
  };
  try {
    if constexpr (std::is_void_v<decltype(compute())>) {
      compute();
      settle();
    } else {
      const auto value = compute();
      settle();
      return value;
    }
  } catch (const std::bad_alloc&) {
    stop(name_of(function), "no room for working memory");
  }
}

}  // namespace

#include "cvl/classic_definitions.h"

}  // namespace cvl::cpu::classic

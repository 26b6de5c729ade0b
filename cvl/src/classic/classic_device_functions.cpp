/// The functions of cvl.h, computed by a backend.

#include <new>

#include "classic/classic_device_operations.h"
#include "cvl/classic_handles.h"

namespace cvl::classic {

using vcode::Op;
using enum cvl::ElemType;

namespace {

/// Runs the body of a function. Stops the process if a fault in the data of this or an earlier call is known.
template <class Compute>
auto run(Function function, Compute&& compute) {
  try {
    begin_call(function);
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
  } catch (const std::exception& failure) {  // the device is lost
    stop(name_of(function), failure.what());
  }
}

}  // namespace

#include "cvl/classic_definitions.h"

}  // namespace cvl::classic

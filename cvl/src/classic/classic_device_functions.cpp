/// The functions of cvl.h on a backend.

#include <new>

#include "classic/classic_device_operations.h"
#include "cvl/classic_handles.h"

namespace cvl::classic {

using vcode::Op;
using enum cvl::ElemType;

namespace {

/// What a function computes. Stops for what is known to be wrong with the data of this call and those before.
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
  } catch (const std::exception& failure) {  // a device that is lost
    stop(name_of(function), failure.what());
  }
}

}  // namespace

#include "cvl/classic_definitions.h"

}  // namespace cvl::classic

/// The functions of cvl.h, made from the table cvl/classic.def.

#include <new>

#include "classic/classic_operations.h"

// Parameters that only other libraries need have names in the table too.
#pragma GCC diagnostic ignored "-Wunused-parameter"

using cvl::cpu::classic::stop;
using cvl::cpu::classic::stop_for_fault;
using cvl::cpu::classic::the_library;

namespace {

/// What a function computes. Stops, in the function's name, if something is wrong with the data.
template <class Compute>
auto run(const char* name, Compute&& compute) {
  const auto settle = [&] {
    if (the_library != nullptr && the_library->faults.any()) [[unlikely]]
      stop_for_fault(name);
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
    stop(name, "no room for working memory");
  }
}

}  // namespace

namespace cvl::cpu::classic {

using vcode::Op;
using enum cvl::ElemType;

#define DEFINE_FUNCTION(type, name, parameters, ...)          \
  extern "C" type name parameters {                           \
    return run(#name, [&]() -> type { return __VA_ARGS__; }); \
  }
#define DEFINE_SCRATCH(name, shape) \
  extern "C" int name##_scratch shape { return 0; }
#define DEFINE_INPLACE(name, reuse) \
  extern "C" unsigned int name##_inplace(void) { return reuse; }

#define DEFINE_WITH_BOTH(type, name, parameters, shape, reuse, ...) \
  DEFINE_FUNCTION(type, name, parameters, __VA_ARGS__)              \
  DEFINE_SCRATCH(name, shape)                                       \
  DEFINE_INPLACE(name, reuse)
#define DEFINE_WITH_SCRATCH(type, name, parameters, shape, ...) \
  DEFINE_FUNCTION(type, name, parameters, __VA_ARGS__)          \
  DEFINE_SCRATCH(name, shape)

#define CVL_FUNCTION(...) DEFINE_WITH_BOTH(__VA_ARGS__)
#define CVL_MOVE(...) DEFINE_WITH_SCRATCH(__VA_ARGS__)
#define CVL_FACILITY(...) DEFINE_FUNCTION(__VA_ARGS__)
#include "cvl/classic.def"

}  // namespace cvl::cpu::classic

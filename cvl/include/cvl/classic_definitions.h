/// Definitions of the functions of cvl.h, made from the table cvl/classic.def. Include this header once in a library,
/// where the operations that the table names are in scope, the conversions of classic_handles.h, and run(function,
/// compute), which calls compute() for a Function (classic_values.h).

// Parameters that only other libraries need have names in the table too.
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define DEFINE_FUNCTION(type, name, parameters, ...)                   \
  extern "C" type name parameters {                                    \
    return run(Function::name, [&]() -> type { return __VA_ARGS__; }); \
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

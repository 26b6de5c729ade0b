#pragma once

#include <string>

#include "cvl.h"

namespace bench {

/// The functions of a library with the classic C interface, opened by its path.
struct ClassicApi {
#define BENCH_MEMBER(result, name, ...) decltype(::name)* name = nullptr;
#define CVL_FUNCTION(...) BENCH_MEMBER(__VA_ARGS__)
#define CVL_FACILITY(...) BENCH_MEMBER(__VA_ARGS__)
#include "cvl/classic.def"

  /// Throws std::runtime_error if there is no such library, or if it lacks a function.
  explicit ClassicApi(const std::string& path);
};

}  // namespace bench

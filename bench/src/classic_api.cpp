#include "classic_api.h"

#include <dlfcn.h>

#include <stdexcept>

namespace bench {

ClassicApi::ClassicApi(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto find = [&]<class F>(F*& function, const char* function_name) {
    function = reinterpret_cast<F*>(dlsym(library, function_name));
    if (function == nullptr) throw std::runtime_error(path + " has no function " + function_name);
  };
#define BENCH_FIND(result, name, ...) find(name, #name);
#define CVL_FUNCTION(...) BENCH_FIND(__VA_ARGS__)
#define CVL_FACILITY(...) BENCH_FIND(__VA_ARGS__)
#include "cvl/classic.def"
}

}  // namespace bench

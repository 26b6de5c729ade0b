// The separate-memory oracle as a backend library, for `vinterp --backend separate` in the tests.

#include "separate_memory.h"

extern "C" int cvl_backend_abi() { return cvl::kBackendAbi; }

extern "C" cvl::Backend* cvl_create_backend(const cvl::BackendOptions& options, std::string&) {
  return cvl::conformance::make_separate_memory(options).release();
}

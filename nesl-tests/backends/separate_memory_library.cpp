// The oracle behind the memory rules of a device, for `vinterp --backend separate` in tests.

#include "oracle.h"
#include "separate_memory.h"

extern "C" int cvl_backend_abi() { return cvl::kBackendAbi; }

extern "C" cvl::Backend* cvl_create_backend(const cvl::BackendOptions& options, std::string&) {
  return cvl::conformance::make_separate_memory(cvl::conformance::make_oracle(options)).release();
}

#include "oracle.h"

/// The oracle as a loadable backend, for comparing whole program runs.

extern "C" int cvl_backend_abi() { return cvl::kBackendAbi; }

extern "C" cvl::Backend* cvl_create_backend(const cvl::BackendOptions& options, std::string&) {
  return cvl::conformance::make_oracle(options, cvl::conformance::Addresses::kAnyHost).release();
}

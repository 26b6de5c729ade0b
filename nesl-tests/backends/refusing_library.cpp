// A library that offers itself before all others and then works nowhere, for tests of the loader.

#include "cvl/backend.h"

extern "C" int cvl_backend_abi() { return cvl::kBackendAbi; }

extern "C" int cvl_backend_preference() { return 1000; }

extern "C" cvl::Backend* cvl_create_backend(const cvl::BackendOptions&, std::string& error) {
  error = "it refuses";
  return nullptr;
}

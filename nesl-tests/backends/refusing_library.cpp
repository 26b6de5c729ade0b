// A library that is preferred to all others but works nowhere, for tests of the loader.

#include "cvl/backend.h"

extern "C" int cvl_backend_abi() { return cvl::kBackendAbi; }

extern "C" int cvl_backend_preference() { return 1000; }

extern "C" cvl::Backend* cvl_create_backend(const cvl::BackendOptions&, std::string& error) {
  error = "it refuses";
  return nullptr;
}

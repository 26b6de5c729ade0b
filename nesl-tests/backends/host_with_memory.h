#pragma once

#include <memory>

#include "cvl/backend.h"

namespace cvl::conformance {

/// The host's operations on short vectors (runtime/host_backend.h), which own no memory, with the memory of the oracle,
/// so that the conformance suite can run on them.
std::unique_ptr<Backend> make_host_with_memory(const BackendOptions& options);

}  // namespace cvl::conformance

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cvl/backend.h"

namespace cvl {

/// A backend with the library its code lives in. The library stays loaded until the process ends.
using BackendPtr = std::unique_ptr<Backend>;

/// Loads libcvl-NAME.so from the first of `directories` that has it and creates its backend. On failure
/// returns null and explains in `error`.
BackendPtr load_backend(const std::string& name, const std::vector<std::string>& directories,
                        const BackendOptions& options, std::string& error);

/// Where backend libraries are looked for: the directory of this executable and ../lib/nesl beside it.
std::vector<std::string> default_backend_directories();

}  // namespace cvl

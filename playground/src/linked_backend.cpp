// The one backend that the program contains, in place of shared libraries that are loaded by name.
#include <fmt/format.h>

#include "cvl/loader.h"

extern "C" cvl::Backend* cvl_create_backend(const cvl::BackendOptions& options, std::string& error);

namespace cvl {

namespace {

constexpr const char* kName = "cpu";

}  // namespace

BackendPtr load_backend(const std::string& name, const std::vector<std::string>&, const BackendOptions& options,
                        std::string& error) {
  if (name == kName) return BackendPtr(cvl_create_backend(options, error));
  error = fmt::format("there is no backend '{}': the playground has the backend '{}' only", name, kName);
  return nullptr;
}

std::vector<BackendPtr> load_devices(const std::string&, const std::vector<std::string>&, const BackendOptions&,
                                     const std::vector<int>&, std::string& error) {
  error = fmt::format("backend '{}' has no devices to choose among", kName);
  return {};
}

std::vector<OfferedBackend> offered_backends(const std::vector<std::string>&) { return {{kName, ""}}; }

BackendPtr load_best_backend(const std::vector<std::string>& directories, const BackendOptions& options,
                             std::string& error, std::string&) {
  return load_backend(kName, directories, options, error);
}

KernelTextFn* load_kernel_text(const std::string&, const std::vector<std::string>&, std::string& error) {
  error = "the playground has no generator of kernels";
  return nullptr;
}

std::vector<std::string> default_backend_directories() { return {}; }
std::vector<std::string> library_backend_directories() { return {}; }

}  // namespace cvl

#include "cvl/loader.h"

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cvl {

BackendPtr load_backend(const std::string& name, const std::vector<std::string>& directories,
                        const BackendOptions& options, std::string& error) {
  // A name is not a way to other folders.
  if (name.empty() || name.find('/') != std::string::npos) {
    error = fmt::format("there is no backend '{}'", name);
    return nullptr;
  }
  const std::string file = fmt::format("libcvl-{}.so", name);
  for (const std::string& directory : directories) {
    const std::string path = directory + "/" + file;
    if (access(path.c_str(), R_OK) != 0) continue;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      error = fmt::format("backend '{}' could not be loaded: {}", name, dlerror());
      return nullptr;
    }
    auto* abi = reinterpret_cast<BackendAbiFn*>(dlsym(library, "cvl_backend_abi"));
    auto* create = reinterpret_cast<CreateBackendFn*>(dlsym(library, "cvl_create_backend"));
    if (abi == nullptr || create == nullptr || abi() != kBackendAbi) {
      error = fmt::format("{} is not a vector library of this version; rebuild it", path);
      return nullptr;
    }
    return BackendPtr(create(options, error));
  }
  error = fmt::format("there is no backend '{}': {} was not found in {}", name, file, fmt::join(directories, ", "));
  return nullptr;
}

std::vector<std::string> default_backend_directories() {
  std::error_code ignored;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  return {self.string(), (self / "../lib/nesl").lexically_normal().string()};
}

}  // namespace cvl

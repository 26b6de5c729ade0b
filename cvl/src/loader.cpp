#include "cvl/loader.h"

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <new>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cvl {

namespace {

constexpr std::string_view kPrefix = "libcvl-", kSuffix = ".so";

std::string file_name(const std::string& name) { return fmt::format("{}{}{}", kPrefix, name, kSuffix); }

/// Functions that a backend library exports.
struct Library {
  CreateBackendFn* create = nullptr;
  BackendPreferenceFn* preference = nullptr;     ///< null if load_best_backend() must not choose it
  CreateOnDeviceFn* create_on_device = nullptr;  ///< null if it has no devices to choose among
  DeviceCountFn* count_devices = nullptr;        ///< null if create_on_device is
};

/// An open library with the function looked up in it; both null on failure.
struct Opened {
  void* library = nullptr;
  void* function = nullptr;
};

/// Opens `file` from the first directory that has it. `what` names the library's purpose in messages; a failure is
/// explained in `error`.
Opened open_file(const std::string& file, const std::string& what, const char* function,
                 const std::vector<std::string>& directories, std::string& error) {
  for (const std::string& directory : directories) {
    const std::string path = directory + "/" + file;
    if (access(path.c_str(), R_OK) != 0) continue;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const std::string message = dlerror();
      // The file is readable. glibc reports the failure without a cause if it had no memory for the path.
      if (message.ends_with("cannot open shared object file")) throw std::bad_alloc();
      error = fmt::format("{} could not be loaded: {}", what, message);
      return {};
    }
    auto* abi = reinterpret_cast<BackendAbiFn*>(dlsym(library, "cvl_backend_abi"));
    void* found = dlsym(library, function);
    if (abi != nullptr && found != nullptr && abi() == kBackendAbi) return {library, found};
    error = fmt::format("{} has no {} of this version; rebuild it", path, function);
    return {};
  }
  error = fmt::format("there is no {}: {} was not found in {}", what, file, fmt::join(directories, ", "));
  return {};
}

/// Opens the library of a backend; on failure `create` is null, and `error` has the reason.
Library open_library(const std::string& name, const std::vector<std::string>& directories, std::string& error) {
  const std::string what = fmt::format("backend '{}'", name);
  // A name with a slash would lead to other folders.
  if (name.empty() || name.find('/') != std::string::npos) {
    error = "there is no " + what;
    return {};
  }
  const Opened opened = open_file(file_name(name), what, "cvl_create_backend", directories, error);
  if (opened.function == nullptr) return {};
  return {reinterpret_cast<CreateBackendFn*>(opened.function),
          reinterpret_cast<BackendPreferenceFn*>(dlsym(opened.library, "cvl_backend_preference")),
          reinterpret_cast<CreateOnDeviceFn*>(dlsym(opened.library, "cvl_create_backend_on_device")),
          reinterpret_cast<DeviceCountFn*>(dlsym(opened.library, "cvl_device_count"))};
}

std::set<std::string> installed_backends(const std::vector<std::string>& directories) {
  std::set<std::string> names;
  for (const std::string& directory : directories) {
    std::error_code missing;
    const std::filesystem::directory_iterator entries(directory, missing);
    if (missing == std::errc::not_enough_memory) throw std::bad_alloc();
    for (const auto& entry : entries) {
      const std::string file = entry.path().filename().string();
      if (file.size() > kPrefix.size() + kSuffix.size() && file.starts_with(kPrefix) && file.ends_with(kSuffix))
        names.insert(file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size()));
    }
  }
  return names;
}

}  // namespace

BackendPtr load_backend(const std::string& name, const std::vector<std::string>& directories,
                        const BackendOptions& options, std::string& error) {
  const Library library = open_library(name, directories, error);
  return library.create != nullptr ? BackendPtr(library.create(options, error)) : nullptr;
}

std::vector<OfferedBackend> offered_backends(const std::vector<std::string>& directories) {
  std::vector<std::pair<int, OfferedBackend>> offered;
  for (const std::string& name : installed_backends(directories)) {
    std::string error;
    const Library library = open_library(name, directories, error);
    if (library.create == nullptr)
      offered.emplace_back(std::numeric_limits<int>::max(), OfferedBackend{name, error});
    else if (library.preference != nullptr)
      offered.emplace_back(library.preference(), OfferedBackend{name, ""});
  }
  std::stable_sort(offered.begin(), offered.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<OfferedBackend> backends;
  for (auto& [preference, backend] : offered) backends.push_back(std::move(backend));
  return backends;
}

BackendPtr load_best_backend(const std::vector<std::string>& directories, const BackendOptions& options,
                             std::string& error, std::string& note) {
  const std::vector<OfferedBackend> offered = offered_backends(directories);
  std::vector<std::string> reasons;
  for (const auto& [name, failure] : offered) {
    std::string reason = failure;
    BackendPtr backend = failure.empty() ? load_backend(name, directories, options, reason) : nullptr;
    if (backend == nullptr) {
      reasons.push_back(fmt::format("backend '{}' cannot be used: {}", name, reason));
      continue;
    }
    if (!reasons.empty())
      note = fmt::format("running on backend '{}': {}", name, fmt::join(reasons, "; "));
    else if (offered.size() == 1)
      note = fmt::format("running on backend '{}': there is no other in {}", name, fmt::join(directories, ", "));
    return backend;
  }
  error = offered.empty() ? fmt::format("there is no backend: no {} was found in {}", file_name("NAME"),
                                        fmt::join(directories, ", "))
                          : fmt::format("{}", fmt::join(reasons, "; "));
  return nullptr;
}

int count_devices(const std::string& name, const std::vector<std::string>& directories) {
  std::string ignored;
  const Library library = open_library(name, directories, ignored);
  return library.count_devices == nullptr ? 0 : library.count_devices();
}

std::vector<BackendPtr> load_devices(const std::string& name, const std::vector<std::string>& directories,
                                     const BackendOptions& options, const std::vector<int>& devices,
                                     std::string& error) {
  std::string chosen = name;
  if (name == "auto") {
    std::string ignored;
    const std::vector<OfferedBackend> offered = offered_backends(directories);
    const auto best = std::ranges::find_if(offered, [&](const OfferedBackend& backend) {
      return backend.failure.empty() && open_library(backend.name, directories, ignored).create_on_device != nullptr;
    });
    if (best == offered.end()) {
      error = fmt::format("there is no backend with devices to choose among in {}", fmt::join(directories, ", "));
      return {};
    }
    chosen = best->name;
  }
  const Library library = open_library(chosen, directories, error);
  if (library.create == nullptr) return {};
  if (library.create_on_device == nullptr) {
    error = fmt::format("backend '{}' has no devices to choose among", chosen);
    return {};
  }
  std::vector<BackendPtr> backends;
  for (const int device : devices) {
    backends.emplace_back(library.create_on_device(options, device, error));
    if (backends.back() == nullptr) return {};
  }
  return backends;
}

KernelTextFn* load_kernel_text(const std::string& device, const std::vector<std::string>& directories,
                               std::string& error) {
  return reinterpret_cast<KernelTextFn*>(
      open_file(fmt::format("lib{}-kernels.so", device), "generator of kernels", "cvl_kernel_text", directories, error)
          .function);
}

std::vector<std::string> default_backend_directories() {
  std::error_code ignored;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  return {self.string(), (self / "../lib/nesl").lexically_normal().string()};
}

std::vector<std::string> library_backend_directories() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&library_backend_directories), &info) == 0) return {};
  const std::filesystem::path folder = std::filesystem::path(info.dli_fname).parent_path();
  if (folder.empty()) return {};
  return {folder.string(), (folder / "nesl").string(), (folder / "../nesl").lexically_normal().string()};
}

}  // namespace cvl

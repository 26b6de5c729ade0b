#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cvl/backend.h"
#include "vcode/program.h"

namespace cvl {

/// A backend with the library of its code. The library stays loaded until the process ends.
using BackendPtr = std::unique_ptr<Backend>;

/// Loads libcvl-NAME.so from the first of `directories` that has it, and creates its backend. On failure
/// returns null and explains in `error`.
BackendPtr load_backend(const std::string& name, const std::vector<std::string>& directories,
                        const BackendOptions& options, std::string& error);

/// Type of an optional export, cvl_create_backend_on_device, of libraries for machines with several devices. As
/// CreateBackendFn, for the device of a number, from 0 on.
using CreateOnDeviceFn = Backend*(const BackendOptions& options, int device, std::string& error);

/// Type of an optional export, cvl_device_count, beside cvl_create_backend_on_device: the number of devices here.
using DeviceCountFn = int();
/// The number of devices that backend `name` can choose among. 0 if it has no such choice, or cannot be opened.
int count_devices(const std::string& name, const std::vector<std::string>& directories);

/// As load_backend(), but a backend for each of some devices, which are at least one and differ; options.memory_limit
/// is that of each. "auto" stands for the best of the offered backends that has devices. On failure returns nothing and
/// explains in `error`.
std::vector<BackendPtr> load_devices(const std::string& name, const std::vector<std::string>& directories,
                                     const BackendOptions& options, const std::vector<int>& devices,
                                     std::string& error);

/// A backend that users can choose by name.
struct OfferedBackend {
  std::string name;
  std::string failure;  ///< why its library cannot be opened; empty if it can
};
/// The backends whose libraries lie in `directories` and export cvl_backend_preference, best first. Includes libraries
/// that cannot be opened, since their preference is not known.
std::vector<OfferedBackend> offered_backends(const std::vector<std::string>& directories);

/// Loads the best of the offered backends that works here. On failure returns null and explains in `error`. `note` says
/// why better ones do not work, or that there is no choice; it is empty if the best one works.
BackendPtr load_best_backend(const std::vector<std::string>& directories, const BackendOptions& options,
                             std::string& error, std::string& note);

/// Type of the function that a library exports under the name cvl_kernel_text, beside cvl_backend_abi, to write the
/// kernels of a program as text for a device. The device itself is not needed.
using KernelTextFn = std::string(const vcode::Program& program, vcode::Widths widths);
/// Loads libDEVICE-kernels.so from the first of `directories` that has it. On failure returns null and explains in
/// `error`.
KernelTextFn* load_kernel_text(const std::string& device, const std::vector<std::string>& directories,
                               std::string& error);

/// The directories of backend libraries: the directory of this executable and ../lib/nesl beside it.
std::vector<std::string> default_backend_directories();

/// The directories of backend libraries for a library that other programs load, and that contains this code: its own
/// directory, and nesl below and beside that. Empty if the code is part of a program that was started without a path.
std::vector<std::string> library_backend_directories();

}  // namespace cvl

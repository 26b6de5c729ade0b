// query_device MAJOR.MINOR: prints the driver and the devices of this machine, or what a program of this version of
// CUDA lacks: a driver, a later driver, or a device. Opens the driver's library by name, so that it starts on every
// machine.

#include <dlfcn.h>

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

// Declarations of cuda.h, which is not needed to build this program.
using Status = int;  // 0: success
constexpr Status kNoDevice = 100;
constexpr int kMajor = 75, kMinor = 76, kMultiprocessors = 16;  // attributes of a device
struct Driver {
  Status (*cuInit)(unsigned) = nullptr;
  Status (*cuDriverGetVersion)(int*) = nullptr;
  Status (*cuDeviceGetCount)(int*) = nullptr;
  Status (*cuDeviceGetName)(char*, int, int device) = nullptr;
  Status (*cuDeviceGetAttribute)(int*, int attribute, int device) = nullptr;
  Status (*cuDeviceTotalMem_v2)(std::size_t*, int device) = nullptr;
  Status (*cuGetErrorString)(Status, const char**) = nullptr;
};

/// Opens the driver's library. Returns the missing requirement, or an empty string.
std::string open_driver(Driver& driver) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fmt::format("there is no NVIDIA driver on this machine: {}", dlerror());
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) missing = fmt::format("libcuda.so.1 is no driver's library: it has no {}", name);
  };
  find(driver.cuInit, "cuInit");
  find(driver.cuDriverGetVersion, "cuDriverGetVersion");
  find(driver.cuDeviceGetCount, "cuDeviceGetCount");
  find(driver.cuDeviceGetName, "cuDeviceGetName");
  find(driver.cuDeviceGetAttribute, "cuDeviceGetAttribute");
  find(driver.cuDeviceTotalMem_v2, "cuDeviceTotalMem_v2");
  find(driver.cuGetErrorString, "cuGetErrorString");
  return missing;
}

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string words_for(const Driver& driver, Status status) {
  const char* text = nullptr;
  if (driver.cuGetErrorString(status, &text) != 0 || text == nullptr) return fmt::format("error {}", status);
  return text;
}

/// Prints the driver and the devices, or returns the missing requirement.
std::string query(int needed) {
  Driver driver;
  if (std::string missing = open_driver(driver); !missing.empty()) return missing;
  int version = 0, devices = 0;
  if (const Status status = driver.cuDriverGetVersion(&version); status != 0)
    return "the driver does not tell its version: " + words_for(driver, status);
  if (version / 1000 < needed / 1000)
    return fmt::format("the driver is too old: it supports CUDA {}, and CUDA {} is needed", version_text(version),
                       version_text(needed));
  if (const Status status = driver.cuInit(0); status != 0 && status != kNoDevice)
    return "the driver cannot be used: " + words_for(driver, status);
  else if (status == kNoDevice || driver.cuDeviceGetCount(&devices) != 0 || devices == 0)
    return fmt::format("there is no CUDA device (the driver supports CUDA {})", version_text(version));
  for (int device = 0; device < devices; ++device) {
    char name[256] = "";
    int major = 0, minor = 0, multiprocessors = 0;
    std::size_t bytes = 0;
    if (driver.cuDeviceGetName(name, sizeof name, device) != 0 ||
        driver.cuDeviceGetAttribute(&major, kMajor, device) != 0 ||
        driver.cuDeviceGetAttribute(&minor, kMinor, device) != 0 ||
        driver.cuDeviceGetAttribute(&multiprocessors, kMultiprocessors, device) != 0 ||
        driver.cuDeviceTotalMem_v2(&bytes, device) != 0)
      return fmt::format("the driver cannot describe device {}", device);
    fmt::print("{}, compute capability {}.{}, {} multiprocessors, {} MiB, driver for CUDA {}\n", name, major, minor,
               multiprocessors, bytes >> 20, version_text(version));
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  int major = 0, minor = 0;
  if (argc != 2 || std::sscanf(argv[1], "%d.%d", &major, &minor) != 2) {
    std::fputs("usage: query_device MAJOR.MINOR\n", stderr);
    return 2;
  }
  const std::string missing = query(1000 * major + 10 * minor);
  if (missing.empty()) return 0;
  fmt::print("{}\n", missing);
  return 1;
}

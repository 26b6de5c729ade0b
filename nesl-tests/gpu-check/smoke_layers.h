#pragma once

#include <memory>
#include <span>
#include <string>

#include "result_checks.h"

namespace device_check {

/// State of the smoke test.
struct Smoke {
  std::string backend;                              ///< name of the library
  std::string kernels;                              ///< folder of compiled kernels; empty: none are kept
  std::string folder;                               ///< folder of the programs of smoke/
  std::unique_ptr<cvl::Backend> library = nullptr;  ///< made by the first layer
};

/// A part of a vector library on which later layers are built. Results are compared on the host, so that only this
/// layer and earlier ones can cause a difference.
struct SmokeLayer {
  const char* name;
  Finding (*check)(Smoke& smoke);
};

/// All layers, from the ground up.
std::span<const SmokeLayer> smoke_layers();

}  // namespace device_check

#pragma once

#include <memory>
#include <span>
#include <string>

#include "result_checks.h"

namespace device_check {

/// What the smoke test works with.
struct Smoke {
  std::string backend;                              ///< name of the library
  std::string kernels;                              ///< folder with compiled kernels; empty: none are kept
  std::string folder;                               ///< folder with the programs of smoke/
  std::unique_ptr<cvl::Backend> library = nullptr;  ///< made by the first layer
};

/// A part of a vector library that those behind it are built on. Results are compared on the host, so that only what is
/// checked, and what was checked before, can be the cause.
struct SmokeLayer {
  const char* name;
  Finding (*check)(Smoke& smoke);
};

/// From the ground up.
std::span<const SmokeLayer> smoke_layers();

}  // namespace device_check

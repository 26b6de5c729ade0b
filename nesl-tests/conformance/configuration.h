#pragma once

#include <memory>
#include <string>

#include "cvl/backend.h"
#include "random_data.h"
#include "subjects.h"

namespace cvl::conformance {

/// The backend and options under test, from the command line.
struct Configuration {
  std::string backend;
  std::string directory;  ///< folder of the backend's library; empty: the folder of this program
  BackendOptions options;
  std::string simd, native;  ///< storage for options.simd and options.native
  std::uint64_t seed = 1;
  /// Sample of kernels: of each `every` kernels, number `which` is taken. Some libraries take long to compile a kernel.
  int every = 1, which = 0;

  /// A new backend of the chosen kind; null, with a reason in `error`, on failure.
  std::unique_ptr<Backend> create(const BackendOptions& with, std::string& error) const;
  /// A new backend of the chosen kind; throws on failure.
  std::unique_ptr<Backend> create(const BackendOptions& with) const;
  /// Whether the chosen backend supports a call: the host's operations only take short vectors.
  bool suits(const Call& call) const;
  /// Whether sums of floats have the grouping of fold_order.h, as on all processors.
  bool groups_by_segments() const { return !backend.starts_with("cuda"); }
  Sizes sizes(Sizes all) const;
  Rng rng(const std::string& test) const;
};

/// The configuration of this run; set once, by main, before the tests.
Configuration& configuration();

}  // namespace cvl::conformance

#pragma once

#include <memory>
#include <string>

#include "cvl/backend.h"
#include "random_data.h"
#include "subjects.h"

namespace cvl::conformance {

/// What the command line chose to test.
struct Configuration {
  std::string backend;
  std::string directory;  ///< where its library is; empty: beside this program
  BackendOptions options;
  std::string simd, native;  ///< keep what options.simd and options.native point to
  std::uint64_t seed = 1;
  /// Takes one of so many kernels, as some libraries compile each of them for long: the one with this number of each so
  /// many.
  int every = 1, which = 0;

  /// A new backend of the chosen kind; null, with a reason, if there is none.
  std::unique_ptr<Backend> create(const BackendOptions& with, std::string& error) const;
  /// The same; throws if there is none.
  std::unique_ptr<Backend> create(const BackendOptions& with) const;
  /// What the chosen backend is made for: anything, but for the host's short vectors.
  bool suits(const Call& call) const;
  /// Whether sums of floats have the grouping of fold_order.h, as on all processors.
  bool groups_by_segments() const { return !backend.starts_with("cuda"); }
  Sizes sizes(Sizes all) const;
  Rng rng(const std::string& test) const;
};

/// The configuration of this run; set once, by main, before the tests.
Configuration& configuration();

}  // namespace cvl::conformance

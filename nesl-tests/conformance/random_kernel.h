#pragma once

#include <string>
#include <vector>

#include "host_vector.h"
#include "random_data.h"
#include "vcode/kernel.h"
#include "vcode/program.h"

namespace cvl::conformance {

/// An input of a kernel: a vector, or a descriptor with these segment lengths.
struct KernelInput {
  bool is_descriptor = false;
  HostVector vector = {};
  std::vector<std::int64_t> lengths = {};
};

/// A kernel with data for it.
struct KernelCase {
  std::string title;
  vcode::Kernel kernel;
  std::vector<vcode::Constant> constants = {};
  std::vector<KernelInput> inputs = {};
};

/// A well-formed kernel of any steps that the rules allow, with data whose results do not depend on the order of
/// association. Some data are at fault.
KernelCase random_kernel(std::int64_t elements, vcode::Widths widths, Rng& rng);

}  // namespace cvl::conformance

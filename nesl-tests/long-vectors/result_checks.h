#pragma once

#include <functional>
#include <span>
#include <string>

#include "device_vectors.h"

namespace device_check {

/// Size and repetitions of a check.
struct Extent {
  std::int64_t elements = 0;
  ElemType ints = ElemType::kI32;  ///< the INTs that can count `elements`
  int repetitions = 1;             ///< runs that must give the same bits
};

/// A description of an error; empty if there is none. Checks throw NoMemory if the memory does not suffice for the
/// extent.
using Finding = std::string;

struct ResultCheck {
  const char* name;
  Finding (*check)(DeviceVectors& v, const Extent& extent);
};

/// Checks of operations on vectors of any length, whose results are compared on the device with those of other
/// operations or with a closed form.
std::span<const ResultCheck> result_checks();

/// Checks that of faults in all elements the first one is reported, and that the library goes on. `note` gets the
/// times.
Finding whole_vector_faults(cvl::Backend& backend, const Extent& extent, std::string& note);
/// Checks that 10^4 operations can be issued without a read, and that a fault among as many is found, with its site.
Finding issues_without_a_read(cvl::Backend& backend);
/// Checks operations with a little more memory each time, from only that of operands and result until they succeed.
/// They must report kOutOfMemory before that, and give the right result when there is enough memory. `create` makes the
/// library with a limit in bytes.
Finding memory_exhausted(const std::function<std::unique_ptr<cvl::Backend>(std::size_t)>& create, std::string& note);

}  // namespace device_check

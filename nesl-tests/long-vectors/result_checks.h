#pragma once

#include <functional>
#include <span>
#include <string>

#include "device_vectors.h"

namespace device_check {

/// How much a check works with.
struct Extent {
  std::int64_t elements = 0;
  ElemType ints = ElemType::kI32;  ///< the INTs that can count so many
  int repetitions = 1;             ///< of what must give the same bits every time
};

/// What is wrong; empty if nothing is. Throws NoMemory if the memory does not suffice for the extent.
using Finding = std::string;

struct ResultCheck {
  const char* name;
  Finding (*check)(DeviceVectors& v, const Extent& extent);
};

/// Results of operations on vectors of any length, compared on the device with what other operations give, or with a
/// closed form.
std::span<const ResultCheck> result_checks();

/// Faults of all elements: the first one is reported, and the library goes on. The time that each takes is in `note`.
Finding whole_vector_faults(cvl::Backend& backend, const Extent& extent, std::string& note);
/// 10^4 operations are issued without a read, and a fault among as many is found, with its site.
Finding issues_without_a_read(cvl::Backend& backend);
/// Operations have a little more memory each time, from none but for operands and result until they succeed. They
/// report kOutOfMemory before, and give the right result when there is memory again. `create` makes the library with a
/// limit in bytes.
Finding memory_exhausted(const std::function<std::unique_ptr<cvl::Backend>(std::size_t)>& create, std::string& note);

}  // namespace device_check

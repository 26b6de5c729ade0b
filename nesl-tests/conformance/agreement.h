#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host_vector.h"

namespace cvl::conformance {

/// How close a result must be to the expected one. Where the expected element is NaN, any NaN will do.
struct Agreement {
  enum class Kind {
    kBits,   ///< the same bits
    kValue,  ///< equal; zeros of either sign are equal
    kBound,  ///< element k differs by at most bounds[k]; infinities must match
  };
  Kind kind = Kind::kBits;
  std::vector<double> bounds = {};
};

/// Describes the first element at which `actual` is not as close to `expected` as it should be.
std::optional<std::string> first_difference(const HostVector& expected, const HostVector& actual,
                                            const Agreement& agreement);

bool same_bytes(const HostVector& a, const HostVector& b);

/// One element as text, floats with all their digits and bits.
std::string element_text(const HostVector& vector, std::int64_t e);

}  // namespace cvl::conformance

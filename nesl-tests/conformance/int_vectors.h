#pragma once

#include <cstdint>
#include <vector>

#include "call.h"

namespace cvl::conformance {

/// The argument of Backend::set_site() before operations that may fault.
inline constexpr std::uint32_t kSite = 23;

/// Element e of an INT vector of either width.
inline void set_int(HostVector& vector, std::int64_t e, std::int64_t value) {
  if (vector.type == ElemType::kI64)
    vector.as<std::int64_t>()[e] = value;
  else
    vector.as<std::int32_t>()[e] = static_cast<std::int32_t>(value);
}

inline HostVector int_vector(ElemType type, const std::vector<std::int64_t>& values) {
  HostVector vector(type, static_cast<std::int64_t>(values.size()));
  for (std::size_t e = 0; e < values.size(); ++e) set_int(vector, static_cast<std::int64_t>(e), values[e]);
  return vector;
}

/// Positions for an error: the first, a middle and the last element that counts.
inline std::vector<std::int64_t> interesting_places(const HostVector* flags, std::int64_t length) {
  std::vector<std::int64_t> used;
  for (std::int64_t e = 0; e < length; ++e)
    if (flags == nullptr || flags->as<bool>()[e]) used.push_back(e);
  if (used.empty()) return {};
  return {used.front(), used[used.size() / 2], used.back()};
}

inline std::vector<std::int64_t> ints_of(const HostVector& vector) {
  std::vector<std::int64_t> values;
  for (std::int64_t e = 0; e < vector.length; ++e)
    values.push_back(vector.type == ElemType::kI64 ? vector.as<std::int64_t>()[e] : vector.as<std::int32_t>()[e]);
  return values;
}

}  // namespace cvl::conformance

#pragma once

#include <cstdint>
#include <cstring>

#include "cvl/backend.h"

/// Access to single elements of vectors of any type.
namespace cvl::conformance {

// By memcpy, because a result may share memory with an operand of another type.
template <class T>
T load(const Operand& operand, std::int64_t e) {
  T value;
  std::memcpy(&value, static_cast<const char*>(operand.data) + e * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store(const Result& result, std::int64_t e, T value) {
  std::memcpy(static_cast<char*>(result.data) + e * sizeof(T), &value, sizeof(T));
}

/// Element e of an INT vector of either width.
inline std::int64_t load_int(const Operand& operand, std::int64_t e) {
  return operand.type == ElemType::kI64 ? load<std::int64_t>(operand, e) : load<std::int32_t>(operand, e);
}

inline void store_int(const Result& result, std::int64_t e, std::int64_t value) {
  if (result.type == ElemType::kI64)
    store<std::int64_t>(result, e, value);
  else
    store<std::int32_t>(result, e, static_cast<std::int32_t>(value));
}

/// Copies one element of any type.
inline void copy_element(const Result& to, std::int64_t e, const Operand& from, std::int64_t f) {
  switch (elem_size(to.type)) {
    case 1:
      return store(to, e, load<std::uint8_t>(from, f));
    case 4:
      return store(to, e, load<std::uint32_t>(from, f));
    default:
      return store(to, e, load<std::uint64_t>(from, f));
  }
}
inline void zero_element(const Result& to, std::int64_t e) {
  constexpr std::uint64_t kZero = 0;
  copy_element(to, e, {to.type, 1, &kZero}, 0);
}

}  // namespace cvl::conformance

#include "agreement.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "visit_type.h"

namespace cvl::conformance {

namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

template <class T>
bool close_enough(T expected, T actual, const Agreement& agreement, std::size_t e) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(expected)) return std::isnan(actual);
    if (std::isnan(actual)) return false;
    switch (agreement.kind) {
      case Agreement::Kind::kBits:
        return std::bit_cast<Bits<T>>(expected) == std::bit_cast<Bits<T>>(actual);
      case Agreement::Kind::kValue:
        return expected == actual;
      case Agreement::Kind::kBound:
        if (std::isinf(expected) || std::isinf(actual)) return expected == actual;
        return std::fabs(double(expected) - double(actual)) <= agreement.bounds[e];
    }
    return false;
  } else {
    return expected == actual;
  }
}

}  // namespace

bool same_bytes(const HostVector& a, const HostVector& b) {
  // memcmp on an empty vector would be handed a null pointer.
  return a.bytes.size() == b.bytes.size() &&
         (a.bytes.empty() || std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0);
}

std::string element_text(const HostVector& vector, std::int64_t e) {
  std::string text;
  visit_type(vector.type, [&]<class T>() {
    T v = vector.as<T>()[e];
    if constexpr (std::is_floating_point_v<T>)
      text = fmt::format("{} (bits {:x})", v, static_cast<std::make_unsigned_t<Bits<T>>>(std::bit_cast<Bits<T>>(v)));
    else
      text = fmt::format("{}", v);
  });
  return text;
}

std::optional<std::string> first_difference(const HostVector& expected, const HostVector& actual,
                                            const Agreement& agreement) {
  if (expected.type != actual.type || expected.length != actual.length) return "type or length differs";
  if (same_bytes(expected, actual)) return std::nullopt;
  std::optional<std::string> difference;
  visit_type(expected.type, [&]<class T>() {
    for (std::size_t e = 0; e < expected.as<T>().size(); ++e) {
      if constexpr (std::is_same_v<T, bool>) {
        auto byte = static_cast<unsigned>(actual.bytes[e]);
        if (byte > 1) {
          difference = fmt::format("element {} is a BOOL with the byte {}", e, byte);
          return;
        }
      }
      if (close_enough<T>(expected.as<T>()[e], actual.as<T>()[e], agreement, e)) continue;
      difference = fmt::format("element {} of {}: expected {}, got {}", e, expected.length, element_text(expected, e),
                               element_text(actual, e));
      if (agreement.kind == Agreement::Kind::kBound) *difference += fmt::format(", allowed {}", agreement.bounds[e]);
      return;
    }
  });
  return difference;
}

}  // namespace cvl::conformance

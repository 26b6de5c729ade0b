#pragma once

#include <cstdint>

#include "host_vector.h"
#include "vcode/op.h"

namespace cvl::conformance {

/// A small reproducible generator, with the same numbers for a seed on every platform: splitmix64 of Steele, Lea and
/// Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014), with the constants of Vigna's splitmix64.c
/// (2015).
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// A number in [0, n).
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>((static_cast<unsigned __int128>(next()) * static_cast<std::uint64_t>(n)) >> 64);
  }
  bool chance(double p) { return unit() < p; }
  /// A number in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// Values of all kinds that the type has: extremes, zeros of both signs, infinities and NaN included.
HostVector any_values(vcode::ElemType type, std::int64_t length, Rng& rng);

/// Floats whose sums in any order of association differ by rounding only: no infinities, no NaN, similar
/// magnitudes. Other types: any_values.
HostVector moderate_values(vcode::ElemType type, std::int64_t length, Rng& rng);

/// Values for which a scan or reduction does not depend on the order of association, overflow apart, and in whose
/// results a lost or repeated element shows.
HostVector associative_values(vcode::Monoid monoid, vcode::ElemType type, std::int64_t length, Rng& rng);

/// Flags that are true with probability p.
HostVector random_flags(std::int64_t length, double p, Rng& rng);

/// Keys with many repetitions (`distinct` different ones), zeros of both signs and, if `specials`, NaN and
/// infinities among them.
HostVector random_keys(vcode::ElemType type, std::int64_t length, std::int64_t distinct, bool specials, Rng& rng);

/// Elements for tests of limits: small numbers, extremes of every width, halves, NaN, …
HostVector special_values(vcode::ElemType type);

}  // namespace cvl::conformance

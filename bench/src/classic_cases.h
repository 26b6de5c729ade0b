#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "classic_api.h"
#include "cvl/backend.h"

namespace bench {

/// Vectors of n elements in the heap of a classic library. A backend uses the same addresses.
struct ClassicVectors {
  ClassicVectors(const ClassicApi& library, int n);
  ~ClassicVectors();
  ClassicVectors(const ClassicVectors&) = delete;
  ClassicVectors& operator=(const ClassicVectors&) = delete;

  const ClassicApi& api;
  int n;
  vec_p heap;
  vec_p ints, more_ints, int_result;           ///< ints from 1 to 1000
  vec_p doubles, more_doubles, double_result;  ///< from 0 to 1
  vec_p flags, flag_result;                    ///< about half of them true
  vec_p places;                                ///< a permutation
  vec_p values, results;                       ///< one int for each segment
  vec_p descriptor;
  vec_p scratch;
  int kept = 0;      ///< number of true flags
  int segments = 1;  ///< number of segments, of about ten elements each
  cvl::SegmentDescriptor segment_descriptor;

 private:
  vec_p take(int units);
  vec_p ints_below(int bound);
  vec_p doubles_below_one();
  int taken_ = 0;
  std::uint64_t random_ = 1;
};

/// A call of a classic library, and the same operation on a backend.
struct ClassicCase {
  std::string_view name;
  void (*classic)(const ClassicVectors& v);
  void (*backend)(cvl::Backend& backend, const ClassicVectors& v);  ///< null if backends have no such operation
  double bytes;  ///< per element: bytes that an operation with one-byte booleans must move
};

std::span<const ClassicCase> classic_cases();

}  // namespace bench

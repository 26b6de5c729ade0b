#pragma once

#include "base/device_faults.h"
#include "executor/executor.h"
#include "operations/device_segments.h"

namespace cvl::cuda {

/// An element as it was read. A fault is reported when the element is stored, so that it does not hold up other loads.
template <class T>
struct Found {
  T element;
  bool in_range;
};

// Vectors are pointers, or whatever else is indexed by elements: the steps of a line (lines/run_line.cpp) do not know
// their types when they are compiled.

/// BPERMUTE and BFPERMUTE of one element.
template <class T, class Source, class Indices, class To, Starts starts>
struct Gathering {
  Source source;
  Indices indices;
  const bool* flags;  ///< or null
  To to;
  Segments from;
  Faults faults;

  CVL_DEVICE Found<T> find(std::int64_t e, std::int64_t k) const {
    if (flags != nullptr && !flags[e]) return {T(0), true};
    const std::int64_t i = indices[e];
    const bool in_range = i >= 0 && i < from.length<starts>(k);
    return {in_range ? source[from.start<starts>(k) + i] : T(0), in_range};
  }
  CVL_DEVICE void put(std::int64_t e, std::int64_t k, const Found<T>& found) const {
    // Even if the result takes the place of the indices, indices[e] is intact until to[e] is written.
    if (!found.in_range) faults.report(FaultKind::kIndexRange, e, indices[e], from.length<starts>(k));
    to[e] = found.element;
  }
};

/// EXTRACT of one segment.
template <class T, class Source, class Indices, class To, Starts starts>
struct Extracting {
  Source source;
  Indices indices;
  To to;
  Segments segments;
  Faults faults;

  CVL_DEVICE Found<T> find(std::int64_t k) const {
    const std::int64_t at = indices[k];
    const bool in_range = at >= 0 && at < segments.length<starts>(k);
    return {in_range ? source[segments.start<starts>(k) + at] : T(0), in_range};
  }
  CVL_DEVICE void put(std::int64_t k, const Found<T>& found) const {
    if (!found.in_range) faults.report(FaultKind::kIndexRange, k, indices[k], segments.length<starts>(k));
    to[k] = found.element;
  }
};

}  // namespace cvl::cuda

#pragma once

#include "base/device_faults.h"
#include "executor/executor.h"
#include "operations/bit_plan.h"
#include "operations/device_segments.h"
#include "vcode/arith.h"

namespace cvl::cuda {

// Operations that read each element of the result at an index of a source.

/// An element that was read. A fault is reported when the element is stored, so that reports do not delay other loads.
template <class T>
struct Found {
  T element;
  bool in_range;
};

// Vectors are pointers, or other types that are indexed by elements: the types of the steps of a batch
// (batches/run_batch.cpp) are not known when these steps are compiled.

/// BPERMUTE and BFPERMUTE of one element.
template <class T, class Source, class Indices, class To, Starts starts>
struct Gathering {
  Source source;
  Indices indices;
  const bool* flags;  ///< null if unmasked
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
    // In place over the indices, indices[e] is still intact here.
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

/// SLICE of one element.
template <class T, class Source, class Firsts, class To, Starts starts>
struct Slicing {
  Source source;
  std::int64_t source_length;
  Firsts firsts;
  To to;
  Segments segments;
  Faults faults;

  CVL_DEVICE std::int64_t position(std::int64_t e, std::int64_t k) const {
    return firsts[k] + (e - segments.start<starts>(k));
  }
  CVL_DEVICE Found<T> find(std::int64_t e, std::int64_t k) const {
    const std::int64_t from = position(e, k);
    const bool in_range = from >= 0 && from < source_length;
    return {in_range ? source[from] : T(0), in_range};
  }
  CVL_DEVICE void put(std::int64_t e, std::int64_t k, const Found<T>& found) const {
    if (!found.in_range) faults.report(FaultKind::kIndexRange, e, position(e, k), source_length);
    to[e] = found.element;
  }
};

/// Where an element of a join comes from: an index into one of its parts.
struct PartPlace {
  int part;
  std::int64_t index;
};

/// The descriptors of the parts of a join, and of its result. Their forms are tested at run time: template arguments
/// for so many descriptors would multiply the number of kernels.
template <int n>
struct Joined {
  static constexpr int kParts = n;
  static constexpr Starts kForm = Starts::kAny;

  Segments of[n], to;

  CVL_DEVICE void check_length(std::int64_t k, std::int64_t length, const Faults& faults) const {
    const std::int64_t room = to.length<kForm>(k);
    if (length != room) faults.report(FaultKind::kLengthMismatch, k, length, room);
  }
};

struct Appending : Joined<3> {
  /// True if length() and source() are defined.
  VC_HD bool fits() const { return true; }
  VC_HD std::int64_t length(std::int64_t k) const {
    return of[0].length<kForm>(k) + of[1].length<kForm>(k) + of[2].length<kForm>(k);
  }
  /// The source of element e of the result, in segment k.
  VC_HD PartPlace source(std::int64_t e, std::int64_t k) const {
    const std::int64_t j = e - to.start<kForm>(k), in_a = of[0].length<kForm>(k);
    if (j < in_a) return {0, of[0].start<kForm>(k) + j};
    const std::int64_t up_to_c = in_a + of[1].length<kForm>(k);
    if (j < up_to_c) return {1, of[1].start<kForm>(k) + j - in_a};
    return {2, of[2].start<kForm>(k) + j - up_to_c};
  }
  /// Reports a fault if `length`, that of the joined segment k, differs from the length of segment k of the result.
  CVL_DEVICE void check(std::int64_t k, std::int64_t length, const Faults& faults) const {
    check_length(k, length, faults);
  }
};

struct Merging : Joined<2> {
  KeptPositions chosen;  ///< flags of the segments that are taken from the first part

  VC_HD std::int64_t count() const { return chosen.bases[tiles_of(to.segments)]; }
  VC_HD bool fits() const { return count() == of[0].segments; }
  VC_HD std::int64_t length(std::int64_t k) const {
    const std::int64_t up_to_here = chosen.count_to(k);
    return chosen.is_kept(k) ? of[0].length<kForm>(up_to_here - 1) : of[1].length<kForm>(k - up_to_here);
  }
  VC_HD PartPlace source(std::int64_t e, std::int64_t k) const {
    const std::int64_t j = e - to.start<kForm>(k), up_to_here = chosen.count_to(k);
    if (chosen.is_kept(k)) return {0, of[0].start<kForm>(up_to_here - 1) + j};
    return {1, of[1].start<kForm>(k - up_to_here) + j};
  }
  /// Flags that do not choose as many segments as the first part has are reported as the only fault.
  CVL_DEVICE void check(std::int64_t k, std::int64_t length, const Faults& faults) const {
    if (fits()) return check_length(k, length, faults);
    if (k == 0) faults.report(FaultKind::kFlagCount, 0, count(), of[0].segments);
  }
};

/// The vectors of the parts of a join.
template <class Vector, int n>
struct PartVectors {
  Vector of[n];
};

/// An element of the result of a join, which has as many elements as its parts together. It is 0 where lengths
/// disagree; the parts are not read out of range.
template <class T, class Work, class Vector>
CVL_DEVICE T joined_element(const Work& work, const PartVectors<Vector, Work::kParts>& parts, std::int64_t e,
                            std::int64_t k) {
  if (!work.fits()) return T(0);
  const PartPlace from = work.source(e, k);
  const auto read = [&](int p) {
    return from.index >= 0 && from.index < work.of[p].elements ? parts.of[p][from.index] : T(0);
  };
  // Arrays with variable indices would be copied to memory.
  if constexpr (Work::kParts == 3)
    if (from.part == 2) return read(2);
  return from.part == 1 ? read(1) : read(0);
}

}  // namespace cvl::cuda

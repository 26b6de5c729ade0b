#pragma once

#include "base/atomics.h"
#include "base/device_faults.h"
#include "executor/blocks.h"
#include "operations/device_segments.h"
#include "vcode/arith.h"

namespace cvl::cuda {

// Operations of one element of scatters and of REPLACE. Vectors are pointers, or other types that are indexed by
// elements: the types of the steps of a batch (batches/run_batch.cpp) are not known when these steps are compiled.

/// The targets of the elements of a scatter.
template <class Indices>
struct Targets {
  Indices indices;
  const bool* flags;  ///< null if unmasked
  Segments from, to;

  static constexpr std::int64_t kNone = -1, kOutOfRange = -2;

  /// The target of element e of segment k, in the whole result; kNone if masked out, or kOutOfRange.
  template <Starts starts>
  VC_HD std::int64_t of(std::int64_t e, std::int64_t k) const {
    if (flags != nullptr && !flags[e]) return kNone;
    const std::int64_t i = indices[e];
    return i >= 0 && i < to.length<starts>(k) ? to.start<starts>(k) + i : kOutOfRange;
  }
  /// The same with the segment and the forms found at run time, where speed does not matter.
  VC_HD std::int64_t of(std::int64_t e) const { return of<Starts::kAny>(e, from.of(e)); }

  template <Starts starts>
  CVL_DEVICE void report(std::int64_t e, std::int64_t k, const Faults& faults) const {
    faults.report(FaultKind::kIndexRange, e, indices[e], to.length<starts>(k));
  }
};

/// An element and its target.
template <class T>
struct Moved {
  std::int64_t position;
  T element;
};

VC_HD inline std::uint64_t hash_of(std::int64_t position) {
  // The finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014), with Vigna's constants (splitmix64.c, 2015).
  std::uint64_t x = (static_cast<std::uint64_t>(position) + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

struct Sum {
  VC_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

/// Shared memory of a block that searches for elements with the same target.
struct Suspicion {
  std::uint64_t sum;
  std::uint32_t is_found;
};

/// A scatter without defaults. If there are as many elements as targets, the hashes of the targets written are compared
/// with the hashes of all targets, which needs no memory; otherwise a bit for each target tells whether it is written
/// twice. The targets are taken as distinct if the results of put() sum to 0; only otherwise are two elements with the
/// same target searched for.
template <class T, class Source, class Indices, class To>
struct ScatterOnce {
  Targets<Indices> targets;
  Source source;
  To to;
  std::uint32_t* written;  ///< a bit for each target; null if all targets are to be written
  std::uint32_t* marks;    ///< as many words for the search after a fault; may alias the result
  std::int64_t n, positions;
  Faults faults;

  VC_HD std::int64_t words() const { return (positions + 31) / 32; }

  template <Starts starts>
  CVL_DEVICE Moved<T> find(std::int64_t e, std::int64_t k) const {
    const std::int64_t position = targets.template of<starts>(e, k);
    return {position, position >= 0 ? source[e] : T(0)};
  }
  template <Starts starts>
  CVL_DEVICE std::uint64_t put(std::int64_t e, std::int64_t k, const Moved<T>& moved) const {
    if (moved.position == targets.kOutOfRange) targets.template report<starts>(e, k, faults);
    if (moved.position < 0) return written != nullptr ? 0 : 1;
    store_racing(to + moved.position, moved.element);
    if (written == nullptr) return hash_of(moved.position) - hash_of(e);
    const std::uint32_t bit = std::uint32_t{1} << (moved.position % 32);
    return (atomic_or(written + moved.position / 32, bit) & bit) != 0 ? 1 : 0;
  }
  CVL_DEVICE void clear(std::int64_t k) const {
    if (k < words()) written[k] = 0;
    if (k < positions) to[k] = T(0);
  }

  /// Reports the first element that has the target of an earlier element, if `sum`, the sum of the results of put(), is
  /// not 0. Only the leader's `sum` is used.
  template <class AnyBlock>
  CVL_DEVICE void check(const AnyBlock& block, std::uint64_t sum, Suspicion& shared) const {
    if (block.leads()) shared.sum = sum;
    block.sync();
    if (shared.sum != 0) report_second_writer(block, shared);
  }

 private:
  /// Runs in one block, over groups of elements: after a fault speed does not matter.
  template <class AnyBlock>
  CVL_DEVICE void report_second_writer(const AnyBlock& block, Suspicion& shared) const {
    constexpr std::int64_t kTogether = 1024;
    block.for_each(words(), [&](std::int64_t w) { marks[w] = 0; });
    if (block.leads()) shared.is_found = 0;
    block.sync();
    for (std::int64_t begin = 0; begin < n; begin += kTogether) {
      const std::int64_t count = n - begin < kTogether ? n - begin : kTogether;
      block.for_each(count, [&](std::int64_t k) {
        const std::int64_t position = targets.of(begin + k);
        if (position >= 0 && (load_relaxed(marks + position / 32) >> (position % 32) & 1) != 0) report(begin + k);
      });
      block.for_each(count, [&](std::int64_t k) {
        const std::int64_t position = targets.of(begin + k);
        if (position < 0) return;
        const std::uint32_t bit = std::uint32_t{1} << (position % 32);
        if ((atomic_or(marks + position / 32, bit) & bit) != 0) store_racing(&shared.is_found, 1u);
      });
      if (shared.is_found == 0) continue;
      block.for_each(count, [&](std::int64_t k) {
        const std::int64_t position = targets.of(begin + k);
        for (std::int64_t j = 0; position >= 0 && j < k; ++j)
          if (targets.of(begin + j) == position) return report(begin + k);
      });
      return;
    }
  }
  CVL_DEVICE void report(std::int64_t e) const { faults.report(FaultKind::kDuplicateTarget, e, targets.indices[e]); }
};

/// A scatter over defaults: the last of several writes to a target wins. W holds numbers of elements.
template <class Indices, class W>
struct ScatterLast {
  Targets<Indices> targets;
  W* last;  ///< number of the writer of each target, counted from 1; 0: none
  Faults faults;

  template <Starts starts>
  CVL_DEVICE void claim(std::int64_t e, std::int64_t k, std::int64_t position) const {
    if (position == targets.kOutOfRange) targets.template report<starts>(e, k, faults);
    if (position >= 0) atomic_max(last + position, static_cast<W>(e + 1));
  }
  /// The target of element e if e is its last writer, -1 otherwise.
  VC_HD std::int64_t won(std::int64_t e, std::int64_t position) const {
    return position >= 0 && last[position] == static_cast<W>(e + 1) ? position : -1;
  }
};

/// REPLACE in one segment. The other elements are already in the result.
template <class Values, class Indices, class To, Starts starts>
struct Replacing {
  Indices indices;
  Values values;
  To to;
  Segments segments;
  Faults faults;

  CVL_DEVICE void put(std::int64_t k) const {
    const std::int64_t at = indices[k], length = segments.length<starts>(k);
    if (at >= 0 && at < length)
      to[segments.start<starts>(k) + at] = values[k];
    else if (length > 0)
      faults.report(FaultKind::kIndexRange, k, at, length);
  }
};

}  // namespace cvl::cuda

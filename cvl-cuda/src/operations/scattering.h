#pragma once

#include "base/atomics.h"
#include "base/device_faults.h"
#include "executor/blocks.h"
#include "operations/device_segments.h"
#include "vcode/arith.h"

namespace cvl::cuda {

// What the kernels of scatters and of REPLACE do with one element. Vectors are pointers, or whatever else is indexed by
// elements: the steps of a line (lines/run_line.cpp) do not know their types when they are compiled.

/// Where the elements of a scatter go.
template <class Indices>
struct Targets {
  Indices indices;
  const bool* flags;  ///< or null
  Segments from, to;

  static constexpr std::int64_t kNone = -1, kOutOfRange = -2;

  /// The place in the result of element e of segment k; or why it has none.
  template <Starts starts>
  VC_HD std::int64_t of(std::int64_t e, std::int64_t k) const {
    if (flags != nullptr && !flags[e]) return kNone;
    const std::int64_t i = indices[e];
    return i >= 0 && i < to.length<starts>(k) ? to.start<starts>(k) + i : kOutOfRange;
  }
  /// The same where speed does not matter.
  VC_HD std::int64_t of(std::int64_t e) const { return of<Starts::kAny>(e, from.of(e)); }

  template <Starts starts>
  CVL_DEVICE void report(std::int64_t e, std::int64_t k, const Faults& faults) const {
    faults.report(FaultKind::kIndexRange, e, indices[e], to.length<starts>(k));
  }
};

/// An element on its way.
template <class T>
struct Moved {
  std::int64_t place;
  T element;
};

VC_HD inline std::uint64_t hash_of(std::int64_t place) {
  // The finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014), with Vigna's constants (splitmix64.c, 2015).
  std::uint64_t x = (static_cast<std::uint64_t>(place) + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

struct Sum {
  VC_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

/// What the threads of a block that looks for elements with the same place share.
struct Suspicion {
  std::uint64_t sum;
  std::uint32_t is_found;
};

/// A scatter without defaults. If there are as many elements as places, the hashes of the places written are compared
/// with those of all places, for which no memory is needed; else a bit of each place tells whether it is written twice.
/// Whether places are different follows from the sum of what put() returns: only if it is not 0 are two elements with
/// the same place looked for.
template <class T, class Source, class Indices, class To>
struct ScatterOnce {
  Targets<Indices> targets;
  Source source;
  To to;
  std::uint32_t* written;  ///< a bit for each place; null if all places are to be written
  std::uint32_t* marks;    ///< as many words, to be used after a fault: they may be those of the result
  std::int64_t n, places;
  Faults faults;

  VC_HD std::int64_t words() const { return (places + 31) / 32; }

  template <Starts starts>
  CVL_DEVICE Moved<T> find(std::int64_t e, std::int64_t k) const {
    const std::int64_t place = targets.template of<starts>(e, k);
    return {place, place >= 0 ? source[e] : T(0)};
  }
  template <Starts starts>
  CVL_DEVICE std::uint64_t put(std::int64_t e, std::int64_t k, const Moved<T>& moved) const {
    if (moved.place == targets.kOutOfRange) targets.template report<starts>(e, k, faults);
    if (moved.place < 0) return written != nullptr ? 0 : 1;
    store_racing(to + moved.place, moved.element);
    if (written == nullptr) return hash_of(moved.place) - hash_of(e);
    const std::uint32_t bit = std::uint32_t{1} << (moved.place % 32);
    return (atomic_or(written + moved.place / 32, bit) & bit) != 0 ? 1 : 0;
  }
  CVL_DEVICE void clear(std::int64_t k) const {
    if (k < words()) written[k] = 0;
    if (k < places) to[k] = T(0);
  }

  /// Reports the first element whose place an element before it has, if the sum of what put() returned, which the
  /// leader knows, is not 0.
  CVL_DEVICE void check(const Block& block, std::uint64_t sum, Suspicion& shared) const {
    if (block.leads()) shared.sum = sum;
    block.sync();
    if (shared.sum != 0) report_second_writer(block, shared);
  }

 private:
  /// One block does this, some elements at a time: after a fault speed does not matter.
  CVL_DEVICE void report_second_writer(const Block& block, Suspicion& shared) const {
    constexpr std::int64_t kTogether = 1024;
    block.for_each(words(), [&](std::int64_t w) { marks[w] = 0; });
    if (block.leads()) shared.is_found = 0;
    block.sync();
    for (std::int64_t begin = 0; begin < n; begin += kTogether) {
      const std::int64_t count = n - begin < kTogether ? n - begin : kTogether;
      block.for_each(count, [&](std::int64_t k) {
        const std::int64_t place = targets.of(begin + k);
        if (place >= 0 && (load_relaxed(marks + place / 32) >> (place % 32) & 1) != 0) report(begin + k);
      });
      block.for_each(count, [&](std::int64_t k) {
        const std::int64_t place = targets.of(begin + k);
        if (place < 0) return;
        const std::uint32_t bit = std::uint32_t{1} << (place % 32);
        if ((atomic_or(marks + place / 32, bit) & bit) != 0) store_racing(&shared.is_found, 1u);
      });
      if (shared.is_found == 0) continue;
      block.for_each(count, [&](std::int64_t k) {
        const std::int64_t place = targets.of(begin + k);
        for (std::int64_t j = 0; place >= 0 && j < k; ++j)
          if (targets.of(begin + j) == place) return report(begin + k);
      });
      return;
    }
  }
  CVL_DEVICE void report(std::int64_t e) const { faults.report(FaultKind::kDuplicateTarget, e, targets.indices[e]); }
};

/// A scatter over defaults: the last of several writes to a place wins. W holds numbers of elements.
template <class Indices, class W>
struct ScatterLast {
  Targets<Indices> targets;
  W* last;  ///< writer of each place, from 1 on
  Faults faults;

  template <Starts starts>
  CVL_DEVICE void claim(std::int64_t e, std::int64_t k, std::int64_t place) const {
    if (place == targets.kOutOfRange) targets.template report<starts>(e, k, faults);
    if (place >= 0) atomic_max(last + place, static_cast<W>(e + 1));
  }
  /// The place of element e if it is its last writer.
  VC_HD std::int64_t won(std::int64_t e, std::int64_t place) const {
    return place >= 0 && last[place] == static_cast<W>(e + 1) ? place : -1;
  }
};

/// REPLACE in one segment, where the result already has the other elements.
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

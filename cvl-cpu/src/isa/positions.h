#pragma once

/// Addresses, in elements, from which gathers read and to which scatters write. The address of an element is the start
/// of its segment in another vector, which has as many segments, plus the element's index, which must be less than that
/// segment's length. In names, "place" stands for such an address and "places" for the other vector's segmentation.
///
/// Addresses are computed for a strip of up to kPositions elements, which are then moved. While the scattered stores of
/// a strip wait for memory, the processor computes the next addresses, provided that no load depends on several
/// narrower stores: store forwarding fails for such a load, which then waits for all earlier stores. So these loops
/// load each value in the width in which it was stored.

#include "base/index_fault.h"
#include "isa/spread.h"
#include "tuning/position_tuning.h"

namespace cvl::cpu::CVL_ISA {

/// Iterator over the segments of the elements of a chunk.
class Cursor {
 public:
  /// Starts at segment `first`.
  Cursor(const SegmentDescriptor& elements, const SegmentDescriptor& positions, int64_t first)
      : segment(first),
        end(elements.start(segment + 1)),
        base(positions.start(segment)),
        bound(positions.start(segment + 1) - base),
        ends_(elements.is_regular() ? nullptr : elements.offsets + segment + 2),
        position_ends_(positions.is_regular() ? nullptr : positions.offsets + segment + 2),
        length_(elements.regular_length) {}

  /// Moves to the segment that holds element e, which is the present one or a later one.
  void seek(int64_t e) {
    while (end <= e) {
      end = ends_ != nullptr ? *ends_++ : end + length_;
      base += bound;
      if (position_ends_ != nullptr) bound = *position_ends_++ - base;
      ++segment;
    }
  }

  int64_t segment;
  int64_t end;    ///< end of the segment, in elements
  int64_t base;   ///< the segment's first address
  int64_t bound;  ///< the segment's number of addresses

 private:
  const int64_t* ends_;  ///< ends of the segments after the present one
  const int64_t* position_ends_;
  int64_t length_;
};

/// `bound` as an unsigned number of the width of an index: an index, taken as unsigned, is in range if and only if it
/// is less. Negative indices are greater than any bound.
template <class I>
inline std::make_unsigned_t<I> as_bound(int64_t bound) {
  using U = std::make_unsigned_t<I>;
  constexpr U kNegative = U(1) << (8 * sizeof(U) - 1);
  return static_cast<std::uint64_t>(bound) < kNegative ? static_cast<U>(bound) : kNegative;
}

template <class T, int lanes>
struct WideVectorOf {
  typedef T type __attribute__((vector_size(lanes * sizeof(T))));
};
/// A vector of `lanes` T's, in as many registers as needed.
template <class T, int lanes>
using WideVector = typename WideVectorOf<T, lanes>::type;

/// The addresses of the elements of a strip.
template <class P>
struct Positions {
  const P* offsets;
  int64_t base;   ///< added to each offset
  int64_t bound;  ///< length of the segment if the whole strip is in one, else 0
};

/// Stands for a sum of target hashes where none is needed.
struct NoPositionSum {
  template <class... Operands>
  void add(Operands...) {}
};

/// Inputs of the computation of addresses. I is the type of indices, P the unsigned type of addresses.
template <class I, class P>
struct Indexing {
  const SegmentDescriptor& elements;
  const SegmentDescriptor& positions;  ///< segmentation of the other vector, with as many segments
  const I* indices;
  const std::uint8_t* flags;  ///< null: all are true. An element whose flag is false gets the address `absent`
  P absent;
};

/// Iterator over regular segments, a register of elements at a time. Holds, for each lane, the element's position in
/// its segment and the first address of that segment.
template <class P>
class RegularSegments {
 public:
  /// Whether to use this class; longer segments fill registers by themselves.
  static bool applies(const SegmentDescriptor& elements, const SegmentDescriptor& positions) {
    return elements.is_regular() && positions.is_regular() && elements.regular_length < kPositions;
  }
  RegularSegments() = default;
  /// Starts at element `first`.
  RegularSegments(const SegmentDescriptor& elements, const SegmentDescriptor& positions, int64_t first)
      : length_(static_cast<P>(elements.regular_length)), bound_(static_cast<P>(positions.regular_length)) {
    for (int lane = 0; lane < kRegisterLanes<P>; ++lane) {
      const int64_t segment = (first + lane) / elements.regular_length;
      position_[lane] = static_cast<P>(first + lane - segment * elements.regular_length);
      base_[lane] = static_cast<P>(segment * positions.regular_length);
    }
  }
  Register<P> base() const { return base_; }
  /// Moves to the next register of elements.
  void advance() {
    position_ += static_cast<P>(kRegisterLanes<P> % length_);
    base_ += static_cast<P>(kRegisterLanes<P> / length_ * bound_);
    const auto beyond = Register<P>(position_ >= length_);
    position_ -= length_ & beyond;
    base_ += bound_ & beyond;
  }

 private:
  P length_ = 1, bound_ = 0;
  Register<P> position_ = {}, base_ = {};
};

/// Computes addresses of elements with or without flags. The caller keeps the state of the iteration over a chunk, so
/// that it stays in registers.
template <class I, class P, bool kFlags>
struct PositionFinder {
  using U = std::make_unsigned_t<I>;
  static constexpr int kWidth = kRegisterLanes<P>;
  using Indices = WideVector<U, kWidth>;
  using Flags = WideVector<std::uint8_t, kWidth>;

  static bool are_inside(const I* in, int64_t n, U bound) {
    unsigned outside = 0;
    for (int64_t k = 0; k < n; ++k) outside |= unsigned(static_cast<U>(in[k]) >= bound);
    return outside == 0;
  }

  static bool is_zero(Indices v) {
    U any = 0;
    for (int lane = 0; lane < kWidth; ++lane) any |= v[lane];
    return any == 0;
  }

  static Indices lane_numbers() {
    Indices v;
    for (int j = 0; j < kWidth; ++j) v[j] = static_cast<U>(j);
    return v;
  }

  /// The addresses of a register of elements.
  struct Addresses {
    Register<P> positions;
    Indices outside;
  };
  template <class Base>
  static Addresses find_register(const I* in, const std::uint8_t* flags, int64_t at, Base base, U bound, P absent) {
    const Indices index = load<Indices>(in + at);
    Indices outside = Indices(index >= bound);
    Register<P> positions = __builtin_convertvector(index, Register<P>) + base;
    if constexpr (kFlags) {
      const Indices wanted = Indices(__builtin_convertvector(load<Flags>(flags + at), Indices) != Indices{});
      const Register<P> keep = __builtin_convertvector(wanted, Register<P>);
      outside &= wanted;
      positions = (positions & keep) | (absent & ~keep);
    }
    return {positions, outside};
  }

  /// Computes the addresses of elements [e, e + n), whose indices and flags are at `in` and `flags`; false if an index
  /// is out of range. May read and write up to a register beyond the n elements.
  template <class Sum>
  [[gnu::always_inline]] static bool in_segments(Cursor& cursor, const I* in, const std::uint8_t* flags, P absent,
                                                 int64_t e, int64_t n, P* found, Sum& sum) {
    const Indices lanes = lane_numbers();
    Indices outside = {};
    for (int64_t at = 0; at < n;) {
      cursor.seek(e + at);
      const int64_t stop = cursor.end < e + n ? cursor.end - e : n;
      const P base = static_cast<P>(cursor.base);
      const U bound = as_bound<I>(cursor.bound);
      for (; at + kWidth <= stop; at += kWidth) {
        const Addresses r = find_register(in, flags, at, base, bound, absent);
        outside |= r.outside;
        store(found + at, r.positions);
        sum.add(r.positions);
      }
      // A register that reaches beyond the segment: compute the rest of the segment only, so that a short segment takes
      // one step.
      if (at < stop) {
        const Addresses r = find_register(in, flags, at, base, bound, absent);
        const Indices here = Indices(lanes < static_cast<U>(stop - at));
        outside |= r.outside & here;
        store(found + at, r.positions);
        sum.add(r.positions, __builtin_convertvector(here, Register<P>));
      }
      at = stop;
    }
    return is_zero(outside);
  }

  /// As in_segments(), where all segments have one length.
  template <class Sum>
  [[gnu::always_inline]] static bool in_regular_segments(RegularSegments<P>& segments, const I* in,
                                                         const std::uint8_t* flags, P absent, U bound, int64_t n,
                                                         P* found, Sum& sum) {
    Indices outside = {};
    for (int64_t at = 0; at < n; at += kWidth, segments.advance()) {
      const Addresses r = find_register(in, flags, at, segments.base(), bound, absent);
      store(found + at, r.positions);
      if (at + kWidth <= n) {
        outside |= r.outside;
        sum.add(r.positions);
      } else {
        const Indices here = Indices(lane_numbers() < static_cast<U>(n - at));
        outside |= r.outside & here;
        sum.add(r.positions, __builtin_convertvector(here, Register<P>));
      }
    }
    return is_zero(outside);
  }

  /// As in_segments(), for tiny segments (see kTinySegment). `segment` is that of the first element, and becomes that
  /// of the last.
  [[gnu::noinline]] static bool in_tiny_segments(const Indexing<I, P>& of, int64_t& segment, const I* in,
                                                 const std::uint8_t* flags, int64_t e, int64_t n, P* found) {
    using W = std::make_signed_t<P>;
    alignas(64) W bases[kPositions + kSpreadRoom], lengths[kPositions + kSpreadRoom];
    segment = spread_tiny(of.positions, of.elements, segment, e, e + n, bases, lengths);
    unsigned outside = 0;
    for (int64_t k = 0; k < n; ++k) {
      const unsigned wanted = kFlags ? flags[k] : 1;
      outside |= unsigned(static_cast<U>(in[k]) >= as_bound<I>(lengths[k])) & wanted;
      found[k] = wanted ? static_cast<P>(in[k]) + static_cast<P>(bases[k]) : of.absent;
    }
    return outside == 0;
  }
};

/// The first of elements [e, e + n) whose index is out of range. None of their segments is before `segment`.
template <class I, class P>
IndexFault find_outside(const Indexing<I, P>& of, int64_t segment, int64_t e, int64_t n) {
  Cursor cursor(of.elements, of.positions, segment);
  for (int64_t at = e; at < e + n; ++at) {
    cursor.seek(at);
    if (of.flags != nullptr && of.flags[at] == 0) continue;
    if (of.indices[at] < 0 || of.indices[at] >= cursor.bound) return {at, int64_t{of.indices[at]}, cursor.bound};
  }
  return {};
}

/// Calls move(e, n, addresses) for strips of elements [e, e + n) of a chunk, until an index is out of range. Adds the
/// hashes of the addresses to `sum`.
template <bool kFlags, class I, class P, class Sum, class Move>
[[gnu::always_inline]] inline IndexFault for_positions(const Indexing<I, P>& of, const Chunk& chunk, Sum& sum,
                                                       Move&& move) {
  using Finder = PositionFinder<I, P, kFlags>;
  constexpr int64_t kWidth = Finder::kWidth;
  VC_CHECK(of.elements.segments == of.positions.segments);
  if (chunk.element_begin == chunk.element_end) return {};
  alignas(64) P found[kPositions + kWidth];
  I last_indices[kPositions + kWidth];
  std::uint8_t last_flags[kPositions + kWidth];
  const bool can_be_tiny = of.positions.elements >> (8 * sizeof(P) - 1) == 0;
  const bool regular = RegularSegments<P>::applies(of.elements, of.positions);
  RegularSegments<P> segments;
  if (regular) segments = RegularSegments<P>(of.elements, of.positions, chunk.element_begin);
  Cursor cursor(of.elements, of.positions, chunk.segment_begin);
  for (int64_t e = chunk.element_begin, n; e < chunk.element_end; e += n) {
    n = chunk.element_end - e < kPositions ? chunk.element_end - e : kPositions;
    const I* in = of.indices + e;
    if (!regular) cursor.seek(e);
    const bool one = !regular && cursor.end >= e + n;
    Positions<P> positions{found, 0, one ? cursor.bound : 0};
    bool good;
    if (sizeof(I) == sizeof(P) && one && !kFlags) {
      positions = {reinterpret_cast<const P*>(in), cursor.base, cursor.bound};
      good = Finder::are_inside(in, n, as_bound<I>(cursor.bound));
      sum.add(static_cast<P>(cursor.base), positions.offsets, n);
    } else {
      const std::uint8_t* flags = kFlags ? of.flags + e : nullptr;
      if (e + n + kWidth > chunk.element_end) {
        // Copy the last indices: loading a register from the operand would read beyond the chunk.
        std::memcpy(last_indices, in, static_cast<std::size_t>(n) * sizeof(I));
        in = last_indices;
        if constexpr (kFlags) {
          std::memcpy(last_flags, flags, static_cast<std::size_t>(n));
          flags = last_flags;
        }
      }
      if (regular) {
        good = Finder::in_regular_segments(segments, in, flags, of.absent, as_bound<I>(of.positions.regular_length), n,
                                           found, sum);
      } else if (can_be_tiny && are_tiny(of.elements, cursor.segment, e, e + n)) {
        int64_t segment = cursor.segment;
        good = Finder::in_tiny_segments(of, segment, in, flags, e, n, found);
        cursor = Cursor(of.elements, of.positions, segment);
        sum.add(P(0), found, n);
      } else {
        good = Finder::in_segments(cursor, in, flags, of.absent, e, n, found, sum);
      }
    }
    if (!good) return find_outside(of, chunk.segment_begin, e, n);
    move(e, n, positions);
  }
  return {};
}

}  // namespace cvl::cpu::CVL_ISA

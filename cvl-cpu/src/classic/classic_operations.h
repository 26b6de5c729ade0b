#pragma once

#include <time.h>

#include "classic/classic_library.h"
#include "classic/classic_memory.h"
#include "classic/classic_single.h"
#include "operations/operations.h"

/// Implementation of the functions of cvl.h, under the names in the table cvl/classic.def: the operations of cvl-cpu,
/// adapted where the classic interface defines them otherwise.

namespace cvl::cpu::classic {

using vcode::Storage;

/// An elementwise operation.
template <Op op>
void elementwise(Operands operands, const Result& d) {
  cpu::run(library().context, Elementwise{op, {operands.begin(), operands.size()}, d});
}
/// d = the first operand where `comparison` holds between the two, else the second.
void choose(Op comparison, Operands operands, const Result& d);
template <Op comparison>
void choose(Operands operands, const Result& d) {
  choose(comparison, operands, d);
}
/// d = whether two booleans are equal.
void equal_flags(Operands operands, const Result& d);
/// A shift; only the five lower bits of the count matter.
void shift(Op op, Operands operands, const Result& d);
template <Op op>
void shift(Operands operands, const Result& d) {
  shift(op, operands, d);
}
/// A conversion to int; gives the least int where the number does not fit.
void to_int(Op op, Operands operands, const Result& d);
template <Op op>
void to_int(Operands operands, const Result& d) {
  to_int(op, operands, d);
}
/// Draws the next random numbers below the bounds.
void draw(Operands bounds, const Result& d);
void seed_random(int seed);

inline void copy(const Operand& s, const Result& d) {
  copy_bytes(d.data, s.data, d.length * static_cast<std::int64_t>(elem_size(d.type)));
}

inline void scan(Monoid monoid, const Operand& s, const SegmentDescriptor& descriptor, const Result& d) {
  if (is_single_element(descriptor)) return scan_single(monoid, d);
  cpu::run(library().context, Scan{monoid, s, descriptor, d});
}
inline void reduce(Monoid monoid, const Operand& s, const SegmentDescriptor& descriptor, const Result& d) {
  if (is_single_element(descriptor)) return reduce_single(monoid, s, d);
  cpu::run(library().context, Reduce{monoid, s, descriptor, d});
}
template <ElemType type>
Value<type> reduced(Monoid monoid, const void* s, int n) {
  Storage<type> value;
  reduce(monoid, {type, n, s}, single(n), {type, 1, &value});
  return value;
}

template <ElemType type>
Value<type> extracted(const void* v, int i) {
  return static_cast<const Storage<type>*>(v)[i];
}
template <ElemType type>
void replace_one(void* v, int i, Value<type> value) {
  static_cast<Storage<type>*>(v)[i] = static_cast<Storage<type>>(value);
}
template <ElemType type>
void distribute_one(Value<type> value, const Result& d) {
  const auto stored = static_cast<Storage<type>>(value);
  cpu::run(library().context, Dist{{type, 1, &stored}, single(static_cast<int>(d.length)), d});
}
inline void extract(const Operand& s, const Operand& i, const SegmentDescriptor& descriptor, const Result& d) {
  cpu::run(library().context, Extract{s, i, descriptor, d});
}
/// Replaces elements of d in place.
inline void replace(const Operand& i, const Operand& v, const SegmentDescriptor& descriptor, const Result& d) {
  cpu::run(library().context, Replace{{d.type, d.length, d.data}, i, v, descriptor, d});
}
inline void distribute(const Operand& v, const SegmentDescriptor& descriptor, const Result& d) {
  cpu::run(library().context, Dist{v, descriptor, d});
}
inline void index(const Operand& init, const Operand& stride, const SegmentDescriptor& descriptor, const Result& d) {
  cpu::run(library().context, Index{init, stride, descriptor, d});
}
inline void index_one(int init, int stride, const Result& d) {
  index({ElemType::kI32, 1, &init}, {ElemType::kI32, 1, &stride}, single(static_cast<int>(d.length)), d);
}

inline void gather(const Gather& gather) {
  if (is_single_element(gather.to)) return gather_single(gather);
  cpu::run(library().context, gather);
}
inline void gather(const Operand& s, const Operand& i, const SegmentDescriptor& from, const SegmentDescriptor& to,
                   const Result& d) {
  gather({s, i, {}, from, to, d});
}
inline void gather_flagged(const Operand& s, const Operand& i, const Operand& f, const SegmentDescriptor& from,
                           const SegmentDescriptor& to, const Result& d) {
  gather({s, i, f, from, to, d});
}

// Scatters. If several elements have one target, the last one is stored. A target without an element is left unchanged
// by permute() and set to 0 by permute_flagged(); the other two functions store the element of v there, and v may be d.

inline void scatter(const Scatter& scatter) {
  if (is_single_element(scatter.from) && is_single_element(scatter.to)) return scatter_single(scatter);
  cpu::run(library().context, scatter);
}
/// A scatter that is fast if all targets are distinct. If they turn out not to be, the elements are scattered again in
/// order.
void permute_distinct(const Scatter& distinct);
inline void permute(const Operand& s, const Operand& i, const SegmentDescriptor& descriptor, const Result& d) {
  permute_distinct({s, i, {}, {}, descriptor, descriptor, d});
}
inline void permute_flagged(const Operand& s, const Operand& i, const Operand& f, const SegmentDescriptor& from,
                            const SegmentDescriptor& to, const Result& d) {
  permute_distinct({s, i, f, {}, from, to, d});
}
inline void permute_over(const Operand& s, const Operand& i, const Operand& v, const SegmentDescriptor& from,
                         const SegmentDescriptor& to, const Result& d) {
  scatter({s, i, {}, v, from, to, d});
}
inline void permute_flagged_over(const Operand& s, const Operand& i, const Operand& f, const Operand& v,
                                 const SegmentDescriptor& from, const SegmentDescriptor& to, const Result& d) {
  scatter({s, i, f, v, from, to, d});
}

/// Number of true flags.
int counted(const Operand& flags);
void count(const Operand& flags, const SegmentDescriptor& descriptor, const Result& d);
/// Packs the elements whose flags are true. Stops the process if their number is not d's length.
void pack(const Operand& s, const Operand& flags, const Result& d);
inline void rank(bool descending, const Operand& s, const SegmentDescriptor& descriptor, const Result& d) {
  cpu::run(library().context, Rank{descending, s, descriptor, d});
}

/// Conversions between the client's arrays, in which a boolean is an int, and vectors.
void to_host(int* d, const Operand& s);
void to_host(double* d, const Operand& s);
void from_host(const int* s, const Result& d);
void from_host(const double* s, const Result& d);

inline void read_clock(timespec& time) { clock_gettime(CLOCK_MONOTONIC, &time); }
/// Starts the library. The argument of CVL_init, the name of a file with fused operations, is ignored: this library has
/// none.
inline void start(char*) { start(); }

}  // namespace cvl::cpu::classic

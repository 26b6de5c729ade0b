#pragma once

#include "classic/classic_backend.h"
#include "classic/classic_descriptors.h"

/// The operations that the table cvl/classic.def names, on a backend whose memory the host cannot read. Only operations
/// that return a value to the client wait.

namespace cvl::classic {

using vcode::Storage;

template <Op op>
void elementwise(Operands operands, const Result& d) {
  backend().run(Elementwise{op, {operands.begin(), operands.size()}, d});
}
/// Selects the first operand where `comparison` holds between both, else the second.
void choose(Op comparison, Operands operands, const Result& d);
template <Op comparison>
void choose(Operands operands, const Result& d) {
  choose(comparison, operands, d);
}
void equal_flags(Operands operands, const Result& d);
/// A shift by the five lower bits of the count.
void shift(Op op, Operands operands, const Result& d);
template <Op op>
void shift(Operands operands, const Result& d) {
  shift(op, operands, d);
}
template <Op op>
void to_int(Operands operands, const Result& d) {
  elementwise<op>(operands, d);
}
/// Fills d with the next random numbers below the bounds.
void draw(Operands bounds, const Result& d);
void seed_random(int seed);
inline void copy(const Operand& s, const Result& d) {
  copy_words(d.data, s.data, d.length * static_cast<std::int64_t>(elem_size(d.type)));
}

inline void scan(Monoid monoid, const Operand& s, const SegmentDescriptor& descriptor, const Result& d) {
  backend().run(Scan{monoid, s, descriptor, d});
}
inline void reduce(Monoid monoid, const Operand& s, const SegmentDescriptor& descriptor, const Result& d) {
  backend().run(Reduce{monoid, s, descriptor, d});
}
template <ElemType type>
Value<type> extracted(const void* v, int i) {
  Storage<type> element;
  backend().download(&element, static_cast<const Storage<type>*>(v) + i, sizeof element);
  return element;
}
template <ElemType type>
Value<type> reduced(Monoid monoid, const void* s, int n) {
  const Temporary sum(sizeof(Storage<type>));
  reduce(monoid, {type, n, s}, single(n), {type, 1, sum.data()});
  return extracted<type>(sum.data(), 0);
}
template <ElemType type>
void distribute_one(Value<type> value, const Result& d) {
  const auto stored = static_cast<Storage<type>>(value);
  fill(&stored, d);
}
template <ElemType type>
void replace_one(void* v, int i, Value<type> value) {
  distribute_one<type>(value, {type, 1, static_cast<Storage<type>*>(v) + i});
}
inline void extract(const Operand& s, const Operand& i, const SegmentDescriptor& descriptor, const Result& d) {
  backend().run(Extract{s, i, descriptor, d});
}
/// Replaces elements of d in place.
inline void replace(const Operand& i, const Operand& v, const SegmentDescriptor& descriptor, const Result& d) {
  backend().run(Replace{{d.type, d.length, d.data}, i, v, descriptor, d});
}
inline void distribute(const Operand& v, const SegmentDescriptor& descriptor, const Result& d) {
  backend().run(Dist{v, descriptor, d});
}
inline void index(const Operand& init, const Operand& stride, const SegmentDescriptor& descriptor, const Result& d) {
  backend().run(Index{init, stride, descriptor, d});
}
inline void index_one(int init, int stride, const Result& d) {
  index({ElemType::kI32, 1, &init, true}, {ElemType::kI32, 1, &stride, true}, SegmentDescriptor::single(d.length), d);
}

inline void gather(const Operand& s, const Operand& i, const SegmentDescriptor& from, const SegmentDescriptor& to,
                   const Result& d) {
  backend().run(Gather{s, i, {}, from, to, d});
}
inline void gather_flagged(const Operand& s, const Operand& i, const Operand& f, const SegmentDescriptor& from,
                           const SegmentDescriptor& to, const Result& d) {
  backend().run(Gather{s, i, f, from, to, d});
}
// Scatters. The last of several writes to a target wins. A target without a write keeps its element in permute(),
// becomes 0 in permute_flagged(), and gets its element of v in the other two, where d may be v.
inline void permute_over(const Operand& s, const Operand& i, const Operand& v, const SegmentDescriptor& from,
                         const SegmentDescriptor& to, const Result& d) {
  backend().run(Scatter{s, i, {}, v, from, to, d});
}
inline void permute_flagged_over(const Operand& s, const Operand& i, const Operand& f, const Operand& v,
                                 const SegmentDescriptor& from, const SegmentDescriptor& to, const Result& d) {
  backend().run(Scatter{s, i, f, v, from, to, d});
}
inline void permute(const Operand& s, const Operand& i, const SegmentDescriptor& descriptor, const Result& d) {
  permute_over(s, i, {d.type, d.length, d.data}, descriptor, descriptor, d);
}
void permute_flagged(const Operand& s, const Operand& i, const Operand& f, const SegmentDescriptor& from,
                     const SegmentDescriptor& to, const Result& d);

inline void count(const Operand& flags, const SegmentDescriptor& descriptor, const Result& d) {
  backend().plan_pack(flags, descriptor, d);
}
int counted(const Operand& flags);
/// Keeps the elements whose flags are true. Stops the process if d has another number of elements.
void pack(const Operand& s, const Operand& flags, const Result& d);
inline void rank(bool descending, const Operand& s, const SegmentDescriptor& descriptor, const Result& d) {
  backend().run(Rank{descending, s, descriptor, d});
}

/// Copies between the client's arrays, whose booleans are ints, and vectors.
void to_host(int* d, const Operand& s);
void to_host(double* d, const Operand& s);
void from_host(const int* s, const Result& d);
void from_host(const double* s, const Result& d);

/// Reads the clock when all earlier calls are done.
void read_clock(timespec& time);
/// CVL_init: its argument names a file of fused operations, which this library does not have.
inline void start(char*) { start(); }

}  // namespace cvl::classic

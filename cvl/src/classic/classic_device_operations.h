#pragma once

#include "classic/classic_backend.h"
#include "classic/classic_descriptors.h"

/// What the functions of cvl.h compute, under the names that the table cvl/classic.def has for it, on a backend whose
/// memory the host cannot read. Only what returns a value to the client waits.

namespace cvl::classic {

using vcode::Storage;

template <Op op>
void elementwise(Operands operands, const Result& d) {
  backend().elementwise(op, {operands.begin(), operands.size()}, d);
}
/// The first operand where `comparison` holds between the two, else the second.
void choose(Op comparison, Operands operands, const Result& d);
template <Op comparison>
void choose(Operands operands, const Result& d) {
  choose(comparison, operands, d);
}
void equal_flags(Operands operands, const Result& d);
/// A shift, of which only the five lower bits of the count matter.
void shift(Op op, Operands operands, const Result& d);
template <Op op>
void shift(Operands operands, const Result& d) {
  shift(op, operands, d);
}
template <Op op>
void to_int(Operands operands, const Result& d) {
  elementwise<op>(operands, d);
}
/// The next random numbers below the bounds.
void draw(Operands bounds, const Result& d);
void seed_random(int seed);
inline void copy(const Operand& s, const Result& d) {
  copy_words(d.data, s.data, d.length * static_cast<std::int64_t>(elem_size(d.type)));
}

inline void scan(Monoid monoid, const Operand& s, const SegmentMap& map, const Result& d) {
  backend().scan(monoid, s, map, d);
}
inline void reduce(Monoid monoid, const Operand& s, const SegmentMap& map, const Result& d) {
  backend().reduce(monoid, s, map, d);
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
inline void extract(const Operand& s, const Operand& i, const SegmentMap& map, const Result& d) {
  backend().extract(s, i, map, d);
}
/// In place.
inline void replace(const Operand& i, const Operand& v, const SegmentMap& map, const Result& d) {
  backend().replace({d.type, d.length, d.data}, i, v, map, d);
}
inline void distribute(const Operand& v, const SegmentMap& map, const Result& d) { backend().dist(v, map, d); }
inline void index(const Operand& init, const Operand& stride, const SegmentMap& map, const Result& d) {
  backend().index(init, stride, map, d);
}
inline void index_one(int init, int stride, const Result& d) {
  index({ElemType::kI32, 1, &init, true}, {ElemType::kI32, 1, &stride, true}, SegmentMap::single(d.length), d);
}

inline void gather(const Operand& s, const Operand& i, const SegmentMap& from, const SegmentMap& to, const Result& d) {
  backend().gather({s, i, nullptr, from, to}, d);
}
inline void gather_flagged(const Operand& s, const Operand& i, const Operand& f, const SegmentMap& from,
                           const SegmentMap& to, const Result& d) {
  backend().gather({s, i, &f, from, to}, d);
}
// Scatters. Where several elements go to one place, the last one stays. Places that get none keep what they had in
// permute(), and are 0 in permute_flagged(); in the other two they get an element of v, which d may be.
inline void permute_over(const Operand& s, const Operand& i, const Operand& v, const SegmentMap& from,
                         const SegmentMap& to, const Result& d) {
  backend().scatter({s, i, nullptr, &v, from, to}, d);
}
inline void permute_flagged_over(const Operand& s, const Operand& i, const Operand& f, const Operand& v,
                                 const SegmentMap& from, const SegmentMap& to, const Result& d) {
  backend().scatter({s, i, &f, &v, from, to}, d);
}
inline void permute(const Operand& s, const Operand& i, const SegmentMap& map, const Result& d) {
  permute_over(s, i, {d.type, d.length, d.data}, map, map, d);
}
void permute_flagged(const Operand& s, const Operand& i, const Operand& f, const SegmentMap& from, const SegmentMap& to,
                     const Result& d);

inline void count(const Operand& flags, const SegmentMap& map, const Result& d) { backend().plan_pack(flags, map, d); }
int counted(const Operand& flags);
/// The elements whose flags are true. Stops if d has another number of elements.
void pack(const Operand& s, const Operand& flags, const Result& d);
inline void rank(bool descending, const Operand& s, const SegmentMap& map, const Result& d) {
  backend().rank(descending, s, map, d);
}

/// Between the client's arrays, in which a boolean is an int, and vectors.
void to_host(int* d, const Operand& s);
void to_host(double* d, const Operand& s);
void from_host(const int* s, const Result& d);
void from_host(const double* s, const Result& d);

/// The time when everything that was called before is done.
void read_clock(timespec& time);
/// CVL_init has the name of a file with fused operations, which this library does not have.
inline void start(char*) { start(); }

}  // namespace cvl::classic

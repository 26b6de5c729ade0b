#pragma once

/// Loops for single operations as a good engineer writes them by hand for this machine, with which the library is
/// compared. They check nothing, and are compiled for the instruction set of the machine. T is std::int32_t, float or
/// double throughout.

#include <cstdint>

#include "peers/team.h"

namespace peers {

/// Segments as count + 1 offsets; the last is the number of elements.
struct Segments {
  std::int64_t count = 1;
  std::int64_t elements = 0;
  const std::int64_t* offsets = nullptr;  ///< null for a single segment
};

/// Copies with cached or with streaming stores; the faster of the two is taken as the machine's bandwidth.
void copy_bytes(Team& team, void* to, const void* from, std::int64_t bytes, bool streaming);

template <class T>
void add(Team& team, const T* a, const T* b, T* r, std::int64_t n);
template <class T>
void less(Team& team, const T* a, const T* b, bool* r, std::int64_t n);
template <class T>
void square_root(Team& team, const T* a, T* r, std::int64_t n);
template <class T>
void exponential(Team& team, const T* a, T* r, std::int64_t n);
template <class T>
void select(Team& team, const bool* f, const T* a, const T* b, T* r, std::int64_t n);

template <class T>
void sum_scan(Team& team, const T* a, const Segments& segments, T* r);
template <class T>
void sum_reduce(Team& team, const T* a, const Segments& segments, T* r);

template <class T>
void permute(Team& team, const T* a, const std::int32_t* i, const Segments& segments, T* r);
template <class T>
void gather(Team& team, const T* a, const std::int32_t* i, const Segments& segments, T* r);

/// Packs the elements whose flag is true and counts those of each segment; returns their number.
template <class T>
std::int64_t pack(Team& team, const T* a, const bool* f, const Segments& segments, T* r, std::int32_t* lengths);

template <class T>
void dist(Team& team, const T* v, const Segments& segments, T* r);
void index(Team& team, const std::int32_t* start, const std::int32_t* stride, const Segments& segments,
           std::int32_t* r);

/// Requires a `scratch` of 4 n 64-bit words.
template <class T>
void rank(Team& team, const T* a, const Segments& segments, std::int32_t* r, std::uint64_t* scratch);

double dot(Team& team, const double* a, const double* b, std::int64_t n);
/// Prices of European call options.
void black_scholes(Team& team, const double* spot, const double* strike, const double* years, double* call,
                   std::int64_t n);

}  // namespace peers

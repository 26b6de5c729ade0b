#pragma once

#include "cvl/classic_values.h"

namespace cvl::cpu::classic {

using namespace cvl::classic;

/// A segment descriptor of m segments is their m + 1 offsets, and then the length of all of them or, if they differ,
/// -1; the offsets are written only in the latter case. A single segment, or none, needs no memory. Nothing in a
/// descriptor depends on its address, as clients move it.
int units_of_descriptor(int n, int m);
/// The segments that a descriptor describes.
SegmentMap segments(const void* sd, int n, int m);
/// Writes the descriptor of these lengths. Stops if one is negative or their sum is not n.
void make_descriptor(void* sd, const Operand& lengths, int n, int m);
/// The lengths of segments.
void lengths(const SegmentMap& map, const Result& result);
void copy_descriptor(void* d, const void* s, int n, int m);

/// A heap of `size` units, none of which takes memory before it is written; null if there are no addresses for it.
void* allocate_heap(int size);
void free_heap(void* heap);
/// Moves `size` units; the ranges may overlap.
void move(void* d, const void* s, int size);

/// Copies bytes to where no thread reads them, with all threads if there are many.
void copy_bytes(void* to, const void* from, std::int64_t bytes);

}  // namespace cvl::cpu::classic

#pragma once

#include "cvl/classic_values.h"

/// Heaps and segment descriptors in the memory of a backend.

namespace cvl::classic {

/// The descriptor of m segments with n elements is their lengths, their offsets, and what else the backend wants in a
/// SegmentMap; whether segments are regular is not known, since the host would have to wait for the device. A single
/// segment, or none, needs no memory. Nothing in a descriptor depends on its address, as clients move it.
int units_of_descriptor(int n, int m);
SegmentMap segments(const void* sd, int n, int m);
/// The client has computed n as the sum of the lengths, and none is negative.
void make_descriptor(void* sd, const Operand& lengths, int n, int m);
void lengths(const SegmentMap& map, const Result& d);
void copy_descriptor(void* d, const void* s, int n, int m);

/// A heap of `size` units; null if the backend has no memory for it.
void* allocate_heap(int size);
void free_heap(void* heap);
/// The only heap. Stops if there are several.
void* only_heap();
/// Moves `size` units; the ranges may overlap.
void move(void* d, const void* s, int size);

/// Copies so many bytes, and the rest of the last four.
void copy_words(void* d, const void* s, std::int64_t bytes);
/// Fills d with a value of its type that is on the host.
void fill(const void* value, const Result& d);

}  // namespace cvl::classic

#pragma once

#include "cvl/classic_values.h"

/// Heaps and segment descriptors in the memory of a backend.

namespace cvl::classic {

/// A descriptor of m segments with n elements consists of their lengths, their offsets, and the expanded form if the
/// backend wants one in a SegmentDescriptor. Whether segments are regular is not recorded, since the host would have to
/// wait for the device. A single segment, or none, needs no memory. Descriptors contain no addresses, as clients move
/// them.
int units_of_descriptor(int n, int m);
SegmentDescriptor segments(const void* sd, int n, int m);
/// Fills the descriptor `sd`. The client has computed n as the sum of the lengths, and none is negative.
void make_descriptor(void* sd, const Operand& lengths, int n, int m);
void lengths(const SegmentDescriptor& descriptor, const Result& d);
void copy_descriptor(void* d, const void* s, int n, int m);

/// Allocates a heap of `size` units; null if the backend has no memory for it.
void* allocate_heap(int size);
void free_heap(void* heap);
/// The only heap. Stops if there are several.
void* only_heap();
/// Copies `size` units; the ranges may overlap.
void move(void* d, const void* s, int size);

/// Copies `bytes` bytes, rounded up to a multiple of four.
void copy_words(void* d, const void* s, std::int64_t bytes);
/// Fills d with a value of its type, which is in host memory.
void fill(const void* value, const Result& d);

}  // namespace cvl::classic

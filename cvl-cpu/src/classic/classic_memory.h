#pragma once

#include "cvl/classic_values.h"

namespace cvl::cpu::classic {

using namespace cvl::classic;

/// Units of a descriptor of m segments. A descriptor holds m + 1 offsets and then the common length of the segments or,
/// if lengths differ, -1; offsets are written only if they differ. A single segment, or none, needs no memory. No part
/// of a descriptor depends on its address, as clients move descriptors.
int units_of_descriptor(int n, int m);
/// The segmentation that a descriptor stands for.
SegmentDescriptor segments(const void* sd, int n, int m);
/// Writes the descriptor of segments of these lengths. Stops the process if a length is negative or their sum is not n.
void make_descriptor(void* sd, const Operand& lengths, int n, int m);
/// Writes the lengths of segments.
void lengths(const SegmentDescriptor& descriptor, const Result& result);
void copy_descriptor(void* d, const void* s, int n, int m);

/// A heap of `size` units, none of which takes memory before it is written; null if the address space does not suffice.
void* allocate_heap(int size);
void free_heap(void* heap);
/// Moves `size` units; source and destination may overlap.
void move(void* d, const void* s, int size);

/// Copies bytes to memory that no thread reads; large copies use all threads.
void copy_bytes(void* to, const void* from, std::int64_t bytes);

}  // namespace cvl::cpu::classic

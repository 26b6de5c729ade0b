#pragma once

#include "cvl/classic_values.h"

/// What the handles of cvl.h stand for. Nothing else in a library depends on the type of handles: vectors, descriptors
/// and heaps are addresses everywhere but in the functions of cvl.h themselves.

namespace cvl::classic {

#if defined(CUDA) && CUDA
/// A handle is an int that counts the units of the heap from 1; 0 stands for null. There is one heap at a time: handles
/// of a second one stop the process.
void* address(vec_p v);
vec_p handle(const void* v);
#else
/// A handle is the address.
inline void* address(vec_p v) { return v; }
inline vec_p handle(void* v) { return v; }
#endif

}  // namespace cvl::classic

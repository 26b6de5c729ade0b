#pragma once

#include "cvl/classic_values.h"

/// The meaning of handles in cvl.h. Only the functions of cvl.h themselves depend on the type of handles: everywhere
/// else vectors, descriptors and heaps are addresses.

namespace cvl::classic {

#if defined(CUDA) && CUDA
/// A handle is an int that counts the units of the heap from 1; 0 stands for null. There is one heap at a time: handles
/// of a second one stop the process.
void* address(vec_p v);
vec_p handle(const void* v);
#else
/// A handle is the address itself.
inline void* address(vec_p v) { return v; }
inline vec_p handle(void* v) { return v; }
#endif

}  // namespace cvl::classic

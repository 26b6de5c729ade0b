#pragma once

#include "operations/context.h"

namespace cvl::cpu::classic {

/// State that the functions of the classic C library share. The C interface has no handle for it, so there is one for
/// the process. The first call of start() makes it; it is never destroyed, because the client may call exit() at any
/// moment.
struct Library {
  Library(const Kernels& k, int threads, std::size_t working_memory)
      : kernels(k), parallel(threads), arena(working_memory) {}

  const Kernels& kernels;
  Parallel parallel;
  Arena arena;  ///< working memory only; vectors are in the client's heap
  FaultSink faults;
  Context context{kernels, parallel, arena, faults};
};

extern Library* the_library;

/// Makes the library state unless it exists. CVL_THREADS is the number of threads, by default all that the process may
/// use; CVL_SIMD the instruction set (see choose_kernels).
void start();

/// The state that start() made. A client calls alo_foz, which calls start(), before any function with a handle.
inline Library& library() {
  VC_CHECK(the_library != nullptr);
  return *the_library;
}

}  // namespace cvl::cpu::classic

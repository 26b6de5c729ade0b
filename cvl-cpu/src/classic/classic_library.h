#pragma once

#include "operations/context.h"

namespace cvl::cpu::classic {

/// What the functions of the classic C library share. It has no handle for this, so there is one for the process, made
/// by the first call of start() and never destroyed: the client may end by exit() at any moment.
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

/// Makes the library unless there is one. CVL_THREADS is the number of its threads, by default all that the process
/// may use; CVL_SIMD the instruction set (see choose_kernels).
void start();

/// What start() made. Every call with a handle comes after alo_foz, which starts the library.
inline Library& library() {
  VC_CHECK(the_library != nullptr);
  return *the_library;
}

}  // namespace cvl::cpu::classic

#pragma once

#include <cstddef>
#include <cstdint>

/// The functions of an MPI library that cvl-mpi needs, with types that do not depend on the library. A shim library has
/// them, compiled with the headers of one MPI library, and is opened when a job of that library starts this process.
/// Numbers of bytes have 64 bits.
struct MpiShim {
  /// Begins communication of all ranks of the job; or, if the library has been started, of those of a communicator,
  /// whose handle in Fortran is not null. Sets this process's rank, the number of ranks, and both among the ranks on
  /// this machine. Returns false if that fails, or if other ranks communicate already. Collective.
  bool (*start)(const int* communicator, int* rank, int* ranks, int* rank_here, int* ranks_here);
  /// Ends communication when it has been called as often as start(), and the library if start() has started it;
  /// collective.
  void (*finish)();
  /// Ends the processes of all ranks.
  void (*abort)(int status);
  /// Writes the name and version of the library.
  void (*describe)(char* text, std::size_t size);
  /// Writes the library's words for an error code.
  void (*explain)(int error, char* text, std::size_t size);
  // See Messenger. The arrays have an entry for each rank, or `messages` or `numbers` of them. Each returns 0, or the
  // library's code of an error: ranks are then out of step, and the job must end.
  int (*exchange)(int messages, const void* const* outgoing, const std::size_t* outgoing_bytes, void* const* incoming,
                  const std::size_t* incoming_bytes);
  int (*exchange_counts)(int numbers, const std::int64_t* counts, std::int64_t* received);
  int (*gather_to_all)(const void* mine, const std::size_t* bytes, void* all);
  int (*reduce)(std::int64_t* numbers, std::size_t count, bool maximum);
  int (*broadcast)(void* data, std::size_t bytes, int root);
};

/// Changes with MpiShim. A shim exports nesl_mpi_shim_version, and nesl_mpi_shim, which returns its functions.
inline constexpr int kMpiShimVersion = 5;
using MpiShimVersionFn = int();
using MpiShimFn = const MpiShim*();

// The shim of one MPI library, whichever this file is compiled with.

#include "messages/mpi_shim.h"

// Without the C++ bindings of old, which need a library of their own.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

namespace {

/// Bytes of one message: MPI counts with ints.
constexpr std::size_t kMessage = std::size_t{1} << 30;
constexpr int kTag = 1;

int g_rank = 0, g_ranks = 1;
MPI_Comm g_world = MPI_COMM_NULL;  ///< messages of this project alone
int g_sessions = 0;                ///< that use g_world
bool g_finalizes = true;           ///< whether this shim has started the library

/// Whether the library serves several threads, of which one at a time communicates: programs may run on another thread
/// than the one that joins the job.
bool start_library(bool is_started) {
  int provided = 0;
  if (is_started)
    MPI_Query_thread(&provided);
  else if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
    return false;
  return provided >= MPI_THREAD_SERIALIZED;
}

bool start(const int* communicator, int* rank, int* ranks, int* rank_here, int* ranks_here) {
  int is_started = 0;
  MPI_Initialized(&is_started);
  if ((communicator != nullptr) != (is_started != 0) || !start_library(is_started != 0)) return false;
  const MPI_Comm all = communicator == nullptr ? MPI_COMM_WORLD : MPI_Comm_f2c(static_cast<MPI_Fint>(*communicator));
  if (g_world != MPI_COMM_NULL) {
    int difference = MPI_UNEQUAL;
    MPI_Comm_compare(all, g_world, &difference);
    if (difference != MPI_CONGRUENT) return false;
  } else if (MPI_Comm_dup(all, &g_world) != MPI_SUCCESS) {
    return false;
  } else {
    // The caller knows the place in the program where messages are lost.
    MPI_Comm_set_errhandler(g_world, MPI_ERRORS_RETURN);
  }
  ++g_sessions;
  g_finalizes = communicator == nullptr;
  MPI_Comm_rank(g_world, &g_rank);
  MPI_Comm_size(g_world, &g_ranks);
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(g_world, MPI_COMM_TYPE_SHARED, g_rank, MPI_INFO_NULL, &here);
  MPI_Comm_rank(here, rank_here);
  MPI_Comm_size(here, ranks_here);
  MPI_Comm_free(&here);
  *rank = g_rank;
  *ranks = g_ranks;
  return true;
}

#ifdef MPICH_VERSION
/// Ends the library. MPICH 4.0 over TCP sometimes does not return, because one rank waits for another one that serves
/// no more connections. The processes may then exit all the same, which their launcher takes for a usual end if none of
/// them goes on when another one has exited: so all of them are stopped first.
void finalize() {
  constexpr std::chrono::seconds kPatience(2), kStop(1);
  std::promise<void> ended;
  std::thread ender([&] {
    MPI_Finalize();
    ended.set_value();
  });
  if (ended.get_future().wait_for(kPatience) == std::future_status::ready) return ender.join();
  std::signal(SIGUSR2, [](int) {
    while (true) pause();
  });
  pthread_kill(ender.native_handle(), SIGUSR2);
  ender.detach();
  std::this_thread::sleep_for(kStop);
}
#else
void finalize() { MPI_Finalize(); }
#endif

void finish() {
  if (--g_sessions > 0) return;
  int is_finalized = 0;
  MPI_Finalized(&is_finalized);
  if (is_finalized != 0) return;
  if (g_finalizes) MPI_Barrier(g_world);  // behind which no rank needs another one
  MPI_Comm_free(&g_world);
  if (g_finalizes) finalize();
}

void abort_job(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

void describe(char* text, std::size_t size) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  // Open MPI: "Open MPI v4.1.4, package: …"; MPICH: "MPICH Version:      4.0.2\n…".
  const std::size_t end = std::min(std::strcspn(version, ",\n"), size - 1);
  std::size_t out = 0;
  for (std::size_t k = 0; k < end; ++k) {
    const bool is_space = version[k] == ' ' || version[k] == '\t';
    if (is_space && out > 0 && text[out - 1] == ' ') continue;
    text[out++] = is_space ? ' ' : version[k];
  }
  text[out] = '\0';
}

void explain(int error, char* text, std::size_t size) {
  char words[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(error, words, &length);
  std::snprintf(text, size, "%s", words);
}

/// The first error of some calls of the library.
class FirstError {
 public:
  void note(int code) {
    if (code_ == MPI_SUCCESS) code_ = code;
  }
  int code() const { return code_; }

 private:
  int code_ = MPI_SUCCESS;
};

/// Calls transfer(pointer, count), which returns an error code, for each message of a part.
template <class T, class Transfer>
void for_each_message(FirstError& error, T* data, std::size_t bytes, Transfer&& transfer) {
  for (std::size_t at = 0; at < bytes; at += kMessage)
    error.note(transfer(data + at, static_cast<int>(std::min(kMessage, bytes - at))));
}

int wait_for_all(std::vector<MPI_Request>& requests) {
  std::vector<MPI_Status> statuses(requests.size());
  FirstError error;
  const int code = MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
  if (code != MPI_ERR_IN_STATUS) return code;
  for (const MPI_Status& status : statuses)
    if (status.MPI_ERROR != MPI_ERR_PENDING) error.note(status.MPI_ERROR);
  return error.code();
}

int exchange(int messages, const void* const* outgoing, const std::size_t* outgoing_bytes, void* const* incoming,
             const std::size_t* incoming_bytes) {
  std::vector<MPI_Request> requests;
  FirstError error;
  // Messages of one rank to another one arrive in their order.
  for (int step = 1; step < g_ranks; ++step) {
    const int from = (g_rank + g_ranks - step) % g_ranks;
    for (int k = from; k < messages * g_ranks; k += g_ranks)
      for_each_message(error, static_cast<char*>(incoming[k]), incoming_bytes[k], [&](char* data, int count) {
        return MPI_Irecv(data, count, MPI_BYTE, from, kTag, g_world, &requests.emplace_back());
      });
  }
  for (int step = 1; step < g_ranks; ++step) {
    const int to = (g_rank + step) % g_ranks;
    for (int k = to; k < messages * g_ranks; k += g_ranks)
      for_each_message(error, static_cast<const char*>(outgoing[k]), outgoing_bytes[k],
                       [&](const char* data, int count) {
                         return MPI_Isend(data, count, MPI_BYTE, to, kTag, g_world, &requests.emplace_back());
                       });
  }
  for (int k = g_rank; k < messages * g_ranks; k += g_ranks)
    if (outgoing_bytes[k] > 0) std::memmove(incoming[k], outgoing[k], outgoing_bytes[k]);
  if (error.code() == MPI_SUCCESS) error.note(wait_for_all(requests));
  return error.code();
}

int exchange_counts(int numbers, const std::int64_t* counts, std::int64_t* received) {
  return MPI_Alltoall(counts, numbers, MPI_INT64_T, received, numbers, MPI_INT64_T, g_world);
}

int broadcast(void* data, std::size_t bytes, int root) {
  FirstError error;
  for_each_message(error, static_cast<char*>(data), bytes,
                   [&](char* part, int count) { return MPI_Bcast(part, count, MPI_BYTE, root, g_world); });
  return error.code();
}

int gather_to_all(const void* mine, const std::size_t* bytes, void* all) {
  std::vector<int> counts, places;
  std::size_t sum = 0;
  for (int r = 0; r < g_ranks; ++r) {
    counts.push_back(static_cast<int>(std::min(bytes[r], kMessage)));
    places.push_back(static_cast<int>(std::min(sum, kMessage)));
    sum += bytes[r];
  }
  auto* const to = static_cast<char*>(all);
  std::size_t own = 0;
  for (int r = 0; r < g_rank; ++r) own += bytes[r];
  if (bytes[g_rank] > 0) std::memmove(to + own, mine, bytes[g_rank]);
  if (sum <= kMessage)
    return MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, to, counts.data(), places.data(), MPI_BYTE, g_world);
  FirstError error;
  std::size_t at = 0;
  for (int r = 0; r < g_ranks; ++r) {
    error.note(broadcast(to + at, bytes[r], r));
    at += bytes[r];
  }
  return error.code();
}

int reduce(std::int64_t* numbers, std::size_t count, bool maximum) {
  constexpr std::size_t kMost = kMessage / sizeof(std::int64_t);
  FirstError error;
  for (std::size_t at = 0; at < count; at += kMost)
    error.note(MPI_Allreduce(MPI_IN_PLACE, numbers + at, static_cast<int>(std::min(kMost, count - at)), MPI_INT64_T,
                             maximum ? MPI_MAX : MPI_SUM, g_world));
  return error.code();
}

constexpr MpiShim kShim = {start,    finish,          abort_job,     describe, explain,
                           exchange, exchange_counts, gather_to_all, reduce,   broadcast};

}  // namespace

extern "C" int nesl_mpi_shim_version() { return kMpiShimVersion; }
extern "C" const MpiShim* nesl_mpi_shim() { return &kShim; }

// A library for LD_PRELOAD that loses the messages of a process: call number NESL_LOSE_AT of MPI_Waitall, by any MPI
// library, fails as if a connection had ended.

#include <dlfcn.h>

#include <cstdlib>

namespace {

constexpr int kErrorOther = 15;  // MPI_ERR_OTHER of MPICH; of Open MPI MPI_ERR_TRUNCATE

}  // namespace

extern "C" int MPI_Waitall(int count, void* requests, void* statuses) {
  using Function = int(int, void*, void*);
  static auto* const next = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "MPI_Waitall"));
  static long until_lost = std::getenv("NESL_LOSE_AT") == nullptr ? 0 : std::atol(std::getenv("NESL_LOSE_AT"));
  const int code = next == nullptr ? kErrorOther : next(count, requests, statuses);
  return --until_lost == 0 ? kErrorOther : code;
}

